//! Runs solvers within limits.
//!
//! A solver is synchronous and may take long, so it runs on a thread of its own, and only so many run at once. There
//! are two lanes, so that cheap never waits for dear: what is predicted to take milliseconds runs on Tokio's blocking
//! pool, under permits of its own; all else on threads that let everybody else go first. What takes less than the way to
//! another thread and back runs [where it is asked for](Engine::in_place).
//! [`Engine::run`] takes a solve through its life: a place in the queue or a refusal, a permit, a thread, and a
//! deadline that covers all of it. The permit travels *into* the thread and comes back when the thread is done, so
//! a caller that gave up never frees a place that is still taken. When the caller is dropped, because the client
//! hung up or the deadline passed, the solver's cancel flag is set and the thread ends within milliseconds.
//!
//! What takes longer than a request may is a [job](jobs).

pub mod jobs;
mod lane;
mod outlet;
mod priority;

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::task::JoinError;
use tokio::time::timeout_at;

use crate::puzzles::{Budget, CancelFlag, Interrupted};
use lane::Lane;
use lane::Permit;
pub use outlet::{Outlet, Reading};
use priority::step_back;

/// Why there is no result.
#[derive(Debug)]
pub enum RunError {
    /// The queue was full. There may be room after this time.
    Overloaded {
        /// How long to wait.
        retry_after: Duration,
    },
    /// The deadline passed, in the queue or in the solver.
    TimedOut,
    /// The solver panicked, with this message.
    Panicked(String),
}

/// A result, and how long the solver took for it.
#[derive(Debug)]
pub struct Run<T> {
    /// What the solver returned.
    pub result: T,
    /// The time on the solver thread, without the wait for it.
    pub took: Duration,
}

/// What is predicted to take no longer than this is light.
const LIGHT: Duration = Duration::from_millis(20);

/// What is predicted to take no longer than this isn't worth the way to another thread.
const BRIEF: Duration = Duration::from_micros(50);

/// How long what was predicted to be brief may hold up the thread that asks for it.
const FORBEARANCE: Duration = Duration::from_millis(1);

/// The least number of light solves that may run at once, however few processors there are.
const FEWEST_LIGHT: NonZeroUsize = NonZeroUsize::new(2).expect("two is more than none");

/// How dear a solve is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Weight {
    /// Milliseconds.
    Light,
    /// Anything up to the deadline.
    Heavy,
}

impl Weight {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Light, Self::Heavy];

    /// The weight of a solve that is predicted to take so long.
    #[must_use]
    pub fn of(predicted: Duration) -> Self {
        if predicted <= LIGHT { Self::Light } else { Self::Heavy }
    }

    /// The word that stands for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Heavy => "heavy",
        }
    }
}

/// Runs solvers on as many threads as it has permits. Clones share them.
#[derive(Clone, Debug)]
pub struct Engine {
    light: Lane,
    heavy: Lane,
    threads: NonZeroUsize,
}

impl Engine {
    /// An engine that runs `threads` heavy solves at once, as many light ones, and lets `queue` more of each wait.
    #[must_use]
    pub fn new(threads: NonZeroUsize, queue: usize) -> Self {
        let light = Lane::new(threads.max(FEWEST_LIGHT), queue);
        Self { light, heavy: Lane::new(threads, queue), threads }
    }

    /// Runs `work` on this very thread if it is predicted to be brief: within 50 µs. `None` if it isn't, or turns out not
    /// to be, which shows after a millisecond: then it has to [run](Self::run) elsewhere, from the beginning.
    pub fn in_place<T, W>(&self, predicted: Duration, work: W) -> Option<Result<Run<T>, RunError>>
    where
        W: FnOnce(&Budget) -> Result<T, Interrupted>,
    {
        if predicted > BRIEF {
            return None;
        }
        let started = Instant::now();
        let budget = Budget::new(started + FORBEARANCE, CancelFlag::new());
        match catch(|| work(&budget)) {
            Ok(Ok(result)) => Some(Ok(Run { result, took: started.elapsed() })),
            Ok(Err(Interrupted::Deadline | Interrupted::Cancelled)) => None,
            Err(panic) => Some(Err(RunError::Panicked(panic))),
        }
    }

