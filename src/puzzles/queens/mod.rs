//! The n queens: `n` queens on an `n × n` board, none of which attacks another; and the puzzles that came of it,
//! with queens that already stand, squares where none may stand, regions that take one queen each, queens that
//! must only not touch, and a board whose edges meet.
//!
//! A solution has one queen in each row, so it is told as the column of the queen in each row, from the top.
//! [`solve`] answers a [`Problem`]. What it does depends on what is asked:
//!
//! - what shows at once to be [`impossible`] is not searched for;
//! - solutions of the plain board in lexicographic order come from a depth-first [`search`], those of all other
//!   boards from one for [`constraint`]s; an offset [skips](skip) whole sub-trees;
//! - a [`single`] solution on a board too wide for that is written down by an explicit
//!   [construction](construct), or, with constraints, found by [local] and exact searches in [turn](restarts);
//! - solutions are [counted](count) without being listed, by a faster search in parallel, or in [parts](plan()) that
//!   can be counted anywhere;
//! - whether a solution is [unique] is settled by the first other one;
//! - [random] solutions are drawn by number where that can be had.
//!
//! [`verify`] checks an answer by the rules alone.

pub mod constraint;
pub mod construct;
pub mod cost;
pub mod count;
pub mod impossible;
pub mod listing;
pub mod local;
mod problem;
pub mod random;
pub mod restarts;
pub mod search;
pub mod single;
pub mod skip;
pub mod symmetry;
pub mod unique;
mod validate;
pub mod verify;

use std::ops::ControlFlow;

pub use problem::{Attack, Distinct, Problem, Regions, Spec};

use self::constraint::Order;
use self::count::fundamental;
pub use self::count::plan::Plan;
use self::listing::Listing;
use self::random::Sampler;
use super::{Budget, Interrupted, Outcome};

/// What was found on a board that has solutions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The solution that a picture of the board shows: the first of `solutions`, or, when none is listed, any one.
    /// The column of the queen in each row.
    pub board: Vec<u32>,
    /// The solutions asked for, each the column of the queen in each row: in lexicographic order, or as drawn.
    pub solutions: Vec<Vec<u32>>,
    /// The number of all solutions, when asked for, whatever the limit, the offset and the distinction. Below 2^53:
    /// boards that are known to have more are no valid [`Problem`] with a count, and others with more would take
    /// years.
    pub solution_count: Option<u64>,
    /// The number of classes of solutions under the eight symmetries of the board, when a count was asked for and
    /// the board is plain.
    pub fundamental_count: Option<u64>,
    /// Whether there is only one solution, when asked for; or only one class, when only one of each is listed.
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
    /// Search with lines that force their queens.
    ConstraintSearch,
    /// The explicit construction.
    Construction,
    /// Conflict-minimising local search.
    ConflictMinimisation,
    /// Drawn by number, after counting.
    Counting,
    /// Drawn at random until one was a solution.
    Rejection,
}

impl Method {
    /// The word that stands for the method in an answer; it never changes.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::ConstraintSearch => "constraint-search",
            Self::Construction => "construction",
            Self::ConflictMinimisation => "conflict-minimisation",
            Self::Counting => "counting",
            Self::Rejection => "rejection",
        }
    }
}

/// Solves `problem`. A single solution of a plain board takes up to 20 ms as far as 29 columns and then time linear
/// in the size; lists and counts, and boards with constraints, take time exponential in the size at worst. Counts
/// use as many threads as the budget has.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn solve(problem: &Problem, budget: &Budget) -> Result<Outcome<Answer>, Interrupted> {
    answer(problem, budget, || count::solutions(problem, budget, Some(budget.progress())))
}

/// Solves `problem`, of which all solutions have been counted already: `total` of them, by the parts of its
/// [`plan`].
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn solve_counted(problem: &Problem, total: u64, budget: &Budget) -> Result<Outcome<Answer>, Interrupted> {
    answer(problem, budget, || Ok(total))
}

/// The plan by which the solutions of `problem` can be counted in parts; `None` where it asks for no count, or shows at
/// once that there is nothing to count. Takes milliseconds.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn plan(problem: &Problem, budget: &Budget) -> Result<Option<Plan>, Interrupted> {
    if !problem.count() || impossible::at_once(problem).is_some() {
        return Ok(None);
    }
    Plan::new(problem, budget).map(Some)
}

