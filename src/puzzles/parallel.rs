//! Work on many parts of one problem at the same time.
//!
//! Threads of its own for each sum, not a pool that all sums share: in a pool a thread that waits for the rest of one
//! sum may begin on another, and the first would be done only with the second. The system shares the processors out
//! among threads fairly; starting one takes some 20 µs, so this is for sums that take milliseconds.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{Budget, Interrupted};

/// The sum of what `count` makes of each part, on as many threads as the [budget](Budget::threads) has. Each thread has
/// a `state` of its own, which `count` may change. Parts are taken in order, one at a time, so they needn't weigh the
/// same.
///
/// # Errors
/// [`Interrupted`] when `count` says so for any part, which it must then do for all that follow, as a budget does.
pub(super) fn sum<T, S>(
    parts: &[T],
    budget: &Budget,
    state: impl Fn() -> S + Sync,
    count: impl Fn(&T, &mut S) -> Result<u64, Interrupted> + Sync,
) -> Result<u64, Interrupted>
where
    T: Sync,
{
    let next = AtomicUsize::new(0);
    let work = || {
        let mut state = state();
        let mut sum = 0;
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            sum += count(part, &mut state)?;
        }
        Ok(sum)
    };
    let threads = budget.threads().min(NonZeroUsize::new(parts.len()).unwrap_or(NonZeroUsize::MIN));
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads.get()).map(|_| scope.spawn(work)).collect();
        let own = work();
        others.into_iter().fold(own, |total, other| {
            let sum = other.join().unwrap_or_else(|panic| resume_unwind(panic));
            Ok(total? + sum?)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::CancelFlag;
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::time::Instant;

    fn budget(threads: usize) -> Budget {
        Budget::unlimited().with_threads(NonZeroUsize::new(threads).unwrap())
    }

    #[test]
    fn every_part_is_counted_once_on_any_number_of_threads() {
        let parts: Vec<u64> = (1..=1000).collect();
        for threads in [1, 2, 7] {
            let sum = sum(&parts, &budget(threads), || (), |part, ()| Ok(*part));
            assert_eq!(sum, Ok(500_500));
        }
        assert_eq!(sum(&[], &budget(2), || (), |(), ()| Ok(1)), Ok(0));
    }

    #[test]
    fn there_are_as_many_threads_as_the_budget_has() {
        let seen = Mutex::new(HashSet::new());
        let together = std::sync::Barrier::new(3);
        let count = |(): &(), (): &mut ()| {
            seen.lock().unwrap().insert(thread::current().id());
            together.wait();
            Ok(1)
        };
        assert_eq!(sum(&[(); 3], &budget(3), || (), count), Ok(3));
        assert_eq!(seen.lock().unwrap().len(), 3);
    }

    #[test]
    fn an_interrupted_part_ends_the_sum() {
        let budget =
            Budget::new(Instant::now(), CancelFlag::new()).with_threads(NonZeroUsize::new(2).unwrap());
        let count = |(): &(), (): &mut ()| budget.check().map(|()| 1);
        assert_eq!(sum(&[(); 100], &budget, || (), count), Err(Interrupted::Deadline));
    }
}
