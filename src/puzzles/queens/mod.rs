//! The n queens: `n` queens on an `n × n` board, none of which attacks another.
//!
//! A solution has one queen in each row, so it is told as the column of the queen in each row, from the top.
//! [`solve`] answers a [`Problem`]. What it does depends on what is asked:
//!
//! - solutions in lexicographic order come from a depth-first [`search`];
//! - one solution on a board too wide for that is written down by an explicit [construction](construct);
//! - solutions are [counted](count) without being listed, by a faster search.
//!
//! [`verify`] checks an answer by the rules alone.

pub mod construct;
pub mod count;
mod problem;
pub mod search;
pub mod verify;

pub use problem::{Problem, Spec};

use self::search::Search;
use super::{Budget, Impossible, Interrupted, Outcome, Proof};

/// The widest board whose lexicographically first solution is found in milliseconds: it takes three million steps
/// at worst up to here, and 56 million on the next.
const QUICK_SIZE: u32 = 29;

/// What was found on a board that has solutions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The solution that a picture of the board shows: the first of `solutions`, or, when none was to be listed,
    /// any one. The column of the queen in each row.
    pub board: Vec<u32>,
    /// The solutions asked for, in lexicographic order, each the column of the queen in each row.
    pub solutions: Vec<Vec<u32>>,
    /// The number of all solutions, when asked for.
    pub solution_count: Option<u64>,
    /// The number of solutions that are different under the eight symmetries of the board, when asked for.
    pub fundamental_count: Option<u64>,
    /// Whether there is only one solution, when asked for.
    pub unique: Option<bool>,
    /// Whether each solution was equally likely to be drawn, when a random one was asked for.
    pub uniform: Option<bool>,
    /// How the solutions were found.
    pub method: Method,
}

/// How solutions were found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// Depth-first search in lexicographic order.
    Search,
    /// The explicit construction.
    Construction,
}

impl Method {
    /// The word that stands for the method in an answer; it never changes.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Construction => "construction",
        }
    }
}

/// Solves `problem`. A single solution takes up to 20 ms as far as 29 columns and then time linear in the size;
/// a list of several, and a count, take time exponential in the size.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn solve(problem: &Problem, budget: &Budget) -> Result<Outcome<Answer>, Interrupted> {
    let size = problem.size();
    let (method, mut solutions) = if size > QUICK_SIZE && problem.limit() <= 1 {
        (Method::Construction, construct::construct(size).into_iter().collect())
    } else {
        (Method::Search, first_solutions(problem, budget)?)
    };
    let Some(board) = solutions.first().cloned() else { return Ok(Outcome::Impossible(too_small())) };
    solutions.truncate(problem.limit());

    let (mut solution_count, mut fundamental_count) = (None, None);
    if problem.count() {
        let total = count::solutions(size, budget)?;
        solution_count = Some(total);
        fundamental_count = Some(count::symmetry::fundamental(size, total, budget)?);
    }
    Ok(Outcome::Solved(Answer {
        board,
        solutions,
        solution_count,
        fundamental_count,
        unique: None,
        uniform: None,
        method,
    }))
}

/// As many solutions, in order, as there are and as the problem lists; but at least one, to show it.
fn first_solutions(problem: &Problem, budget: &Budget) -> Result<Vec<Vec<u32>>, Interrupted> {
    let mut search = Search::plain(problem.size());
    let mut solutions = Vec::new();
    while solutions.len() < problem.limit().max(1) {
        let Some(columns) = search.next(budget)? else { break };
        solutions.push(columns.to_vec());
    }
    Ok(solutions)
}

/// Why the boards of two and three columns have no solution.
fn too_small() -> Impossible {
    let reason = "A board of n columns takes n queens that don't attack each other for every n but 2 and 3 \
                  (Pauls 1874).";
    Impossible::new(Proof::Theorem, reason)
}
