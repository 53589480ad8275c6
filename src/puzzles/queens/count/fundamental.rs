//! Solutions that turn into themselves, and from them the number of fundamental solutions.
//!
//! Turning and mirroring a board makes eight placements of one; two solutions of the same class count as one
//! *fundamental* solution. By the lemma of Cauchy, Frobenius and Burnside the number of classes is the mean,
//! over the eight symmetries, of the number of solutions that each of them leaves as they are. On more than one
//! square no mirror along a row or column leaves a solution alone: it would carry a queen along its row or column
//! to another one. A mirror along a diagonal may, but only where queens don't attack along diagonals. So with
//! `Q` solutions, `P` of them unchanged by a half turn, `R` by a quarter turn and `D` by the mirror along the
//! main diagonal, there are `(Q + P + 2R + 2D) / 8` classes. A search that places a queen together with all its
//! images finds `P` and `D` in about the square root, and `R` in the fourth root, of the time that `Q` takes.

use std::collections::HashMap;

use super::super::Attack;
use crate::board::Square;
use crate::puzzles::{Budget, Interrupted, Pacer};

/// How many steps of the search pass between two looks at the budget; one takes some nanoseconds.
const STEPS_PER_CHECK: u32 = 1 << 16;

/// The widest board whose symmetric solutions can be searched for.
pub const MAX_SIZE: u32 = 64;

/// The number of classes of solutions under the eight symmetries of the plain board of `size` columns, at most
/// [`MAX_SIZE`], that has `solutions` of them. Takes about the square root of the time of counting the solutions.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn classes(size: u32, attack: Attack, solutions: u64, budget: &Budget) -> Result<u64, Interrupted> {
    if size == 1 {
        return Ok(solutions);
    }
    let unchanged = |symmetry| unchanged(size, attack, symmetry, budget);
    let mirrors = if attack == Attack::Touch { unchanged(Symmetry::Diagonal)? } else { 0 };
    let turns = unchanged(Symmetry::HalfTurn)? + 2 * unchanged(Symmetry::QuarterTurn)?;
    Ok((solutions + turns + 2 * mirrors) / 8)
}

/// A symmetry of the board, standing for those of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// A turn by 90°.
    QuarterTurn,
    /// A turn by 180°.
    HalfTurn,
    /// The mirror along the main diagonal.
    Diagonal,
}

impl Symmetry {
    /// The square that this one is carried to, on a board of `size` columns.
    const fn image(self, size: u32, square: Square) -> Square {
        let last = size - 1;
        match self {
            Self::QuarterTurn => Square::new(square.col, last - square.row),
            Self::HalfTurn => Square::new(last - square.row, last - square.col),
            Self::Diagonal => square.transposed(),
        }
    }
}

/// The number of solutions on a plain board of `size` columns, at most [`MAX_SIZE`], that this symmetry leaves as
/// they are.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn unchanged(size: u32, attack: Attack, symmetry: Symmetry, budget: &Budget) -> Result<u64, Interrupted> {
    // A quarter turn takes queens in fours, but for one in the middle of an odd board.
    if symmetry == Symmetry::QuarterTurn && size % 4 > 1 {
        return Ok(0);
    }
    let mut search = Orbits { size, attack, symmetry, known: HashMap::new() };
    search.complete(Placement::EMPTY, &mut budget.pacer(STEPS_PER_CHECK))
}

/// A search that places queens by whole orbits of a symmetry.
struct Orbits {
    size: u32,
    attack: Attack,
    symmetry: Symmetry,
    /// The ways to complete placements that were met before, by what matters of them. Used only where queens must
    /// not touch: their placements are so many, and so much alike, that it pays.
    known: HashMap<Essence, u64>,
}

/// What matters of a placement for those who come later, where queens must not touch: which rows and columns are
/// left, and where the queens stand that can still be touched. At most eight of them: placements with more are
/// not worth knowing.
type Essence = (u64, u64, [(u8, u8); 8]);

