//! Whether a solution is the only one.

use super::constraint::{self, Order};
use super::random::Sampler;
use super::{Distinct, Problem, symmetry};
use crate::puzzles::{Budget, Interrupted};

/// Whether `solution` is the only one of `problem`, or the only one but for its images when one of each class is
/// asked for. Ends at the first other one. Takes exponential time at worst with constraints, none to speak of
/// without.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn is_only(problem: &Problem, solution: &[u32], budget: &Budget) -> Result<bool, Interrupted> {
    let is_same = |other: &[u32]| match problem.distinct() {
        Distinct::All => other == solution,
        Distinct::Fundamental => symmetry::images(solution).iter().any(|image| image == other),
    };
    if problem.is_plain() && problem.distinct() == Distinct::All {
        // On more than one square the mirror image is another one.
        return Ok(problem.size() == 1);
    }
    if problem.is_plain() && problem.size() > Problem::MAX_ORDERED_SIZE {
        // So wide a board has classes enough that a random solution is of another one sooner or later.
        let mut sampler = Sampler::new(problem, 0, budget)?;
        while let Some((_, other)) = sampler.draw(budget)? {
            if !is_same(&other) {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let mut search = constraint::search(problem, Order::FewestFirst);
    while let Some(other) = search.next(budget)? {
        if !is_same(other) {
            return Ok(false);
        }
    }
    Ok(true)
}