    /// Runs `work` on a solver thread of the lane for this weight, with `timeout` from now for all of it, the wait for a thread included.
    ///
    /// # Errors
    /// [`RunError`] when the queue is full, the deadline passes, or `work` panics. Once the deadline has passed or the
    /// returned future is dropped, the budget that `work` polls is cancelled.
    pub async fn run<T, W>(&self, weight: Weight, timeout: Duration, work: W) -> Result<Run<T>, RunError>
    where
        T: Send + 'static,
        W: FnOnce(&Budget) -> Result<T, Interrupted> + Send + 'static,
    {
        let deadline = Instant::now() + timeout;
        let permit = self.permit(weight, deadline).await?;
        let cancel = CancelFlag::new();
        let budget = Budget::new(deadline, cancel.clone()).with_threads(self.threads);
        let _guard = CancelOnDrop(cancel);
        let solve = move || {
            let started = Instant::now();
            let result = work(&budget);
            let took = started.elapsed();
            drop(permit);
            result.map(|result| Run { result, took })
        };
        let outcome = async {
            match weight {
                Weight::Light => tokio::task::spawn_blocking(solve).await.map_err(panic_message),
                Weight::Heavy => on_own_thread(solve)?.await,
            }
            .map_err(RunError::Panicked)
        };
        match timeout_at(deadline.into(), outcome).await {
            Ok(Ok(Ok(run))) => Ok(run),
            Ok(Ok(Err(Interrupted::Deadline | Interrupted::Cancelled))) | Err(_) => Err(RunError::TimedOut),
            Ok(Err(error)) => Err(error),
        }
    }

    /// Runs `work` on a solver thread as [`run`](Self::run) does, but returns as soon as it has begun: what it writes to
    /// its [`Outlet`] can be read at once. The budget ends at the deadline, or when the [`Reading`] is dropped. A panic
    /// is logged, and ends what can be read.
    ///
    /// # Errors
    /// [`RunError`] when the queue is full or the deadline passes before it begins.
    pub async fn stream<W>(&self, timeout: Duration, work: W) -> Result<Reading, RunError>
    where
        W: FnOnce(&Budget, &mut Outlet) + Send + 'static,
    {
        let deadline = Instant::now() + timeout;
        let permit = self.permit(Weight::Heavy, deadline).await?;
        let cancel = CancelFlag::new();
        let budget = Budget::new(deadline, cancel.clone()).with_threads(self.threads);
        let (mut outlet, reading) = Outlet::new(permit, CancelOnDrop(cancel));
        // What it writes is all that comes of it.
        drop(on_own_thread(move || {
            if let Err(panic) = catch(|| work(&budget, &mut outlet)) {
                tracing::error!(panic, "a solver panicked");
            }
        })?);
        Ok(reading)
    }

    /// Waits for a permit until the deadline.
    async fn permit(&self, weight: Weight, deadline: Instant) -> Result<Permit, RunError> {
        let lane = self.lane(weight);
        let place = lane.enter().ok_or_else(|| RunError::Overloaded { retry_after: lane.patience() })?;
        timeout_at(deadline.into(), place.start()).await.map_err(|_| RunError::TimedOut)
    }

    const fn lane(&self, weight: Weight) -> &Lane {
        match weight {
            Weight::Light => &self.light,
            Weight::Heavy => &self.heavy,
        }
    }

    /// How many solves of this weight may run at once.
    #[must_use]
    pub const fn width(&self, weight: Weight) -> usize {
        self.lane(weight).width()
    }

    /// How many solves of this weight run and how many wait.
    #[must_use]
    pub fn load(&self, weight: Weight) -> (usize, usize) {
        self.lane(weight).load()
    }
}

