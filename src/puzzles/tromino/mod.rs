//! L-trominoes: cover a board, squares left out, with L-shaped tiles of three squares.
//!
//! A [`Problem`] is a board of any size and its holes. [`solve()`] gives a [`Solution`], in which every square
//! that is not a hole has the number of its tile, or a proof that there is none. [`verify()`] checks a solution
//! without trusting any of the solvers.
//!
//! Whether a board with any holes has a tiling is NP-complete (Moore & Robson 2001), so no method is quick on
//! all of them. Several share the work, the cheapest that applies first:
//!
//! 1. the number of squares, and for boards with at most one hole the theorems that settle them
//!    (`theorems`);
//! 2. a 2^k × 2^k board with one hole: the classic recursion (`quadrants`);
//! 3. any other board with at most one hole: 2 × 3 blocks around a small core (`peel`);
//! 4. any holes: parts that the holes cut off, and tiles that are forced (`region`, `forced`); then each
//!    remaining part by itself:
//!    - narrow or small: dynamic programming, which always decides (`profile`); it also counts tilings and
//!      draws random ones;
//!    - large: dynamic programming on one band after the other (`horizon`);
//!    - undecided by that: a satisfiability solver (`sat`).
//!
//! Solvers lay `tiles`; numbers and `colors` come last.

mod colors;
pub mod cost;
mod forced;
mod horizon;
mod peel;
mod profile;
mod quadrants;
mod region;
mod sat;
mod solution;
mod solve;
mod theorems;
mod tiles;
mod verify;

use self::quadrants::Quadrants;
use crate::board::{Size, Square};
use crate::puzzles::Fault;

pub use self::solution::{Method, Solution};
pub use self::solve::solve;
pub use self::verify::{Violation, verify, verify_within};

/// A board to cover: its size, and the squares left out.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Problem {
    size: Size,
    /// In the order of the squares, row by row, and all different.
    holes: Vec<Square>,
}

impl Problem {
    /// A board of this size without the squares `holes`, which may come in any order.
    ///
    /// Takes O(h log h) time for h holes.
    ///
    /// # Errors
    /// A fault on `holes` for each hole that is off the board, and for each square that is given more than once.
    pub fn new(size: Size, mut holes: Vec<Square>) -> Result<Self, Vec<Fault>> {
        let mut faults: Vec<_> = holes
            .iter()
            .filter(|&&hole| !size.contains(hole))
            .map(|hole| Fault::new("holes", format!("must lie on the {size} board, got {hole}")))
            .collect();
        holes.retain(|&hole| size.contains(hole));
        holes.sort_unstable();
        for same in holes.chunk_by(|a, b| a == b).filter(|same| same.len() > 1) {
            let detail = format!("must differ from each other, got {} {} times", same[0], same.len());
            faults.push(Fault::new("holes", detail));
        }
        if faults.is_empty() { Ok(Self { size, holes }) } else { Err(faults) }
    }

    /// The size of the board.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The squares that are left out, row by row, each once.
    #[must_use]
    pub fn holes(&self) -> &[Square] {
        &self.holes
    }

    /// Whether this is the classic board: square, its side a power of two, with one hole. Such a board always has
    /// a tiling, and its solution doesn't hold a board: it can have any size.
    #[must_use]
    pub fn is_deficient_power_of_two(&self) -> bool {
        self.quadrants().is_some()
    }

    fn quadrants(&self) -> Option<Quadrants> {
        match self.holes[..] {
            [hole] => Quadrants::new(self.size, hole),
            _ => None,
        }
    }
}

/// What a caller may ask for beside a tiling. By default nothing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    seed: Option<u64>,
    count: bool,
}

impl Options {
    /// The longest that the shorter side of a board may be for its tilings to be counted.
    pub const MAX_COUNTED_SIDE: usize = profile::count::MAX_WIDTH;

    /// The options for a board of this size: with `seed` a random tiling, the same for the same seed, and with
    /// `count` the number of all tilings.
    ///
    /// # Errors
    /// A fault on `count` when the board's shorter side is longer than
    /// [`MAX_COUNTED_SIDE`](Self::MAX_COUNTED_SIDE).
    pub fn new(size: Size, seed: Option<u64>, count: bool) -> Result<Self, Vec<Fault>> {
        if count && size.short_side() > Self::MAX_COUNTED_SIDE {
            let limit = Self::MAX_COUNTED_SIDE;
            let detail =
                format!("must be false where both sides are longer than {limit}, got true for {size}");
            return Err(vec![Fault::new("count", detail)]);
        }
        Ok(Self { seed, count })
    }

    /// The seed of a random tiling, if one is asked for.
    #[must_use]
    pub const fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// Whether all tilings are to be counted.
    #[must_use]
    pub const fn count(&self) -> bool {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_faults_of_the_holes_are_listed_with_their_squares() {
        let size = Size::new(4, 4).unwrap();
        let holes = [(4, 1), (2, 2), (0, 9), (2, 2), (1, 1), (2, 2)];
        let holes = holes.map(|(row, col)| Square::new(row, col)).to_vec();
        let faults = Problem::new(size, holes).unwrap_err();
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            faults,
            [
                "holes must lie on the 4 × 4 board, got (4, 1)",
                "holes must lie on the 4 × 4 board, got (0, 9)",
                "holes must differ from each other, got (2, 2) 3 times",
            ]
        );
    }

    #[test]
    fn holes_come_out_row_by_row_however_they_went_in() {
        let size = Size::new(3, 3).unwrap();
        let square = Square::new;
        let problem = Problem::new(size, vec![square(2, 0), square(0, 2), square(1, 1)]).unwrap();
        assert_eq!(problem.holes(), [square(0, 2), square(1, 1), square(2, 0)]);
    }
}
