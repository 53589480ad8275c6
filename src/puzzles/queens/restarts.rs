//! Some solution of a wide board, by searches that begin anew.
//!
//! On boards with constraints both kinds of search have heavy tails: most runs end at once, some get lost for ever,
//! and which do is a matter of chance. So conflict minimisation and exact search take turns, each run with other
//! random choices, and each exact run with twice as many steps as the one before (Gomes, Selman and Kautz 1998).
//! As an exact run that comes to its end is a proof, this finds a solution if there is one, or shows that there is
//! none; only on boards that are too wide for an exact search it may go on for ever.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::constraint::{self, Order};
use super::{Attack, Method, Problem, impossible, local};
use crate::puzzles::{Budget, Interrupted, Outcome};

/// A solution of `problem`, which isn't impossible [at once](impossible::at_once), and how it was found. Takes time
/// linear in the size where constraints are few and queens attack as in chess, quadratic if not, and exponential at
/// worst.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn find(
    problem: &Problem,
    rng: &mut ChaCha8Rng,
    budget: &Budget,
) -> Result<Outcome<(Method, Vec<u32>)>, Interrupted> {
    let has_local_search = problem.attack() == Attack::Queen && problem.regions().is_none();
    let has_exact_search = problem.size() <= Problem::MAX_CONSTRAINED_SIZE;
    // Where many squares are blocked, local search takes long to see that it is lost.
    let squares = u64::from(problem.size()).pow(2);
    let mut is_local_turn = !has_exact_search || (problem.blocked().len() as u64) < squares / 10;
    let mut steps = 4 * u64::from(problem.size());
    loop {
        if has_local_search
            && std::mem::replace(&mut is_local_turn, true)
            && let Some(columns) = local::place(problem, rng, budget)?
        {
            return Ok(Outcome::Solved((Method::ConflictMinimisation, columns)));
        }
        if has_exact_search {
            let mut search = constraint::search(problem, Order::Shuffled(rng.random()));
            search.limit_steps(steps);
            if let Some(columns) = search.next_owned(budget)? {
                return Ok(Outcome::Solved((Method::ConstraintSearch, columns)));
            }
            if !search.ran_out() {
                return Ok(Outcome::Impossible(impossible::by(search.as_ref(), problem)));
            }
            steps = steps.saturating_mul(2);
        }
    }
}
