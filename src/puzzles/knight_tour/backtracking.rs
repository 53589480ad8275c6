//! Plain depth-first search, as every textbook has it: try the moves in order, take the last one back when
//! there is no way on. It is here to be watched and compared with; it takes seconds on 8×8 and for ever on
//! larger boards. For an answer use [`Method::Auto`](super::Method::Auto).

use crate::board::Square;
use crate::puzzles::{Budget, Impossible, Interrupted, Outcome, Proof};

use super::{Finder, Problem, Stuck, Tour};

/// The moves (rows, columns) in the order in which they are tried.
const MOVES: [(i32, i32); 8] = [(2, -1), (2, 1), (1, -2), (1, 2), (-2, -1), (-2, 1), (-1, -2), (-1, 2)];

/// Squares around the board that can't be entered, so that no move needs a bounds check.
const MARGIN: usize = 2;

/// Tries every path from the problem's start; without one, from each square in turn until there is a tour.
/// Exponential in the number of squares.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn search(problem: &Problem, budget: &Budget) -> Result<Outcome<Tour, Stuck>, Interrupted> {
    let size = problem.size();
    let mut backtracks = 0;
    let mut starts: Vec<Square> = match problem.start() {
        Some(start) => vec![start],
        // A closed tour passes every square: what isn't found from the first isn't there.
        None if problem.closed() => vec![Square::new(0, 0)],
        None => size.iter().collect(),
    };
    starts.reverse();
    while let Some(start) = starts.pop() {
        if let Some(path) = search_from(problem, start, &mut backtracks, budget)? {
            return Ok(Outcome::Solved(Tour { size, path, finder: Finder::Backtracking, backtracks }));
        }
    }
    Ok(Outcome::Impossible(Impossible::new(Proof::Search, "Every path was tried, and none is such a tour.")))
}

/// The first tour from `start` in the order of the moves. Counts squares taken back in `backtracks`.
fn search_from(
    problem: &Problem,
    start: Square,
    backtracks: &mut u64,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Interrupted> {
    let size = problem.size();
    let stride = size.cols() + 2 * MARGIN;
    let steps = MOVES.map(|(rows, cols)| rows as isize * stride as isize + cols as isize);
    let inside = |square: Square| (square.row as usize + MARGIN) * stride + square.col as usize + MARGIN;
    let mut open = vec![false; stride * (size.rows() + 2 * MARGIN)];
    for square in size.iter() {
        open[inside(square)] = true;
    }

    let first = inside(start);
    let closes = |at: usize| steps.iter().any(|&step| at.wrapping_add_signed(step) == first);
    let mut path = Vec::with_capacity(size.squares());
    // For each square of the path, the move to try next from it.
    let mut untried = Vec::with_capacity(size.squares());
    path.push(first);
    untried.push(0);
    open[first] = false;
    let mut pacer = budget.pacer(1 << 16);
    while let (Some(&at), Some(next)) = (path.last(), untried.last_mut()) {
        pacer.tick()?;
        if path.len() == size.squares() && (!problem.closed() || closes(at)) {
            let index = |at: usize| (at / stride - MARGIN) * size.cols() + at % stride - MARGIN;
            return Ok(Some(path.into_iter().map(|at| index(at) as u32).collect()));
        }
        let onward = (*next..8).find(|&order| open[at.wrapping_add_signed(steps[order])]);
        if let Some(order) = onward {
            *next = order + 1;
            let to = at.wrapping_add_signed(steps[order]);
            open[to] = false;
            path.push(to);
            untried.push(0);
        } else {
            open[at] = true;
            path.pop();
            untried.pop();
            *backtracks += 1;
        }
    }
    Ok(None)
}
