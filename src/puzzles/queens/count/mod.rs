//! How many solutions a board has, and how many of them are different.
//!
//! On boards where a queen attacks as in chess, everything is a [`Strip`]: open rows with the columns that each
//! still allows. Those of the plain board come from one eighth of it, by the rule of the
//! [central border queen](central). They are counted in [parts](plan), at the same time or wherever there is room, in
//! [batches](avx2) where the processor can and [one by one](scalar) where it can't. Where queens only mustn't
//! [`touch`], a table over the sets of columns does the same; all the rest is found by the search for
//! [constrained](super::constraint) boards. The number of [`fundamental`] solutions follows from those that are
//! symmetric.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
pub mod central;
pub mod fundamental;
#[cfg(not(target_arch = "x86_64"))]
pub mod no_batch;
pub mod plan;
pub mod scalar;
pub mod strip;
pub mod touch;

#[cfg(target_arch = "x86_64")]
use self::avx2 as batch;
#[cfg(not(target_arch = "x86_64"))]
use self::no_batch as batch;
use self::plan::Plan;
use self::strip::Strip;
use super::Problem;
use super::constraint::{self, Order};
use crate::puzzles::{Budget, Interrupted, Progress};

/// How many steps of a constrained search are taken in one go, before it is divided.
const QUICK_STEPS: u64 = 2_000;

/// The most open rows that are counted in one go: a few microseconds.
const QUICK_ROWS: usize = 9;

/// The number of solutions of `problem`, whose given queens don't attack each other and don't share a region, and
/// whose number of regions, if it has any, is that of its rows. Takes time exponential in the number of open
/// rows, on all threads of the budget. Says in `progress`, where there is one, how many pieces of it are done.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn solutions(
    problem: &Problem,
    budget: &Budget,
    progress: Option<&Progress>,
) -> Result<u64, Interrupted> {
    Plan::new(problem, budget)?.sum(budget, progress)
}

/// The board of `problem`, of at most 32 columns; `None` when a row is left without a square.
pub fn strip(problem: &Problem) -> Option<Strip> {
    let size = problem.size();
    let mut allowed = vec![u32::MAX >> (32 - size); size as usize];
    for blocked in problem.blocked() {
        allowed[blocked.row as usize] &= !(1 << blocked.col);
    }
    if allowed.contains(&0) {
        return None;
    }
    problem.queens().iter().try_fold(Strip::new(allowed), |strip, &queen| strip.with(queen))
}

/// The number of solutions, if the search for constrained boards is through with them soon.
fn few(problem: &Problem, budget: &Budget) -> Result<Option<u64>, Interrupted> {
    constraint::search(problem, Order::FewestFirst).count_within(QUICK_STEPS, budget)
}

/// The number of solutions by the search for constrained boards alone, to compare with.
#[cfg(test)]
fn constrained_count(problem: &Problem) -> u64 {
    constraint::search(problem, Order::FewestFirst).count(&Budget::unlimited()).expect("there is no limit")
}

/// The numbers of the bits that are set, from the lowest.
fn bits(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros());
        mask &= mask.wrapping_sub(1);
        bit
    })
}
