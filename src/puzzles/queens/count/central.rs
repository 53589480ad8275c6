//! One eighth of the plain board: the rule of the central border queen.
//!
//! Each border of the board, the top row, the right column, the bottom row and the left column, has a queen; one
//! queen may serve two of them, in a corner. Call the *depth* of a square `p` along a border its distance from
//! the nearer end, `min(p, n - 1 - p)`. Turning and mirroring the board moves the four depths around, so of the
//! eight images of a solution it is enough to find one whose queen in the top row, in the left half at depth `a`,
//! is a deepest one. A tie can only stand on two squares of each other border, and the top queen attacks one of
//! them, so ties stand on the right in row `a`, at the bottom in column `n - 1 - a`, and on the left in row
//! `n - 1 - a`.
//!
//! For each of the deepest borders, one of the eight symmetries brings it to the top with its queen in the left
//! half. So a solution with one deepest border has one image of the kind looked for, and that stands for eight
//! solutions. With two of them side by side there are two images, one with a tie on the right and one with a tie
//! on the left: only the first is looked for, and stands for eight. With two opposite ones there are two images
//! with a tie at the bottom: each stands for four. With three there are three images, of which only the one with
//! ties on the right and at the bottom is looked for: eight. With four there are four images: two each. And a
//! solution that has fewer than eight images is found as many times less.
//!
//! In the middle column of an odd board the top queen is in no half. There the mirror is used up by putting the
//! queen of the second row to the left of it, and ties can't be, as the middles of the borders attack each other.
//!
//! The queens of the other borders thus have a choice only of squares of smaller depth, and placing the bottom
//! one first lets that bite early: on 14 columns it leaves 4.7 million partial placements, where the mirror alone
//! leaves 11.2.

use super::strip::{Counter, Strip};
use crate::board::Square;
use crate::puzzles::{Budget, Interrupted};

/// The borders that tie with the top one, and how many solutions each one found stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ties {
    right: bool,
    bottom: bool,
    left: bool,
    weight: u8,
}

/// All combinations of ties that have to be looked at; in the others there is an image of each solution.
const TIES: [Ties; 5] = [
    Ties { right: false, bottom: false, left: false, weight: 8 },
    Ties { right: true, bottom: false, left: false, weight: 8 },
    Ties { right: false, bottom: true, left: false, weight: 4 },
    Ties { right: true, bottom: true, left: false, weight: 8 },
    Ties { right: true, bottom: true, left: true, weight: 2 },
];

/// A share of the solutions of a plain board: those with certain queens on its borders. Small plain data; the
/// counts of all parts, each times its weight, add up to the number of solutions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    size: u8,
    /// The column of the queen in the top row.
    top: u8,
    ties: Ties,
    /// The column of the queen in the bottom row.
    bottom: u8,
    /// The rows of the queens in the right and the left column, if that is settled.
    sides: Option<(u8, u8)>,
}

/// From this size on, parts also settle the queens of the left and the right column: each takes less time, and
/// the columns in between fit a batch longer.
const SETTLED_SIDES: u32 = 18;

/// The parts of the plain board of `size` columns, 2 to 32, always the same in the same order: some dozens up to
/// 17 columns, 5,952 on 18, 9,858 on 20, 32,006 on 25. Takes microseconds for each.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn parts(size: u32, budget: &Budget) -> Result<Vec<Part>, Interrupted> {
    let mut parts = Vec::new();
    for top in 0..size.div_ceil(2) {
        let is_middle = 2 * top + 1 == size;
        for ties in TIES.into_iter().take(if is_middle { 1 } else { TIES.len() }) {
            for bottom in 0..size {
                budget.check()?;
                let part = Part { size: size as u8, top: top as u8, ties, bottom: bottom as u8, sides: None };
                let Some(strip) = part.strip() else { continue };
                if size < SETTLED_SIDES {
                    parts.push(part);
                } else {
                    parts.extend(part.with_sides(&strip));
                }
            }
        }
    }
    Ok(parts)
}

impl Part {
    /// How many solutions each counted one stands for.
    #[must_use]
    pub const fn weight(&self) -> u64 {
        self.ties.weight as u64
    }

    /// The number of solutions of this part, without its weight.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn count(&self, counter: &mut Counter, budget: &Budget) -> Result<u64, Interrupted> {
        match self.strip() {
            Some(strip) => strip.completions(counter, budget),
            None => Ok(0),
        }
    }

    /// This part, which has this strip, divided by the queens in the right and the left column.
    fn with_sides(self, strip: &Strip) -> Vec<Self> {
        let last = self.size - 1;
        let rows = |col: u8| {
            // The bottom queen may stand in a corner, and then it is the one of that column.
            if self.bottom == col {
                return vec![last];
            }
            let open = strip.open_rows().filter(|(_, allowed)| allowed >> col & 1 == 1);
            open.map(|(row, _)| row as u8).collect()
        };
        let mut parts = Vec::new();
        for right in rows(last) {
            for left in rows(0) {
                let part = Self { sides: Some((right, left)), ..self };
                if part.strip().is_some() {
                    parts.push(part);
                }
            }
        }
        parts
    }

    /// The board with the queens of this part; `None` when they attack each other, stand where the rule doesn't
    /// allow it, or leave a row without a square.
    fn strip(&self) -> Option<Strip> {
        let (size, top) = (u32::from(self.size), u32::from(self.top));
        let last = size - 1;
        let depth = |place: u32| place.min(last - place);
        let all = u32::MAX >> (32 - size);
        let (left, right) = (1, 1 << last);

        let mut allowed = vec![all; self.size.into()];
        allowed[0] = 1 << top;
        for (row, allowed) in (0..).zip(&mut allowed).skip(1) {
            if depth(row) >= top {
                *allowed &= !(left | right);
            }
        }
        allowed[last as usize] &=
            (0..size).filter(|&col| depth(col) < top).fold(0, |mask, col| mask | 1 << col);
        if self.ties.right {
            allowed[top as usize] = right;
        }
        if self.ties.bottom {
            allowed[last as usize] = 1 << (last - top);
        }
        if self.ties.left {
            allowed[(last - top) as usize] = left;
        }
        if 2 * top + 1 == size {
            // The mirror image has its queen of the second row on the other side.
            allowed[1] &= (1 << top) - 1;
        }

        let mut strip = Strip::new(allowed).with(Square::new(0, top))?;
        strip = strip.with(Square::new(last, self.bottom.into()))?;
        if let Some((right, left)) = self.sides {
            for (row, col) in [(right, last), (left, 0)] {
                let (row, bottom) = (u32::from(row), u32::from(self.bottom));
                if (row, col) != (last, bottom) {
                    strip = strip.with(Square::new(row, col))?;
                }
            }
        }
        Some(strip)
    }
}
