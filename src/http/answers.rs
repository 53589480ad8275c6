//! Answers that were given a moment ago, and those that are being worked on.
//!
//! Equal requests give equal answers, so a recent one is kept, within a bound in bytes, and requests that are the same
//! and under way at the same time share one solve. Each of them keeps its own deadline; the solve stops when the last
//! of them has left.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::{Shared, WeakShared};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::time::timeout_at;

use super::form::{Content, Form, Rendered};
use super::metrics::Metrics;
use super::problem::{Kind, Problem};
use super::puzzle::{Wrong, failure, timed_out};
use crate::engine::{Engine, Run, RunError, Weight};
use crate::puzzles::{Budget, Interrupted};

/// What tells two answers apart: the puzzle, the form, and the request in its canonical text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The puzzle's name.
    pub puzzle: &'static str,
    /// The form of the answer.
    pub form: Form,
    /// The request as the smallest JSON object that asks for the same.
    pub request: String,
}

/// Recent answers, and those under way. Clones share them.
#[derive(Clone, Debug)]
pub struct Answers {
    recent: Option<Arc<Cache<Key, Arc<Rendered>, Bytes>>>,
    under_way: Arc<UnderWay>,
    metrics: Metrics,
}

/// An answer, and whether it was there already.
#[derive(Debug)]
pub struct Got {
    /// The answer.
    pub rendered: Arc<Rendered>,
    /// Whether it is a recent one, for which nothing was solved.
    pub recent: bool,
}

impl Answers {
    /// No answers yet; at most `bytes` of recent ones later, none if 0.
    #[must_use]
    pub fn new(bytes: u64, metrics: Metrics) -> Self {
        /// The number of answers that the cache makes room for at first, from the size of a usual one.
        const USUAL: u64 = 1024;
        let entries = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX);
        let recent = (bytes > 0).then(|| Arc::new(Cache::with_weighter(entries, bytes, Bytes)));
        Self { recent, under_way: Arc::default(), metrics }
    }

    /// The answer to `key`: a recent one, or that of an equal request under way, or else what `work` gives, which is
    /// predicted to take so long. It runs on a thread of the engine, where it may go on for `limit` as long as anybody
    /// waits for it, or at once if it is brief.
    ///
    /// # Errors
    /// The problem that tells the client of a passed `timeout`, a full queue, or a bug.
    pub async fn get<W>(
        &self,
        key: Key,
        predicted: Duration,
        timeout: Duration,
        limit: Duration,
        engine: &Engine,
        work: W,
    ) -> Result<Got, Problem>
    where
        W: Fn(&Budget) -> Result<Result<Rendered, Wrong>, Interrupted> + Send + Sync + 'static,
    {
        if let Some(rendered) = self.recent.as_ref().and_then(|recent| recent.get(&key)) {
            self.metrics.count_look_up(true);
            return Ok(Got { rendered, recent: true });
        }
        self.metrics.count_look_up(false);
        let waiting = self.metrics.wait(key.puzzle);
        let found = self.find(&key, predicted, timeout, limit, engine, work).await;
        match found {
            Ok(rendered) => {
                waiting.succeed();
                self.keep(key, &rendered);
                Ok(Got { rendered, recent: false })
            }
            Err(problem) => {
                waiting.fail(&problem);
                Err(problem)
            }
        }
    }

    /// The answer to `key` from a solver.
    async fn find<W>(
        &self,
        key: &Key,
        predicted: Duration,
        timeout: Duration,
        limit: Duration,
        engine: &Engine,
        work: W,
    ) -> Result<Arc<Rendered>, Problem>
    where
        W: Fn(&Budget) -> Result<Result<Rendered, Wrong>, Interrupted> + Send + Sync + 'static,
    {
        if let Some(run) = engine.in_place(predicted, &work) {
            let rendered = checked(run, timeout)?;
            self.metrics.count_solve(key.puzzle, &rendered);
            return Ok(rendered);
        }
        let deadline = Instant::now() + timeout;
        let (weight, work) = (Weight::of(predicted), Arc::new(work));
        loop {
            let flight = self.under_way.join(key, || {
                let (engine, work) = (engine.clone(), Arc::clone(&work));
                let (metrics, puzzle) = (self.metrics.clone(), key.puzzle);
                async move {
                    let run = engine.run(weight, limit, move |budget| work(budget)).await;
                    let rendered = checked(run, limit)?;
                    metrics.count_solve(puzzle, &rendered);
                    Ok(rendered)
                }
            });
            match timeout_at(deadline.into(), flight).await {
                Ok(Ok(rendered)) => return Ok(rendered),
                Ok(Err(problem)) if problem.kind() != Kind::SolveTimeout => return Err(problem),
                // It was under way for some time when this request joined it, and this one has time left.
                Ok(Err(_)) if Instant::now() < deadline => {}
                Ok(Err(_)) | Err(_) => return Err(timed_out(timeout)),
            }
        }
    }

    /// Whether the answer to `key` is there already.
    #[must_use]
    pub fn has(&self, key: &Key) -> bool {
        self.recent.as_ref().is_some_and(|recent| recent.contains_key(key))
    }

    /// How many recent answers are kept, and what they take in bytes.
    #[must_use]
    pub fn held(&self) -> (usize, u64) {
        self.recent.as_ref().map_or((0, 0), |recent| (recent.len(), recent.weight()))
    }

    fn keep(&self, key: Key, rendered: &Arc<Rendered>) {
        if let (Some(recent), Content::Whole(_)) = (&self.recent, &rendered.content) {
            recent.insert(key, Arc::clone(rendered));
        }
    }
}

