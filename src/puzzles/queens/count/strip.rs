//! What is left of a board when some of its queens stand: the open rows, and the columns that each allows.

use super::{batch, bits, scalar};
use crate::board::Square;
use crate::puzzles::{Budget, Interrupted};

/// The open rows of a board on which some queens stand, and for each row the columns where a queen is still
/// allowed: not blocked, and not attacked by a queen that stands. Queens that come later attack along columns
/// and diagonals. At most 32 columns.
///
/// All counting comes down to these: placing a queen gives a strip with one row and one column less.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strip {
    /// The numbers of the open rows, from the top.
    rows: Vec<u32>,
    /// For each open row, one bit for each column that is allowed.
    allowed: Vec<u32>,
}

impl Strip {
    /// A board with a row for each of these masks, where bit `c` of `allowed[r]` says whether a queen may stand
    /// in row `r`, column `c`. As many rows as columns, at most 32.
    #[must_use]
    pub fn new(allowed: Vec<u32>) -> Self {
        debug_assert!(allowed.len() <= 32, "one bit a column");
        Self { rows: (0..allowed.len() as u32).collect(), allowed }
    }

    /// The open rows, each with its number and the columns that it allows.
    pub fn open_rows(&self) -> impl Iterator<Item = (u32, u32)> {
        self.rows.iter().copied().zip(self.allowed.iter().copied())
    }

    /// How many rows are open.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether a queen stands in each row.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The strip with a further queen; `None` where it isn't allowed, or leaves an open row without a column.
    #[must_use]
    pub fn with(&self, queen: Square) -> Option<Self> {
        let place = self.rows.binary_search(&queen.row).ok()?;
        let column = 1u64 << queen.col;
        if u64::from(self.allowed[place]) & column == 0 {
            return None;
        }
        let mut strip = self.clone();
        strip.rows.remove(place);
        strip.allowed.remove(place);
        for (row, allowed) in strip.rows.iter().zip(&mut strip.allowed) {
            let distance = row.abs_diff(queen.row);
            *allowed &= !((column | column << distance | column >> distance) as u32);
            if *allowed == 0 {
                return None;
            }
        }
        Some(strip)
    }

    /// The strips that come of a queen in each allowed square of the top open row, or the strip itself when no
    /// row is open.
    #[must_use]
    pub fn by_top_row(&self) -> Vec<Self> {
        let Some((row, allowed)) = self.open_rows().next() else { return vec![self.clone()] };
        bits(allowed).filter_map(|col| self.with(Square::new(row, col))).collect()
    }

    /// The strips that come of a queen in each allowed square of this column.
    #[must_use]
    pub fn by_column(&self, col: u32) -> Vec<Self> {
        let rows = self.open_rows().filter(|(_, allowed)| allowed >> col & 1 == 1);
        rows.filter_map(|(row, _)| self.with(Square::new(row, col))).collect()
    }

    /// At least so many strips with the same completions between them, as far as there are rows to divide.
    #[must_use]
    pub fn split(self, parts: usize) -> Vec<Self> {
        let mut strips = vec![self];
        while strips.len() < parts && strips.iter().any(|strip| !strip.is_empty()) {
            strips = strips.iter().flat_map(Self::by_top_row).collect();
        }
        strips
    }

    /// The number of ways to put a queen in each open row such that none attacks another. Takes time exponential
    /// in the number of open rows; see [`batch`] for what a step costs.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn completions(&self, counter: &mut Counter, budget: &Budget) -> Result<u64, Interrupted> {
        let open = self.allowed.iter().fold(0, |open, allowed| open | allowed);
        if self.rows.is_empty() {
            return Ok(1);
        }
        if (open.count_ones() as usize) < self.rows.len() {
            return Ok(0);
        }
        let Some(batch) = &mut counter.batch else {
            return scalar::completions(&self.rows, &self.allowed, budget);
        };
        let (first, last) = (open.trailing_zeros(), 31 - open.leading_zeros());
        if last - first < batch::WIDTH {
            let allowed: Vec<u16> = self.allowed.iter().map(|allowed| (allowed >> first) as u16).collect();
            return batch.completions(&self.rows, &allowed, budget);
        }
        // Place the queen of an outer column, and with that get rid of the column.
        let squares = |col: u32| self.allowed.iter().filter(|&allowed| allowed >> col & 1 == 1).count();
        let outer = if squares(first) < squares(last) { first } else { last };
        let mut total = 0;
        for strip in self.by_column(outer) {
            total += strip.completions(counter, budget)?;
        }
        Ok(total)
    }
}

/// What counts the completions of strips: the best that the processor can do, and its working memory of some
/// 140 kB. One for each thread; use it again, it isn't free to make.
#[derive(Debug)]
pub struct Counter {
    batch: Option<batch::Batch>,
}

impl Counter {
    /// The fastest on this processor.
    #[must_use]
    pub fn new() -> Self {
        Self { batch: batch::Batch::new() }
    }

    /// The one that runs on any processor.
    #[must_use]
    pub const fn portable() -> Self {
        Self { batch: None }
    }
}

impl Default for Counter {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn wide_boards_are_narrowed_without_losing_a_solution(
            size in 17u32..=24,
            blocked in proptest::collection::vec(any::<u32>(), 24),
            given in proptest::collection::vec(any::<u32>(), 12..=16),
        ) {
            let board = u32::MAX >> (32 - size);
            let allowed = blocked.iter().take(size as usize).map(|mask| board & (mask | mask.rotate_left(7)));
            let mut strip = Strip::new(allowed.collect());
            // Queens in the top rows, so that there is little left to count.
            for choice in given {
                let mut strips = strip.by_top_row();
                if strips.is_empty() {
                    break;
                }
                strip = strips.swap_remove(choice as usize % strips.len());
            }
            let budget = Budget::unlimited();
            let expected = strip.completions(&mut Counter::portable(), &budget);
            prop_assert_eq!(strip.completions(&mut Counter::new(), &budget), expected);
            let mut total = 0;
            for part in strip.split(20) {
                total += part.completions(&mut Counter::new(), &budget).unwrap();
            }
            prop_assert_eq!(Ok(total), expected);
        }
    }
}
