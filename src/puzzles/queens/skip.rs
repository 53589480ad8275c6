//! Goes to a solution by its number in order, past whole sub-trees of the search that are counted, not listed.
//!
//! To count a sub-tree is faster than to list its solutions, but wasted if the solution turns out to lie within
//! it. So the walk starts small: it goes down to rows that are counted in no time, and takes a sibling in one go
//! only if the largest so far in its place was at most half of what is still to be skipped.

use super::count::{self, touch};
use super::{Attack, Problem};
use crate::board::Square;
use crate::puzzles::{Budget, Interrupted};

/// The most open rows whose completions are counted before anything is known of them: some microseconds.
const SMALL: usize = 9;

/// The solution of `problem` with this number in lexicographic order, counted from 0: the column of the queen in
/// each row; `None` when there are not so many. How many there are in all may be known. Takes the time of counting
/// those before it, about.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn nth(
    problem: &Problem,
    number: u64,
    total: Option<u64>,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Interrupted> {
    let open = problem.size() as usize - problem.queens().len();
    if problem.attack() == Attack::Touch && problem.regions().is_none() && open <= touch::MAX_OPEN_ROWS {
        return Ok(touch::Table::new(problem, budget)?.nth(number));
    }
    let mut left = number;
    match walk(problem, total, &mut left, budget)? {
        Walk::Found(columns) => Ok(Some(columns)),
        Walk::Passed(_) => Ok(None),
    }
}

/// Where a walk through a sub-tree led.
enum Walk {
    /// To the solution.
    Found(Vec<u32>),
    /// Past all of so many solutions.
    Passed(u64),
}

/// Walks through the solutions of `problem`, of which there are `total` if that is known, until `left` of them are
/// skipped.
fn walk(problem: &Problem, total: Option<u64>, left: &mut u64, budget: &Budget) -> Result<Walk, Interrupted> {
    let size = problem.size();
    let queens = problem.queens();
    // The given queens are sorted by row, so the first that isn't in its place shows an open row.
    let Some(row) = (0..size).find(|&row| queens.get(row as usize).is_none_or(|queen| queen.row != row))
    else {
        if *left == 0 {
            return Ok(Walk::Found(queens.iter().map(|queen| queen.col).collect()));
        }
        *left -= 1;
        return Ok(Walk::Passed(1));
    };
    let open = size as usize - queens.len() - 1;
    let mut passed = 0;
    let mut largest = None;
    // Of the children so far; on a plain board, those on the right have as many solutions as those on the left.
    let mut counts = Vec::new();
    for col in 0..size {
        budget.check()?;
        let Some(child) = problem.with_queens(&[Square::new(row, col)]) else { continue };
        // Where the total is known it is known too that the solution lies here, and each child is worth counting.
        let is_likely_skipped = largest.is_some_and(|largest| largest <= *left / 2);
        let mut known = None;
        if open > 0 && (open <= SMALL || total.is_some() || is_likely_skipped) {
            let mirrored = counts.get((size - 1 - col) as usize).filter(|_| problem.is_plain());
            known = match mirrored {
                Some(&count) => Some(count),
                None => Some(count::solutions(&child, budget, None)?),
            };
        }
        let count = match known {
            Some(count) if count <= *left => {
                *left -= count;
                count
            }
            _ => match walk(&child, known, left, budget)? {
                Walk::Found(columns) => return Ok(Walk::Found(columns)),
                Walk::Passed(count) => count,
            },
        };
        counts.push(count);
        passed += count;
        largest = largest.max(Some(count));
    }
    Ok(Walk::Passed(passed))
}
