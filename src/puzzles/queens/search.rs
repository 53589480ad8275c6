//! Solutions in lexicographic order, by depth-first search from the top row with one bit a column.

use crate::puzzles::{Budget, Interrupted};

/// How many steps of the search pass between two looks at the budget; one takes a few nanoseconds.
const STEPS_PER_CHECK: u32 = 1 << 16;

/// A depth-first search that gives one solution after the other in lexicographic order of the columns, row by
/// row. It holds one frame a row, however many solutions there are.
#[derive(Debug)]
pub struct Search {
    /// The columns that a row may use.
    allowed: Vec<u64>,
    /// What is left to try in each row down to the deepest that is open.
    frames: Vec<Frame>,
    /// The queen's column in each row of the last solution.
    columns: Vec<u32>,
}

/// A row whose turn it is: which columns it has still to try, and which lines the queens above it occupy.
#[derive(Clone, Copy, Debug)]
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
        let top = Frame { untried: allowed[0], columns: 0, falling_left: 0, falling_right: 0 };
        let columns = vec![0; allowed.len()];
        Self { frames: vec![top], allowed, columns }
    }

    /// A search on a board of `size` columns, 1 to 64, where all squares may be used.
    #[must_use]
    pub fn plain(size: u32) -> Self {
        Self::new(vec![u64::MAX >> (64 - size); size as usize])
    }

    /// The next solution: the column of the queen in each row; `None` when there is no further one. The time
    /// from one to the next is exponential in the size at worst.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first; the search can then be taken up again.
    pub fn next(&mut self, budget: &Budget) -> Result<Option<&[u32]>, Interrupted> {
        let mut pacer = budget.pacer(STEPS_PER_CHECK);
        while let Some(row) = self.frames.len().checked_sub(1) {
            pacer.tick()?;
            let frame = &mut self.frames[row];
            if frame.untried == 0 {
                self.frames.pop();
                continue;
            }
            let queen = frame.untried & frame.untried.wrapping_neg();
            frame.untried ^= queen;
            self.columns[row] = queen.trailing_zeros();
            let Some(allowed) = self.allowed.get(row + 1) else { return Ok(Some(&self.columns)) };
            let columns = frame.columns | queen;
            let falling_left = (frame.falling_left | queen) >> 1;
            let falling_right = (frame.falling_right | queen) << 1;
            let untried = allowed & !(columns | falling_left | falling_right);
            self.frames.push(Frame { untried, columns, falling_left, falling_right });
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
