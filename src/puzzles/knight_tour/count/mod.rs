//! Counting all tours, exactly, by the [frontier method](super::frontier).
//!
//! Each state has a count: in how many ways the squares dealt with so far can lead to it. Where the board and the
//! request are their own mirror image, a state between two columns has the same number of completions as its mirror image,
//! and the two are kept as one. Counts begin as 64-bit numbers; when one overflows, the step is done again with wider
//! ones.
//!
//! The number of states grows exponentially with the shorter side of the board and hardly with the longer. The memory
//! they may take is bounded: when a step would take more, the states are split in two halves that are counted one after
//! the other. That may find the same state twice, so it takes longer.

mod board;
mod table;

use num_bigint::BigUint;

use crate::puzzles::{Budget, Interrupted, Progress};

use super::frontier::{Next, State, finished};
use super::{Problem, general};
use board::{Board, Step};
use table::{Count, Stop, Table};

/// How many tours there are that `problem` asks for: closed ones as cycles without direction, open ones with. A closed
/// tour whose start and end are given counts if it has that closing move. Exponential in the shorter side; uses about
/// `memory` bytes at most.
///
/// # Errors
/// [`Interrupted`] when the budget runs out first.
pub(super) fn count(problem: &Problem, memory: usize, budget: &Budget) -> Result<BigUint, Interrupted> {
    let board = Board::new(problem);
    if one_by_one(problem) || board.widest_frontier() > u128::SLOTS {
        return general::count(problem, budget);
    }
    let steps = board.steps();
    budget.progress().begin(steps.len() as u64);
    let progress = Some(budget.progress());
    let total = if board.widest_frontier() <= u64::SLOTS {
        complete(&steps, Layer::Small(vec![(u64::untouched(), 1)]), memory, budget, progress)?
    } else {
        complete(&steps, Layer::Small(vec![(u128::untouched(), 1)]), memory, budget, progress)?
    };
    let both_directions = !problem.closed() && problem.start().is_none() && problem.end().is_none();
    Ok(if both_directions { total * 2_u32 } else { total })
}

/// Whether tours are found one by one to be counted: where the numbers of squares matter, and where there are too few.
fn one_by_one(problem: &Problem) -> bool {
    let inner_clues = problem.has_inner_clues() && !(problem.closed() && problem.clues().len() == 1);
    inner_clues || problem.square_count() < 3
}

/// About how many bytes it takes to count the tours that `problem` asks for, to be asked before it is tried: an estimate from
/// the widest frontier, rather too large than too small. 0 where tours are found one by one, which takes hardly any
/// memory, but time. O(squares).
#[must_use]
pub fn counting_memory(problem: &Problem) -> u64 {
    if one_by_one(problem) {
        return 0;
    }
    let ends = if problem.closed() { 0 } else { 2 };
    let given = [problem.start(), problem.end()].iter().flatten().count();
    let board = Board::new(problem);
    let frontier = board.widest_frontier() as i32;
    // What was measured for whole boards of 5 to 7 rows: the number of states grows fourfold with each square of
    // the frontier, and more where the ends can be anywhere.
    let states = match (ends, ends.min(given)) {
        (0, _) => 4.2e5 * 4.1_f64.powi(frontier - 13),
        (_, 2) => 8.4e5 * 4.1_f64.powi(frontier - 13),
        _ => 2.5e6 * 4.9_f64.powi(frontier - 13),
    };
    let asymmetric = if board.is_mirrored() { 1.0 } else { 2.0 };
    // Two layers, the table of one of which may be half empty and grow, and counts of up to 128 bits; a float to an
    // integer saturates.
    let bytes = if board.widest_frontier() <= u64::SLOTS { 32.0 } else { 48.0 };
    ((states * asymmetric * bytes * 3.0) as u64).saturating_add(1 << 20)
}

/// How many tours the states of a layer can be completed to. Tells of each step, when it is not one of several passes.
fn complete<S: State>(
    steps: &[Step],
    mut layer: Layer<S>,
    memory: usize,
    budget: &Budget,
    progress: Option<&Progress>,
) -> Result<BigUint, Interrupted> {
    for (index, step) in steps.iter().enumerate() {
        layer = loop {
            match layer.after(step, memory, budget) {
                Ok(next) => break next,
                Err(Stop::Overflow) => layer = layer.widened(),
                Err(Stop::Full) => {
                    let (one, other) = layer.halves();
                    let left = memory.saturating_sub(other.bytes());
                    let total = complete(&steps[index..], one, left, budget, None)?;
                    return Ok(total + complete(&steps[index..], other, memory, budget, progress)?);
                }
                Err(Stop::Interrupted(interrupted)) => return Err(interrupted),
            }
        };
        if let Some(progress) = progress {
            progress.advance(1);
        }
    }
    Ok(layer.count_of(finished()))
}

/// The states at one point of time, each with its count.
enum Layer<S> {
    Small(Vec<(S, u64)>),
    Medium(Vec<(S, u128)>),
    Large(Vec<(S, BigUint)>),
}