/// The lines that the queens so far occupy, one bit each.
#[derive(Clone, Copy)]
struct Placement {
    rows: u64,
    columns: u64,
    /// By `col + row`; on the torus modulo the size.
    rising: u128,
    /// By `col - row + size`; on the torus modulo the size.
    falling: u128,
    /// The column of the queen in each row, counted from 1, as 0 is none. Only where they must not touch.
    queens: [u8; MAX_SIZE as usize],
}

impl Placement {
    const EMPTY: Self = Self { rows: 0, columns: 0, rising: 0, falling: 0, queens: [0; MAX_SIZE as usize] };

    /// What matters of the placement on a board of `size` columns; `None` if that is too much.
    fn essence(&self, size: u32) -> Option<Essence> {
        let is_beside_open = |lines: u64, line: u32| {
            let board = u64::MAX >> (64 - size);
            let open = board & !lines;
            (open >> 1 | open << 1) >> line & 1 == 1
        };
        let mut touchable = [(0, 0); 8];
        let mut slots = touchable.iter_mut();
        for (row, &queen) in (0..size).zip(&self.queens) {
            if queen != 0
                && is_beside_open(self.rows, row)
                && is_beside_open(self.columns, u32::from(queen) - 1)
            {
                *slots.next()? = (row as u8, queen);
            }
        }
        Some((self.rows, self.columns, touchable))
    }

    /// Whether a queen stands on a square that touches this one by a corner.
    fn touches(&self, square: Square) -> bool {
        let col = square.col as u8 + 1;
        [square.row.wrapping_sub(1), square.row + 1].into_iter().any(|row| {
            self.queens.get(row as usize).is_some_and(|&other| other != 0 && other.abs_diff(col) == 1)
        })
    }
}

impl Orbits {
    /// The ways to complete a placement by whole orbits, the next of which has a queen in the first empty row.
    fn complete(&mut self, placement: Placement, pacer: &mut Pacer<'_>) -> Result<u64, Interrupted> {
        let row = placement.rows.trailing_ones();
        if row >= self.size {
            return Ok(1);
        }
        let essence = if self.attack == Attack::Touch { placement.essence(self.size) } else { None };
        if let Some(&known) = essence.and_then(|essence| self.known.get(&essence)) {
            return Ok(known);
        }
        let mut total = 0;
        for col in 0..self.size {
            pacer.tick()?;
            if let Some(placement) = self.with_orbit(placement, Square::new(row, col)) {
                total += self.complete(placement, pacer)?;
            }
        }
        if let Some(essence) = essence {
            self.known.insert(essence, total);
        }
        Ok(total)
    }

    /// The placement with a queen on a square and on all its images; `None` where they attack each other or a
    /// queen that stands.
    fn with_orbit(&self, mut placement: Placement, first: Square) -> Option<Placement> {
        let mut square = first;
        loop {
            placement = self.with(placement, square)?;
            square = self.symmetry.image(self.size, square);
            if square == first {
                return Some(placement);
            }
        }
    }

    /// The placement with a further queen; `None` where another one attacks it.
    fn with(&self, mut placement: Placement, square: Square) -> Option<Placement> {
        let Square { row, col } = square;
        let (rising, falling) = match self.attack {
            Attack::Queen => (1 << (col + row), 1 << (col + self.size - row)),
            Attack::Torus => (1 << ((col + row) % self.size), 1 << ((col + self.size - row) % self.size)),
            Attack::Touch => (0, 0),
        };
        let free = placement.rows & 1 << row == 0
            && placement.columns & 1 << col == 0
            && placement.rising & rising == 0
            && placement.falling & falling == 0
            && !(self.attack == Attack::Touch && placement.touches(square));
        placement.rows |= 1 << row;
        placement.columns |= 1 << col;
        placement.rising |= rising;
        placement.falling |= falling;
        placement.queens[row as usize] = col as u8 + 1;
        free.then_some(placement)
    }
}
