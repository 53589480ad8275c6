//! What a solver may use up: time until a deadline, as long as nobody cancels, and threads; and where it tells how far
//! it is.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Why a solver stopped without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interrupted {
    /// The deadline passed.
    Deadline,
    /// Whoever asked no longer wants the answer.
    Cancelled,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deadline => "the deadline passed",
            Self::Cancelled => "the work was cancelled",
        })
    }
}

impl std::error::Error for Interrupted {}

/// A switch that ends a solve. Clones share it, and it can't be switched back.
#[derive(Clone, Default, Debug)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends every solve that holds this flag, as soon as it next looks.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far a solve is, in parts. Clones share the numbers.
#[derive(Clone, Default, Debug)]
pub struct Progress(Arc<Parts>);

#[derive(Default, Debug)]
struct Parts {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Says how many parts there are in all, and that none is done.
    pub fn begin(&self, total: u64) {
        self.0.done.store(0, Ordering::Relaxed);
        self.0.total.store(total, Ordering::Relaxed);
    }

    /// Says that `parts` more are done.
    pub fn advance(&self, parts: u64) {
        self.0.done.fetch_add(parts, Ordering::Relaxed);
    }

    /// Parts done and parts in all; the latter is 0 until a solver knows it.
    #[must_use]
    pub fn parts(&self) -> (u64, u64) {
        (self.0.done.load(Ordering::Relaxed), self.0.total.load(Ordering::Relaxed))
    }
}

/// What a solver polls: when to stop, and where to report progress. Clones share the flag and the progress, so
/// that several threads can work on one problem.
#[derive(Clone, Debug)]
pub struct Budget {
    deadline: Option<Instant>,
    cancel: CancelFlag,
    progress: Progress,
    threads: NonZeroUsize,
}

impl Budget {
    /// All the time in the world, on one thread.
    #[must_use]
    pub fn unlimited() -> Self {
        Self {
            deadline: None,
            cancel: CancelFlag::new(),
            progress: Progress::default(),
            threads: NonZeroUsize::MIN,
        }
    }

    /// Time until `deadline`, as long as `cancel` is not set, on one thread.
    #[must_use]
    pub fn new(deadline: Instant, cancel: CancelFlag) -> Self {
        Self { deadline: Some(deadline), cancel, ..Self::unlimited() }
    }

    /// Time as long as `cancel` is not set, on one thread.
    #[must_use]
    pub fn until(cancel: CancelFlag) -> Self {
        Self { cancel, ..Self::unlimited() }
    }

    /// The same budget for work on so many threads at once.
    #[must_use]
    pub fn with_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads, ..self }
    }

    /// On how many threads at once a solver may work, its own included.
    #[must_use]
    pub const fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    /// Where the solver reports how far it is.
    #[must_use]
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whether to go on. Reads the clock, at some 25 ns: call it at least every 5 ms, and in an inner loop
    /// through a [`Pacer`](Self::pacer).
    ///
    /// # Errors
    /// [`Interrupted`] when the deadline has passed or the flag is set.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.cancel.is_cancelled() {
            return Err(Interrupted::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Interrupted::Deadline),
            _ => Ok(()),
        }
    }

    /// A counter that calls [`check`](Self::check) once in `every` ticks: for loops whose step takes
    /// nanoseconds. Choose `every` such that so many steps take well under 5 ms.
    #[must_use]
    pub const fn pacer(&self, every: u32) -> Pacer<'_> {
        Pacer { budget: self, every, left: every }
    }
}

/// Looks at a [`Budget`] once in a fixed number of ticks.
#[derive(Debug)]
pub struct Pacer<'a> {
    budget: &'a Budget,
    every: u32,
    left: u32,
}

impl Pacer<'_> {
    /// Counts one step.
    ///
    /// # Errors
    /// [`Interrupted`] when it was this tick's turn to look and the budget is used up.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Interrupted> {
        self.left -= 1;
        if self.left == 0 {
            self.left = self.every;
            self.budget.check()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_unlimited_budget_never_runs_out() {
        assert_eq!(Budget::unlimited().check(), Ok(()));
    }

    #[test]
    fn a_passed_deadline_and_a_set_flag_end_the_work() {
        let flag = CancelFlag::new();
        let past = Budget::new(Instant::now(), flag.clone());
        assert_eq!(past.check(), Err(Interrupted::Deadline));

        let future = Budget::new(Instant::now() + Duration::from_secs(3600), flag.clone());
        assert_eq!(future.check(), Ok(()));
        flag.cancel();
        assert_eq!(future.check(), Err(Interrupted::Cancelled));
    }

    #[test]
    fn a_pacer_looks_once_in_its_number_of_ticks() {
        let budget = Budget::new(Instant::now(), CancelFlag::new());
        let mut pacer = budget.pacer(3);
        assert_eq!(pacer.tick(), Ok(()));
        assert_eq!(pacer.tick(), Ok(()));
        assert_eq!(pacer.tick(), Err(Interrupted::Deadline));
        assert_eq!(pacer.tick(), Ok(()));
    }

    #[test]
    fn clones_of_a_progress_share_its_numbers() {
        let progress = Progress::default();
        progress.begin(10);
        progress.clone().advance(3);
        assert_eq!(progress.parts(), (3, 10));
    }
}
