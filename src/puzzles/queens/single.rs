//! One solution, or the proof that there is none: the first in order where that is quick to find, any other where
//! it isn't.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::constraint::{self, Order, Solutions};
use super::search::Search;
use super::{Attack, Distinct, Method, Problem, construct, count, impossible, is_chess, listing, restarts};
use crate::puzzles::{Budget, Interrupted, Outcome};

/// The widest board whose lexicographically first solution is found in milliseconds: on the plain one it takes
/// three million steps at worst up to here, and 56 million on the next.
const QUICK_SIZE: u32 = 29;

/// The same for the plain board where queens must not touch.
const QUICK_TOUCH_SIZE: u32 = 256;

/// The widest board with given queens or blocked squares on which trying columns in order takes less than the tables
/// of the search for constrained boards: microseconds, as long as there is a solution.
const NARROW_SIZE: u32 = 12;

/// One solution of `problem`, which isn't impossible [at once](impossible::at_once), and how it was found: the first
/// in order up to 29 columns, or up to 256 where all is plain but that queens must not touch. When only one of each
/// class is asked for, the first of its class. Takes milliseconds as long as the board is plain, and then time linear
/// in the size; exponential time at worst with constraints.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn any(problem: &Problem, budget: &Budget) -> Result<Outcome<(Method, Vec<u32>)>, Interrupted> {
    let size = problem.size();
    let is_touch = problem.is_plain() && problem.attack() == Attack::Touch;
    let is_wide = size > if is_touch { QUICK_TOUCH_SIZE } else { QUICK_SIZE };
    let constructed = match problem.attack() {
        _ if !(problem.is_plain() && is_wide) => None,
        Attack::Queen | Attack::Touch => construct::construct(size),
        Attack::Torus => construct::construct_torus(size),
    };
    if let Some(columns) = constructed {
        return Ok(Outcome::Solved((Method::Construction, representative(problem, columns))));
    }
    let in_order = if is_chess(problem) { Some(Search::plain(size)) } else { narrow(problem) };
    if let Some(mut search) = in_order
        && let Some(columns) = search.next_owned(budget)?
    {
        return Ok(Outcome::Solved((Method::Search, representative(problem, columns))));
    }
    let found = if is_wide {
        restarts::find(problem, &mut ChaCha8Rng::seed_from_u64(0), budget)?
    } else {
        search(problem, Order::Lexicographic, budget)?
    };
    Ok(match found {
        Outcome::Solved((method, columns)) => Outcome::Solved((method, representative(problem, columns))),
        Outcome::Impossible(why) => Outcome::Impossible(why),
    })
}

/// A search in order on a narrow board without regions where queens attack as in chess; `None` on others, and where the
/// given queens leave a row without a square.
fn narrow(problem: &Problem) -> Option<Search> {
    let is_one =
        problem.size() <= NARROW_SIZE && problem.attack() == Attack::Queen && problem.regions().is_none();
    let strip = is_one.then(|| count::strip(problem)).flatten()?;
    let mut allowed = vec![0; problem.size() as usize];
    for (row, columns) in strip.open_rows() {
        allowed[row as usize] = u64::from(columns);
    }
    for queen in problem.queens() {
        allowed[queen.row as usize] = 1 << queen.col;
    }
    Some(Search::new(allowed))
}

/// The first solution that the search for constrained boards comes to in this order, or why there is none. The
/// problem isn't impossible [at once](impossible::at_once) and has at most
/// [`Problem::MAX_CONSTRAINED_SIZE`] columns.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn search(
    problem: &Problem,
    order: Order,
    budget: &Budget,
) -> Result<Outcome<(Method, Vec<u32>)>, Interrupted> {
    let mut search = constraint::search(problem, order);
    Ok(match search.next_owned(budget)? {
        Some(columns) => Outcome::Solved((Method::ConstraintSearch, columns)),
        None => Outcome::Impossible(impossible::by(search.as_ref(), problem)),
    })
}

/// What stands for this solution in an answer: itself, or the first of its class.
fn representative(problem: &Problem, columns: Vec<u32>) -> Vec<u32> {
    match problem.distinct() {
        Distinct::All => columns,
        Distinct::Fundamental => listing::least_image(problem, &columns),
    }
}
