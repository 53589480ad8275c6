//! How many solutions a board has, and how many of them are different.
//!
//! On boards where a queen attacks as in chess, everything is a [`Strip`]: open rows with the columns that each
//! still allows. Those of the plain board come from one eighth of it, by the rule of the
//! [central border queen](central). They are counted in parallel, on the thread pool that the caller is in, in
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
pub mod scalar;
pub mod strip;
pub mod touch;

#[cfg(target_arch = "x86_64")]
use self::avx2 as batch;
#[cfg(not(target_arch = "x86_64"))]
use self::no_batch as batch;
use self::strip::{Counter, Strip};
use super::constraint::{self, Order};
use super::{Attack, Problem};
use crate::board::Square;
use crate::puzzles::{Budget, Interrupted, Progress, parallel};

/// How many parts a count is divided into, at least, when it isn't done at once.
const PARTS: usize = 256;

/// How many steps of a constrained search are taken in one go, before it is divided.
const QUICK_STEPS: u64 = 2_000;

/// The most open rows that are counted in one go: a few microseconds.
const QUICK_ROWS: usize = 9;

/// The number of solutions of `problem`, whose given queens don't attack each other and don't share a region, and
/// whose number of regions, if it has any, is that of its rows. Takes time exponential in the number of open
/// rows, and all threads of the pool that it is called in. Says in `progress`, where there is one, how many parts
/// are done.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn solutions(
    problem: &Problem,
    budget: &Budget,
    progress: Option<&Progress>,
) -> Result<u64, Interrupted> {
    let open = problem.size() as usize - problem.queens().len();
    match problem.attack() {
        Attack::Queen if problem.regions().is_none() && problem.size() <= 32 => {
            if problem.is_plain() && problem.size() > 1 {
                return plain(problem.size(), budget, progress);
            }
            let Some(strip) = strip(problem) else { return Ok(0) };
            if open <= QUICK_ROWS {
                return strip.completions(&mut Counter::portable(), budget);
            }
            if problem.size() > batch::WIDTH
                && let Some(few) = few(problem, budget)?
            {
                return Ok(few);
            }
            sum(&strip.split(PARTS), budget, progress, |strip, counter| strip.completions(counter, budget))
        }
        Attack::Touch if problem.regions().is_none() && open <= touch::MAX_OPEN_ROWS => {
            touch::Table::new(problem, budget).map(|table| table.solutions())
        }
        Attack::Torus if problem.is_plain() => {
            // Moving all queens around the torus makes a solution of a solution: any column of the top row
            // stands for all.
            match problem.with_queens(&[Square::new(0, 0)]) {
                Some(one) => Ok(constrained(&one, budget, progress)? * u64::from(problem.size())),
                None => Ok(0),
            }
        }
        _ => constrained(problem, budget, progress),
    }
}

/// The number of solutions on the plain board of `size` columns, 2 to 32, where a queen attacks as in chess.
///
/// # Errors
/// [`Interrupted`] when the budget ran out first.
pub fn plain(size: u32, budget: &Budget, progress: Option<&Progress>) -> Result<u64, Interrupted> {
    sum(&central::parts(size, budget)?, budget, progress, |part, counter| {
        Ok(part.weight() * part.count(counter, budget)?)
    })
}

/// The board of `problem`, of at most 32 columns; `None` when a row is left without a square.
fn strip(problem: &Problem) -> Option<Strip> {
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

/// Says how many parts there are.
fn begin(progress: Option<&Progress>, parts: usize) {
    if let Some(progress) = progress {
        progress.begin(parts as u64);
    }
}

/// Says that a part is done.
fn advance(progress: Option<&Progress>) {
    if let Some(progress) = progress {
        progress.advance(1);
    }
}

/// The sum of what `count` makes of each part, in parallel.
fn sum<T: Sync>(
    parts: &[T],
    budget: &Budget,
    progress: Option<&Progress>,
    count: impl Fn(&T, &mut Counter) -> Result<u64, Interrupted> + Sync,
) -> Result<u64, Interrupted> {
    begin(progress, parts.len());
    parallel::sum(parts, budget, Counter::new, |part, counter| {
        let solutions = count(part, counter)?;
        advance(progress);
        Ok(solutions)
    })
}

/// The number of solutions, if the search for constrained boards is through with them soon.
fn few(problem: &Problem, budget: &Budget) -> Result<Option<u64>, Interrupted> {
    constraint::search(problem, Order::FewestFirst).count_within(QUICK_STEPS, budget)
}

/// The number of solutions that the search for constrained boards gives.
fn constrained(problem: &Problem, budget: &Budget, progress: Option<&Progress>) -> Result<u64, Interrupted> {
    if let Some(few) = few(problem, budget)? {
        return Ok(few);
    }
    let parts = constraint::search(problem, Order::FewestFirst).split(PARTS, budget)?;
    begin(progress, parts.len());
    parallel::sum(
        &parts,
        budget,
        || (),
        |queens, ()| {
            let found = match problem.with_queens(queens) {
                Some(part) => constraint::search(&part, Order::FewestFirst).count(budget)?,
                None => 0,
            };
            advance(progress);
            Ok(found)
        },
    )
}

/// The numbers of the bits that are set, from the lowest.
fn bits(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros());
        mask &= mask.wrapping_sub(1);
        bit
    })
}
