//! Solutions in lexicographic order, by depth-first search from the top row with one bit a column.

use super::constraint::Solutions;
use crate::puzzles::{Budget, Interrupted};

/// How many steps of the search pass between two looks at the budget; one takes a few nanoseconds.
const STEPS_PER_CHECK: u32 = 1 << 16;

/// A depth-first search that gives one solution after the other in lexicographic order of the columns, row by
/// row. It holds one frame a row, however many solutions there are.
#[derive(Debug)]
pub struct Search {
    /// The columns that a row may use.
    allowed: Vec<u64>,
    /// What is left to try in each row; of no meaning below the open one.
    frames: Vec<Frame>,
    /// The row whose turn it is.
    open: usize,
    /// How many steps are left until the next look at the budget.
    steps: u32,
    /// The queen's column in each row of the last solution.
    columns: Vec<u32>,
}

/// A row whose turn it is: which columns it has still to try, and which lines the queens above it occupy.
#[derive(Clone, Copy, Default, Debug)]
struct Frame {
    untried: u64,
    columns: u64,
    /// Diagonals that fall to the left, as the columns where they cross this row.
    falling_left: u64,
    /// Diagonals that fall to the right.
    falling_right: u64,
}

impl Search {
    /// A search on a square board that has as many columns as `allowed` has rows; bit `c` of `allowed[r]` says
    /// whether a queen may stand in row `r`, column `c`. At most 64 rows.
    #[must_use]
    pub fn new(allowed: Vec<u64>) -> Self {
        debug_assert!((1..=64).contains(&allowed.len()), "one bit a column");
        let mut frames = vec![Frame::default(); allowed.len()];
        frames[0].untried = allowed[0];
        let columns = vec![0; allowed.len()];
        Self { allowed, frames, open: 0, steps: 1, columns }
    }

    /// A search on a board of `size` columns, 1 to 64, where all squares may be used.
    #[must_use]
    pub fn plain(size: u32) -> Self {
        Self::new(vec![u64::MAX >> (64 - size); size as usize])
    }

    /// A search on a board of at most 64 columns where all squares may be used, that begins with this solution.
    #[must_use]
    pub fn plain_from(solution: &[u32]) -> Self {
        let mut search = Self::plain(solution.len() as u32);
        for (row, &col) in solution.iter().enumerate() {
            let frame = &mut search.frames[row];
            frame.untried &= u64::MAX << col;
            if row + 1 < solution.len() {
                frame.untried ^= 1 << col;
                search.columns[row] = col;
                search.frames[row + 1] = frame.child(1 << col, search.allowed[row + 1]);
                search.open = row + 1;
            }
        }
        search
    }

    /// The last solution given.
    #[must_use]
    pub fn last(&self) -> &[u32] {
        &self.columns
    }
}

impl Frame {
    /// The next row, which allows these columns, below a queen in this one.
    const fn child(&self, queen: u64, allowed: u64) -> Self {
        let columns = self.columns | queen;
        let falling_left = (self.falling_left | queen) >> 1;
        let falling_right = (self.falling_right | queen) << 1;
        let untried = allowed & !(columns | falling_left | falling_right);
        Self { untried, columns, falling_left, falling_right }
    }
}

impl Solutions for Search {
    fn next(&mut self, budget: &Budget) -> Result<Option<&[u32]>, Interrupted> {
        let mut row = self.open;
        // The open frame, away from the others so that it can stay in registers.
        let mut frame = self.frames[row];
        loop {
            // Not a pacer, which would begin anew with each of millions of solutions.
            self.steps -= 1;
            if self.steps == 0 {
                self.steps = STEPS_PER_CHECK;
                budget.check()?;
            }
            if frame.untried == 0 {
                let Some(above) = row.checked_sub(1) else { break };
                row = above;
                frame = self.frames[row];
                continue;
            }
            let queen = frame.untried & frame.untried.wrapping_neg();
            frame.untried ^= queen;
            self.columns[row] = queen.trailing_zeros();
            let Some(allowed) = self.allowed.get(row + 1) else {
                (self.open, self.frames[row]) = (row, frame);
                return Ok(Some(&self.columns));
            };
            let child = frame.child(queen, *allowed);
            if child.untried != 0 {
                self.frames[row] = frame;
                row += 1;
                frame = child;
            }
        }
        (self.open, self.frames[0]) = (0, frame);
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_from_a_solution_goes_on_with_it() {
        let budget = Budget::unlimited();
        let mut all = Search::plain(8);
        let mut number = 0;
        while let Some(columns) = all.next(&budget).unwrap().map(<[u32]>::to_vec) {
            let mut from = Search::plain_from(&columns);
            assert_eq!(from.next(&budget).unwrap(), Some(&columns[..]));
            number += 1;
            if number == 90 {
                assert!(from.next(&budget).unwrap().is_some());
                assert!(from.next(&budget).unwrap().is_some());
                assert_eq!(from.next(&budget), Ok(None));
            }
        }
        assert_eq!(number, 92);
    }

    #[test]
    fn solutions_come_in_order_and_end() {
        let mut search = Search::plain(6);
        let budget = Budget::unlimited();
        let mut found = Vec::new();
        while let Some(columns) = search.next(&budget).unwrap() {
            found.push(columns.to_vec());
        }
        assert_eq!(found, [[1, 3, 5, 0, 2, 4], [2, 5, 1, 4, 0, 3], [3, 0, 4, 1, 5, 2], [4, 2, 0, 5, 3, 1]]);
        assert_eq!(search.next(&budget), Ok(None));
    }
}
