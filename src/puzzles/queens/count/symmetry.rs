//! Solutions that turn into themselves, and from them the number of fundamental solutions.
//!
//! Turning and mirroring a board makes eight placements of one; two solutions of the same class count as one
//! *fundamental* solution. By the lemma of Cauchy, Frobenius and Burnside the number of classes is the mean,
//! over the eight symmetries, of the number of solutions that each of them leaves as they are. On more than one
//! square no mirror leaves a solution alone: it would carry a queen along a row, a column or a diagonal to
//! another one. So with `Q` solutions, `P` of them unchanged by a half turn and `R` by a quarter turn there are
//! `(Q + P + 2R) / 8` classes. A search that places a queen together with all its images finds `P` and `R` in
//! about the square root and the fourth root of the time that `Q` takes.

use crate::puzzles::{Budget, Interrupted, Pacer};

/// How many steps of the search pass between two looks at the budget; one takes a few nanoseconds.
const STEPS_PER_CHECK: u32 = 1 << 16;

/// The number of classes of solutions under the eight symmetries of the board of `size` columns, 1 to 32, that
/// has `solutions` of them. Takes about the square root of the time of counting the solutions.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn fundamental(size: u32, solutions: u64, budget: &Budget) -> Result<u64, Interrupted> {
    if size == 1 {
        return Ok(solutions);
    }
    let half_turn = unchanged(size, Turn::Half, budget)?;
    let quarter_turn = unchanged(size, Turn::Quarter, budget)?;
    Ok((solutions + half_turn + 2 * quarter_turn) / 8)
}

/// A rotation of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// By 90°.
    Quarter,
    /// By 180°.
    Half,
}

/// The number of solutions on a board of `size` columns, 1 to 32, that this turn leaves as they are.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn unchanged(size: u32, turn: Turn, budget: &Budget) -> Result<u64, Interrupted> {
    // Queens come in orbits of two or four; only the middle square of an odd board is its own image.
    let orbit = if turn == Turn::Half { 2 } else { 4 };
    if size % orbit > 1 {
        return Ok(0);
    }
    let middle = if size % 2 == 1 { 1 << (size / 2) } else { 0 };
    let lines = Lines { rows: middle, columns: middle, falling: 0, rising: 0 };
    // The two long diagonals are closed from the start: two queens of an orbit would share one, and on an odd
    // board they belong to the queen in the middle.
    let long = 1 << (size - 1);
    let lines = Lines { falling: long, rising: long, ..lines };
    complete(size, turn, lines, &mut budget.pacer(STEPS_PER_CHECK))
}

/// The lines that the queens so far occupy, one bit each: row and column by number, falling diagonals by
/// `col - row + size - 1`, rising ones by `col + row`.
#[derive(Clone, Copy)]
struct Lines {
    rows: u32,
    columns: u32,
    falling: u64,
    rising: u64,
}

impl Lines {
    /// The lines with a further queen; `None` where another queen attacks it.
    fn with(mut self, size: u32, row: u32, col: u32) -> Option<Self> {
        let (falling, rising) = (1 << (col + size - 1 - row), 1 << (col + row));
        let free = self.rows & 1 << row == 0
            && self.columns & 1 << col == 0
            && self.falling & falling == 0
            && self.rising & rising == 0;
        self.rows |= 1 << row;
        self.columns |= 1 << col;
        self.falling |= falling;
        self.rising |= rising;
        free.then_some(self)
    }
}

/// The ways to complete a placement by whole orbits, the next of which has a queen in the first empty row.
fn complete(size: u32, turn: Turn, lines: Lines, pacer: &mut Pacer<'_>) -> Result<u64, Interrupted> {
    let row = lines.rows.trailing_ones();
    if row >= size {
        return Ok(1);
    }
    let last = size - 1;
    let mut total = 0;
    for col in 0..size {
        pacer.tick()?;
        let one = lines.with(size, row, col);
        let half_turned = one.and_then(|lines| lines.with(size, last - row, last - col));
        let whole = match turn {
            Turn::Half => half_turned,
            Turn::Quarter => half_turned
                .and_then(|lines| lines.with(size, col, last - row))
                .and_then(|lines| lines.with(size, last - col, row)),
        };
        if let Some(lines) = whole {
            total += complete(size, turn, lines, pacer)?;
        }
    }
    Ok(total)
}