impl<S: State> Layer<S> {
    fn after(&self, step: &Step, memory: usize, budget: &Budget) -> Result<Self, Stop> {
        Ok(match self {
            Self::Small(states) => Self::Small(after(states, step, memory, budget)?),
            Self::Medium(states) => Self::Medium(after(states, step, memory, budget)?),
            Self::Large(states) => Self::Large(after(states, step, memory, budget)?),
        })
    }

    fn widened(self) -> Self {
        match self {
            Self::Small(states) => {
                Self::Medium(states.into_iter().map(|(state, count)| (state, u128::from(count))).collect())
            }
            Self::Medium(states) => {
                Self::Large(states.into_iter().map(|(state, count)| (state, BigUint::from(count))).collect())
            }
            large @ Self::Large(_) => large,
        }
    }

    fn halves(self) -> (Self, Self) {
        fn halves<T>(mut states: Vec<T>) -> (Vec<T>, Vec<T>) {
            let other = states.split_off(states.len() / 2);
            states.shrink_to_fit();
            (states, other)
        }
        match self {
            Self::Small(states) => {
                let (one, other) = halves(states);
                (Self::Small(one), Self::Small(other))
            }
            Self::Medium(states) => {
                let (one, other) = halves(states);
                (Self::Medium(one), Self::Medium(other))
            }
            Self::Large(states) => {
                let (one, other) = halves(states);
                (Self::Large(one), Self::Large(other))
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Small(states) => states.len() * u64::bytes::<S>(),
            Self::Medium(states) => states.len() * u128::bytes::<S>(),
            Self::Large(states) => states.len() * BigUint::bytes::<S>(),
        }
    }

    fn count_of(&self, state: S) -> BigUint {
        fn find<S: State, C: Count>(states: &[(S, C)], state: S) -> BigUint {
            states
                .iter()
                .find(|known| known.0 == state)
                .map_or_else(BigUint::default, |known| known.1.clone().into())
        }
        match self {
            Self::Small(states) => find(states, state),
            Self::Medium(states) => find(states, state),
            Self::Large(states) => find(states, state),
        }
    }
}

/// So few states are not split however little memory is left.
const FEW: usize = 1 << 10;

/// The states after a step, each with the sum of the counts of those that lead to it.
fn after<S: State, C: Count>(
    states: &[(S, C)],
    step: &Step,
    memory: usize,
    budget: &Budget,
) -> Result<Vec<(S, C)>, Stop> {
    let memory =
        if states.len() <= FEW { usize::MAX } else { memory.saturating_sub(states.len() * C::bytes::<S>()) };
    let mut table = Table::new(states.len(), memory, budget)?;
    let mut pacer = budget.pacer(1 << 12);
    for (state, count) in states {
        pacer.tick().map_err(Stop::Interrupted)?;
        let mut added = Ok(());
        step.turn.step(*state, |Next { state, .. }| {
            if added.is_ok() {
                let state = step.mirror.as_ref().map_or(state, |mirror| mirror.canonical(state));
                added = table.add(state, count, budget);
            }
        });
        added?;
    }
    table.into_states(budget).map_err(Stop::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::super::{Leaper, Spec};
    use super::*;
    use crate::board::{Size, Square};

    /// The two ways to count know nothing of each other.
    #[test]
    fn the_frontier_method_counts_what_is_found_one_by_one() {
        let square = |(row, col): (u32, u32)| Square::new(row, col);
        let holes = |list: &[(u32, u32)]| list.iter().copied().map(square).collect::<Vec<_>>();
        for (rows, cols, blocked, leaper) in [
            (3, 7, holes(&[]), Leaper::KNIGHT),
            (4, 6, holes(&[]), Leaper::KNIGHT),
            (5, 5, holes(&[(0, 0)]), Leaper::KNIGHT),
            (5, 5, holes(&[(2, 2)]), Leaper::KNIGHT),
            (5, 6, holes(&[(0, 0), (4, 5), (2, 3)]), Leaper::KNIGHT),
            (4, 5, holes(&[]), Leaper::new(0, 1)),
            (5, 5, holes(&[(4, 4)]), Leaper::new(0, 1)),
            (5, 5, holes(&[(2, 1), (2, 2), (2, 3)]), Leaper::new(2, 3)),
        ] {
            let size = Size::new(rows, cols).unwrap();
            let free = size.iter().filter(|square| !blocked.contains(square)).collect::<Vec<_>>();
            for (start, end, closed) in [
                (None, None, false),
                (Some(free[0]), None, false),
                (Some(free[0]), free.last().copied(), false),
                (None, Some(free[3]), false),
                (None, None, true),
            ] {
                let spec = Spec { start, end, closed, leaper, blocked: blocked.clone(), ..Spec::default() };
                let problem = Problem::new(size, &spec).unwrap();
                let budget = Budget::unlimited();
                let frontier = count(&problem, 1 << 30, &budget);
                assert_eq!(frontier, general::count(&problem, &budget), "{size} {spec:?}");
            }
        }
    }
}