/// Solves `problem`, where a count is asked for with what `count` gives.
fn answer(
    problem: &Problem,
    budget: &Budget,
    count: impl FnOnce() -> Result<u64, Interrupted>,
) -> Result<Outcome<Answer>, Interrupted> {
    let mut solutions = Vec::new();
    let found = match visit(problem, budget, &mut |columns| {
        solutions.push(columns.to_vec());
        ControlFlow::Continue(())
    })? {
        Outcome::Solved(found) => found,
        Outcome::Impossible(why) => return Ok(Outcome::Impossible(why)),
    };
    let board = match solutions.first() {
        Some(first) => first.clone(),
        // A limit or an offset left none.
        None => match single::any(problem, budget)? {
            Outcome::Solved((_, columns)) => columns,
            Outcome::Impossible(why) => return Ok(Outcome::Impossible(why)),
        },
    };

    let (mut solution_count, mut fundamental_count) = (None, None);
    if problem.count() {
        let total = count()?;
        solution_count = Some(total);
        if problem.is_plain() && problem.size() <= fundamental::MAX_SIZE {
            fundamental_count = Some(fundamental::classes(problem.size(), problem.attack(), total, budget)?);
        }
    }
    let counted = match problem.distinct() {
        Distinct::All => solution_count,
        Distinct::Fundamental => fundamental_count,
    };
    let unique = match counted {
        _ if !problem.unique() => None,
        Some(count) => Some(count == 1),
        None => Some(unique::is_only(problem, &board, budget)?),
    };
    Ok(Outcome::Solved(Answer {
        board,
        solutions,
        solution_count,
        fundamental_count,
        unique,
        uniform: found.uniform,
        method: found.method,
    }))
}

/// Where solutions go one by one: the column of the queen in each row. It may break off.
pub type Sink<'a> = &'a mut dyn FnMut(&[u32]) -> ControlFlow<()>;

/// Gives the solutions that `problem` lists to `sink`, one by one as they are found, until there are no more, the
/// limit is reached, or the sink breaks off. Memory doesn't grow with their number. `Solved` says how many there
/// were; that can be none if the offset is too large.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn stream(problem: &Problem, budget: &Budget, sink: Sink<'_>) -> Result<Outcome<u64>, Interrupted> {
    let mut sent = 0;
    let outcome = visit(problem, budget, &mut |columns| {
        sent += 1;
        sink(columns)
    })?;
    Ok(match outcome {
        Outcome::Solved(_) => Outcome::Solved(sent),
        Outcome::Impossible(why) => Outcome::Impossible(why),
    })
}

/// How solutions were found.
#[derive(Clone, Copy, Debug)]
struct Found {
    method: Method,
    uniform: Option<bool>,
}

/// Gives the solutions that `problem` lists to `sink`, until there are no more, the limit is reached, or the sink
/// breaks off. Where it has none to give, it is still sure that there is one, or else `Impossible`.
fn visit(problem: &Problem, budget: &Budget, sink: Sink<'_>) -> Result<Outcome<Found>, Interrupted> {
    if let Some(why) = impossible::at_once(problem) {
        return Ok(Outcome::Impossible(why));
    }
    if let Some(seed) = problem.seed() {
        return sample(problem, seed, budget, sink);
    }
    if problem.limit() <= 1 && problem.offset() == 0 {
        return Ok(match single::any(problem, budget)? {
            Outcome::Solved((method, columns)) => {
                if problem.limit() == 1 {
                    // It is the last one anyway.
                    let _ = sink(&columns);
                }
                Outcome::Solved(Found { method, uniform: None })
            }
            Outcome::Impossible(why) => Outcome::Impossible(why),
        });
    }

    let method = if is_chess(problem) { Method::Search } else { Method::ConstraintSearch };
    if !is_chess(problem)
        && let Outcome::Impossible(why) = single::search(problem, Order::FewestFirst, budget)?
    {
        return Ok(Outcome::Impossible(why));
    }
    let listing = Listing::new(problem, budget)?;
    let mut left = problem.limit();
    if left > 0 {
        listing.each(budget, &mut |columns| {
            left -= 1;
            sink(columns)?;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    }
    Ok(Outcome::Solved(Found { method, uniform: None }))
}

/// Draws as many random solutions as the problem lists.
fn sample(
    problem: &Problem,
    seed: u64,
    budget: &Budget,
    sink: Sink<'_>,
) -> Result<Outcome<Found>, Interrupted> {
    let mut sampler = Sampler::new(problem, seed, budget)?;
    let uniform = Some(sampler.is_uniform());
    let mut drawn = 0;
    loop {
        let Some((method, columns)) = sampler.draw(budget)? else {
            return Ok(Outcome::Impossible(impossible::by_search(problem)));
        };
        drawn += 1;
        // Without a limit to fill, one draw shows that there is a solution.
        if problem.limit() == 0 || sink(&columns).is_break() || drawn >= problem.limit() {
            return Ok(Outcome::Solved(Found { method, uniform }));
        }
    }
}

/// Whether all squares are alike and queens attack as in chess.
fn is_chess(problem: &Problem) -> bool {
    problem.is_plain() && problem.attack() == Attack::Queen
}
