//! How long a problem will take, judged before anything is begun; see the
//! [same](crate::puzzles::tromino::cost::predict) for tilings.

use std::time::Duration;

use super::{Leaper, Method, Options, Problem, counting_memory};

/// The most squares of a board on which a search without a known end is still short.
const SMALL: usize = 30;

/// The time that `problem` will take, roughly: a tour by blocks takes its squares, a count the memory that its states
/// fill; a search whose end nobody knows beforehand is taken for a long one.
#[must_use]
pub fn predict(problem: &Problem, options: &Options) -> Duration {
    let squares = problem.size().squares();
    let mut seconds = 30e-9 * squares as f64;
    let inner_clues = problem.clues().iter().any(|clue| clue.number > 1 && (clue.number as usize) < squares);
    let is_plain = problem.leaper() == Leaper::KNIGHT && problem.blocked().is_empty() && !inner_clues;
    let is_search = match problem.method() {
        Method::Auto => !is_plain || options.unique,
        Method::Warnsdorff => false,
        Method::Backtracking => true,
    };
    if is_search {
        seconds += if squares <= SMALL { 1e-3 } else { 1.0 };
    }
    if options.count {
        seconds += 1.2e-9 * counting_memory(problem) as f64;
    }
    Duration::from_secs_f64(seconds.min(1e6))
}