/// Sets its flag when it is dropped.
#[derive(Debug)]
struct CancelOnDrop(CancelFlag);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs `solve` on a new thread that lets all others go first. What comes back is its result, or the text of its panic.
///
/// # Errors
/// [`RunError::Overloaded`] when the system has no room for a thread.
fn on_own_thread<T: Send + 'static>(
    solve: impl FnOnce() -> T + Send + 'static,
) -> Result<impl Future<Output = Result<T, String>>, RunError> {
    let (sender, receiver) = oneshot::channel();
    let thread = thread::Builder::new().name("heavy".to_owned()).spawn(move || {
        step_back();
        // Nobody may be waiting any more.
        let _ = sender.send(catch(solve));
    });
    thread.map_err(|error| {
        tracing::error!(%error, "no thread could be started");
        RunError::Overloaded { retry_after: Duration::from_secs(1) }
    })?;
    Ok(async {
        receiver.await.unwrap_or_else(|_| Err("a solver's thread ended without a result".to_owned()))
    })
}

fn panic_message(error: JoinError) -> String {
    match error.try_into_panic() {
        Ok(payload) => message_of(payload.as_ref()),
        Err(error) => error.to_string(),
    }
}

/// Does this. A panic in it comes back as its text.
fn catch<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| message_of(payload.as_ref()))
}