/// What a solver gave within its time, unless it is wrong.
fn checked(
    run: Result<Run<Result<Rendered, Wrong>>, RunError>,
    time: Duration,
) -> Result<Arc<Rendered>, Problem> {
    let run = run.map_err(|error| failure(error, time))?;
    let rendered = run.result.map_err(|Wrong(what)| {
        tracing::error!(what, "A SOLVER GAVE A WRONG ANSWER, which was not sent");
        Problem::internal()
    })?;
    Ok(Arc::new(Rendered { took: run.took, ..rendered }))
}

/// Weighs answers in bytes.
#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<Key, Arc<Rendered>> for Bytes {
    fn weight(&self, key: &Key, rendered: &Arc<Rendered>) -> u64 {
        /// What an entry takes beside its texts, roughly.
        const ENTRY: usize = 256;
        let body = match &rendered.content {
            Content::Whole(bytes) => bytes.len(),
            Content::Pieces(_) => 0,
        };
        (ENTRY + key.request.len() + body) as u64
    }
}

type Flight = Pin<Box<dyn Future<Output = Result<Arc<Rendered>, Problem>> + Send>>;

/// The solves under way, each as long as somebody waits for it.
#[derive(Default, Debug)]
struct UnderWay {
    flights: Mutex<HashMap<Key, (u64, WeakShared<Flight>)>>,
    next: AtomicU64,
}

impl UnderWay {
    /// The flight to `key` that is under way, or a new one.
    fn join<F>(self: &Arc<Self>, key: &Key, start: impl FnOnce() -> F) -> Shared<Flight>
    where
        F: Future<Output = Result<Arc<Rendered>, Problem>> + Send + 'static,
    {
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(flight) = flights.get(key).and_then(|(_, flight)| flight.upgrade()) {
            return flight;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let landing = Landing { under_way: Arc::clone(self), key: key.clone(), number };
        let flight = start();
        let boxed: Flight = Box::pin(async move {
            let _landing = landing;
            flight.await
        });
        let shared = boxed.shared();
        if let Some(weak) = shared.downgrade() {
            flights.insert(key.clone(), (number, weak));
        }
        shared
    }
}

/// Takes a flight off the list when it is over or nobody waits for it any more.
struct Landing {
    under_way: Arc<UnderWay>,
    key: Key,
    number: u64,
}

impl Drop for Landing {
    fn drop(&mut self) {
        let mut flights = self.under_way.flights.lock().unwrap_or_else(PoisonError::into_inner);
        // A later flight may have taken its place.
        if flights.get(&self.key).is_some_and(|(number, _)| *number == self.number) {
            flights.remove(&self.key);
        }
    }
}
