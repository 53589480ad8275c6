//! Counts queens that attack along rows and columns and must not touch, by a table over sets of columns.
//!
//! From one open row to the next it matters only which columns are taken and where the last queen stands. A
//! table with the number of completions for each such pair has `2^k k` entries for `k` open rows, and each entry
//! takes a few additions: where nothing stands yet, the sum over all next columns less the two that touch. The
//! table also leads to any solution by its number in order. On the plain board these are the permutations
//! without neighbours that differ by one (Kaplansky 1944; OEIS A002464).

use super::bits;
use crate::board::Square;
use crate::puzzles::queens::{Attack, Problem};
use crate::puzzles::{Budget, Interrupted};

/// The most open rows: 18! is below 2^53, and the table takes 38 MB.
pub const MAX_OPEN_ROWS: usize = 18;

/// How many sets of columns are worked on between two looks at the budget.
const SETS_PER_CHECK: u32 = 1 << 12;

/// For each set of columns taken in the upper open rows, and each place of the last queen, the completions.
#[derive(Debug)]
pub struct Table {
    /// The column of each given queen, by row; [`None`] in an open row.
    given: Vec<Option<u32>>,
    /// The columns that are free, in order. Sets have a bit for each of them.
    columns: Vec<u32>,
    rows: Vec<Row>,
    /// The completions below a set whose last queen stands in a column of it, by set and then by column.
    below: Vec<u64>,
    total: u64,
}

/// An open row.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The free columns that it allows: not blocked, and not touching a given queen.
    allowed: u32,
    /// Whether the row above it is open too, so that the two queens must not touch.
    follows: bool,
}

impl Table {
    /// The table of `problem`, which is one of queens that must not touch, without regions, and with at most
    /// [`MAX_OPEN_ROWS`] rows without a given queen; those given don't attack each other. Takes time and memory
    /// in `2^k k` for `k` open rows: some 40 MB and 0.1 s for 18.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    pub fn new(problem: &Problem, budget: &Budget) -> Result<Self, Interrupted> {
        debug_assert!(problem.attack() == Attack::Touch && problem.regions().is_none(), "only they touch");
        let mut given = vec![None; problem.size() as usize];
        let mut taken = given.clone();
        for queen in problem.queens() {
            given[queen.row as usize] = Some(queen.col);
            taken[queen.col as usize] = Some(queen.row);
        }
        let columns: Vec<u32> =
            (0..).zip(&taken).filter(|(_, row)| row.is_none()).map(|(col, _)| col).collect();
        let neighbour = |row: u32, by: i32| {
            row.checked_add_signed(by).and_then(|row| given.get(row as usize)).copied().flatten()
        };
        let open_rows = (0..).zip(&given).filter(|(_, col)| col.is_none()).map(|(row, _)| row);
        let rows: Vec<Row> = open_rows
            .map(|row: u32| {
                let touched = [neighbour(row, -1), neighbour(row, 1)];
                let allowed = columns.iter().enumerate().filter(|&(_, &col)| {
                    problem.blocked().binary_search(&Square::new(row, col)).is_err()
                        && touched.iter().flatten().all(|other| col.abs_diff(*other) > 1)
                });
                Row {
                    allowed: allowed.fold(0, |mask, (bit, _)| mask | 1 << bit),
                    follows: row > 0 && neighbour(row, -1).is_none(),
                }
            })
            .collect();

        let open = rows.len();
        let mut table = Self { given, columns, rows, below: vec![0; open << open], total: 1 };
        let mut pacer = budget.pacer(SETS_PER_CHECK);
        for set in (0..1u32 << open).rev() {
            pacer.tick()?;
            let Some(row) = table.rows.get(set.count_ones() as usize) else {
                table.below.iter_mut().rev().take(open).for_each(|ways| *ways = 1);
                continue;
            };
            let next = row.allowed & !set;
            let all = table.after(set, next);
            if set == 0 {
                table.total = all;
            }
            for last in bits(set) {
                let touched = if row.follows { next & table.touching(last) } else { 0 };
                let ways = all - table.after(set, touched);
                table.below[set as usize * open + last as usize] = ways;
            }
        }
        Ok(table)
    }

    /// The number of solutions.
    #[must_use]
    pub const fn solutions(&self) -> u64 {
        self.total
    }

    /// The solution with this number in lexicographic order, from 0: the column of the queen in each row; `None`
    /// when there are not so many.
    #[must_use]
    pub fn nth(&self, number: u64) -> Option<Vec<u32>> {
        if number >= self.total {
            return None;
        }
        let mut left = number;
        let (mut set, mut last) = (0, None);
        let mut open = self.rows.iter();
        let columns = self.given.iter().map(|given| {
            given.or_else(|| {
                let row = open.next()?;
                let touched = if row.follows { last.map_or(0, |last| self.touching(last)) } else { 0 };
                let column = bits(row.allowed & !set & !touched).find(|&bit| {
                    let ways = self.after(set, 1 << bit);
                    let is_here = left < ways;
                    left -= if is_here { 0 } else { ways };
                    is_here
                })?;
                set |= 1 << column;
                last = Some(column);
                self.columns.get(column as usize).copied()
            })
        });
        columns.collect()
    }

    /// The completions that have their next queen in one of these free columns.
    fn after(&self, set: u32, next: u32) -> u64 {
        let ways = |col: u32| self.below[(set | 1 << col) as usize * self.rows.len() + col as usize];
        bits(next).map(ways).sum()
    }

    /// The free columns that touch this one, as a set.
    fn touching(&self, column: u32) -> u32 {
        let at = |bit: u32| self.columns.get(bit as usize).copied();
        let neighbours = [column.wrapping_sub(1), column + 1].into_iter();
        let touching = neighbours
            .filter(|&bit| at(bit).zip(at(column)).is_some_and(|(one, other)| one.abs_diff(other) == 1));
        touching.fold(0, |mask, bit| mask | 1 << bit)
    }
}
