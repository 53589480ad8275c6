//! Plain depth-first search, as every textbook has it: try the moves in order, take the last one back when
//! there is no way on. It is here to be watched and compared with; it takes seconds on 8×8 and for ever on
//! larger boards. For an answer use [`Method::Auto`](super::Method::Auto).

use crate::puzzles::{Budget, Impossible, Interrupted, Proof};

use super::padded::{Numbers, Padded};
use super::{Finder, Problem, Tour};

/// The moves (rows, columns) in the order in which they are tried.
const MOVES: [(i32, i32); 8] = [(2, -1), (2, 1), (1, -2), (1, 2), (-2, -1), (-2, 1), (-1, -2), (-1, 2)];

/// Tries every path from the problem's start; without one, from each square in turn until there is a tour.
/// Exponential in the number of squares.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn search(problem: &Problem, budget: &Budget) -> Result<Result<Tour, Impossible>, Interrupted> {
    let padded = Padded::new(problem, &MOVES);
    let numbers = Numbers::new(problem, &padded);
    let mut open = vec![false; padded.places()];
    let mut pacer = budget.pacer(1 << 16);
    for place in padded.open_places(problem) {
        pacer.tick()?;
        open[place] = true;
    }
    // A closed tour passes every square, so what isn't found from the first isn't there; but with numbers given it
    // matters where it begins.
    let one_start = problem.start().is_some() || (problem.closed() && problem.clues().is_empty());
    let starts = padded
        .open_places(problem)
        .filter(|&place| {
            problem.start().is_none_or(|start| padded.place(start) == place) && numbers.allow(place, 1)
        })
        .take(if one_start { 1 } else { usize::MAX });
    let mut backtracks = 0;
    for start in starts {
        if let Some(path) =
            search_from(problem, &padded, &numbers, &mut open, start, &mut backtracks, budget)?
        {
            let path = path.into_iter().map(|place| padded.index(place)).collect();
            return Ok(Ok(Tour::new(problem.size(), path, Finder::Backtracking, backtracks)));
        }
    }
    Ok(Err(Impossible::new(Proof::Search, "Every path was tried, and none is such a tour.")))
}

/// The first tour from the place `start` in the order of the moves, as places. Counts squares taken back in
/// `backtracks`.
fn search_from(
    problem: &Problem,
    padded: &Padded,
    numbers: &Numbers,
    open: &mut [bool],
    start: usize,
    backtracks: &mut u64,
    budget: &Budget,
) -> Result<Option<Vec<usize>>, Interrupted> {
    let steps = padded.steps.as_slice();
    let count = problem.square_count();
    let closes = |at: usize| steps.iter().any(|&step| at.wrapping_add_signed(step) == start);
    let mut pacer = budget.pacer(1 << 16);
    // For each square that waits further back on the path, the move to try next.
    let mut untried = Vec::with_capacity(count);
    let mut path = Vec::with_capacity(count);
    let (mut at, mut next) = (start, 0);
    open[at] = false;
    loop {
        pacer.tick()?;
        if path.len() + 1 == count && (!problem.closed() || closes(at)) {
            path.push(at);
            return Ok(Some(path));
        }
        let number = path.len() + 2;
        let onward = (next..steps.len()).find(|&order| {
            let to = at.wrapping_add_signed(steps[order]);
            open[to] && numbers.allow(to, number)
        });
        if let Some(order) = onward {
            path.push(at);
            untried.push(order + 1);
            at = at.wrapping_add_signed(steps[order]);
            next = 0;
            open[at] = false;
        } else {
            open[at] = true;
            *backtracks += 1;
            let (Some(back), Some(order)) = (path.pop(), untried.pop()) else { return Ok(None) };
            (at, next) = (back, order);
        }
    }
}