/// The text that a panic was raised with.
#[must_use]
pub fn message_of(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn engine(threads: usize, queue: usize) -> Engine {
        Engine::new(NonZeroUsize::new(threads).unwrap(), queue)
    }

    /// Works until it is told to stop.
    fn forever(budget: &Budget) -> Result<(), Interrupted> {
        loop {
            budget.check()?;
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    const LONG: Duration = Duration::from_secs(60);

    async fn until(condition: impl Fn() -> bool) {
        tokio::time::timeout(LONG, async {
            while !condition() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .await
        .expect("it happens within a minute");
    }

    #[tokio::test]
    async fn a_result_comes_back() {
        let run = engine(1, 0).run(Weight::Heavy, LONG, |_| Ok(42)).await.unwrap();
        assert_eq!(run.result, 42);
    }

    #[test]
    fn what_is_brief_runs_in_place_and_what_turns_out_not_to_be_does_not() {
        let engine = engine(1, 0);
        let here = std::thread::current().id();
        let brief = engine.in_place(BRIEF, |_| Ok(std::thread::current().id()));
        assert_eq!(brief.unwrap().unwrap().result, here);
        assert!(engine.in_place(BRIEF * 2, |_| Ok(())).is_none(), "it isn't brief");
        assert!(engine.in_place(BRIEF, forever).is_none(), "it was predicted wrongly");
        let bug = engine.in_place(BRIEF, |_| -> Result<(), Interrupted> { panic!("a bug") });
        assert!(matches!(bug, Some(Err(RunError::Panicked(text))) if text == "a bug"));
    }

    #[tokio::test]
    async fn a_passed_deadline_stops_the_thread_and_frees_its_permit() {
        let engine = engine(1, 0);
        let result = engine.run(Weight::Heavy, Duration::from_millis(20), forever).await;
        assert!(matches!(result, Err(RunError::TimedOut)), "{result:?}");
        until(|| engine.load(Weight::Heavy) == (0, 0)).await;
    }

    #[tokio::test]
    async fn a_permit_is_held_until_its_thread_is_done_even_when_the_caller_is_gone() {
        let engine = engine(1, 0);
        let (finish, finished) = mpsc::channel::<()>();
        let run = engine.run(Weight::Heavy, Duration::from_millis(10), move |_| {
            let _ = finished.recv();
            Ok(())
        });
        assert!(matches!(run.await, Err(RunError::TimedOut)));
        assert_eq!(engine.load(Weight::Heavy).0, 1);
        finish.send(()).unwrap();
        until(|| engine.load(Weight::Heavy).0 == 0).await;
    }

    #[tokio::test]
    async fn dropping_the_caller_cancels_the_work() {
        let engine = engine(1, 0);
        let (report, reported) = mpsc::channel();
        let caller = tokio::spawn({
            let engine = engine.clone();
            async move {
                let work = move |budget: &Budget| {
                    let result = forever(budget);
                    report.send(result).unwrap();
                    result
                };
                engine.run(Weight::Heavy, LONG, work).await
            }
        });
        until(|| engine.load(Weight::Heavy).0 == 1).await;
        caller.abort();
        let result = tokio::task::spawn_blocking(move || reported.recv()).await.unwrap();
        assert_eq!(result, Ok(Err(Interrupted::Cancelled)));
    }

    #[tokio::test]
    async fn beyond_permits_and_queue_work_is_refused_at_once() {
        let engine = engine(1, 1);
        let running = tokio::spawn({
            let engine = engine.clone();
            async move { engine.run(Weight::Heavy, LONG, forever).await.map(|_| ()) }
        });
        until(|| engine.load(Weight::Heavy) == (1, 0)).await;
        let waiting = tokio::spawn({
            let engine = engine.clone();
            async move { engine.run(Weight::Heavy, LONG, |_| Ok(1)).await.map(|run| run.result) }
        });
        until(|| engine.load(Weight::Heavy) == (1, 1)).await;

        let refused = engine.run(Weight::Heavy, LONG, |_| Ok(())).await;
        assert!(matches!(refused, Err(RunError::Overloaded { .. })), "{refused:?}");

        running.abort();
        assert_eq!(waiting.await.unwrap().unwrap(), 1);
    }

    #[tokio::test]
    async fn waiting_counts_towards_the_deadline() {
        let engine = engine(1, 1);
        let running = tokio::spawn({
            let engine = engine.clone();
            async move { engine.run(Weight::Heavy, LONG, forever).await.map(|_| ()) }
        });
        until(|| engine.load(Weight::Heavy) == (1, 0)).await;
        let waited = engine.run(Weight::Heavy, Duration::from_millis(10), |_| Ok(())).await;
        assert!(matches!(waited, Err(RunError::TimedOut)), "{waited:?}");
        assert_eq!(engine.load(Weight::Heavy), (1, 0));
        running.abort();
    }

    #[tokio::test]
    async fn a_panic_is_reported_and_gives_its_permit_back() {
        let engine = engine(1, 0);
        let result = engine
            .run(Weight::Heavy, LONG, |_| -> Result<(), Interrupted> { panic!("a broken invariant") })
            .await;
        assert!(
            matches!(&result, Err(RunError::Panicked(text)) if text == "a broken invariant"),
            "{result:?}"
        );
        until(|| engine.load(Weight::Heavy) == (0, 0)).await;
    }

    #[tokio::test]
    async fn light_work_does_not_wait_for_heavy_work() {
        let engine = engine(1, 1);
        let heavy = |engine: Engine| {
            tokio::spawn(async move { engine.run(Weight::Heavy, LONG, forever).await.map(|_| ()) })
        };
        let tasks = [heavy(engine.clone()), heavy(engine.clone())];
        until(|| engine.load(Weight::Heavy) == (1, 1)).await;
        let run = engine.run(Weight::Light, LONG, |_| Ok(42)).await.unwrap();
        assert_eq!(run.result, 42);
        let refused = engine.run(Weight::Heavy, LONG, |_| Ok(())).await;
        assert!(matches!(refused, Err(RunError::Overloaded { .. })), "{refused:?}");
        tasks.iter().for_each(tokio::task::JoinHandle::abort);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn heavy_work_lets_others_go_first_and_light_work_does_not() {
        let nice =
            |_: &Budget| Ok(rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap());
        let engine = engine(1, 0);
        let light = engine.run(Weight::Light, LONG, nice).await.unwrap().result;
        let heavy = engine.run(Weight::Heavy, LONG, nice).await.unwrap().result;
        assert!(light < heavy && heavy == 19, "{light}, {heavy}");
    }

    #[test]
    fn milliseconds_are_light_and_seconds_are_heavy() {
        assert_eq!(Weight::of(Duration::from_millis(1)), Weight::Light);
        assert_eq!(Weight::of(Duration::from_secs(1)), Weight::Heavy);
    }
}
