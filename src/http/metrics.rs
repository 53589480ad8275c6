//! What the server counts about itself, for Prometheus to read at `/metrics`.
//!
//! [`Metrics`] holds what is counted as it happens; what can be looked up, such as how many requests wait, is looked up
//! when somebody asks for the [page]. Every label has few values: a path that nobody routes is one of them, and so are
//! all methods that nobody takes.
//!
//! A new metric gets a field, a line in [`register`](Metrics::register) or in [`page`], and, if it is to be watched, a
//! panel in `deploy/grafana/dashboard.json` or a rule in `deploy/prometheus/alerts.yaml`; `scripts/check-deploy` holds
//! those to this page.

use std::fmt;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use axum::response::Response;
use prometheus_client::encoding::EncodeLabelSet;
pub use prometheus_client::encoding::prometheus_text::CONTENT_TYPE;
use prometheus_client::encoding::prometheus_text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use super::App;
use super::form::Rendered;
use super::problem::{Kind, Problem};
use crate::engine::Weight;
use crate::engine::jobs::{Census, Refused, Status};

/// What every name begins with.
const PREFIX: &str = "chessboard";

/// The upper ends of the ranges in which the times of solves are counted, in seconds: two steps to a power of ten, from
/// a small board to the longest that a request may take.
const SOLVE_SECONDS: [f64; 14] =
    [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

/// The same for requests, of which the quickest are all alike.
const REQUEST_SECONDS: [f64; 11] = [3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

/// How an answer ended, for handlers that know better than the status says. Goes with the response to the layer that
/// counts.
#[derive(Clone, Copy, Debug)]
pub struct Outcome(pub &'static str);

impl Outcome {
    /// How this response ended, in a word: the status of a puzzle's answer, or the kind of a problem.
    pub fn of(response: &Response) -> &'static str {
        let extensions = response.extensions();
        if let Some(kind) = extensions.get::<Kind>() {
            return kind.slug();
        }
        if let Some(Self(word)) = extensions.get() {
            return word;
        }
        match response.status() {
            StatusCode::ACCEPTED => "accepted",
            StatusCode::NOT_MODIFIED => "not-modified",
            _ => "ok",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, EncodeLabelSet, Debug)]
struct Request {
    route: String,
    method: &'static str,
    /// None for a client that left before there was any.
    status: Option<u16>,
    outcome: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, EncodeLabelSet, Debug)]
struct Route {
    route: String,
}

#[derive(Clone, PartialEq, Eq, Hash, EncodeLabelSet, Debug)]
struct Solve {
    puzzle: &'static str,
    outcome: &'static str,
    method: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, EncodeLabelSet, Debug)]
struct Waited {
    puzzle: &'static str,
    end: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, EncodeLabelSet, Debug)]
struct Reason {
    reason: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, EncodeLabelSet, Debug)]
struct JobStatus {
    status: &'static str,
}

type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

/// What is counted as it happens. Clones share it.
#[derive(Clone)]
pub struct Metrics {
    requests: Family<Request, Counter>,
    request_seconds: Histograms<Route>,
    solve_seconds: Histograms<Solve>,
    waited: Family<Waited, Counter>,
    cache_hits: Counter,
    cache_misses: Counter,
    jobs_refused: Family<Reason, Counter>,
    connections: Gauge,
}

// A histogram shows all that is in it, and can't be shown itself.
impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

impl Metrics {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new() -> Self {
        let metrics = Self {
            requests: Family::default(),
            request_seconds: Family::new_with_constructor(|| Histogram::new(REQUEST_SECONDS)),
            solve_seconds: Family::new_with_constructor(|| Histogram::new(SOLVE_SECONDS)),
            waited: Family::default(),
            cache_hits: Counter::default(),
            cache_misses: Counter::default(),
            jobs_refused: Family::default(),
            connections: Gauge::default(),
        };
        // A rate is only seen to rise from 0 if there was a 0.
        for reason in [Refused::Full, Refused::Away, Refused::TooLarge] {
            let _ = metrics.jobs_refused.get_or_create(&Reason { reason: reason.word() });
        }
        metrics
    }

    /// Counts a request that was answered, or that its client didn't wait for.
    pub fn count_request(
        &self,
        route: Option<&str>,
        method: &'static str,
        answer: Option<(StatusCode, &'static str)>,
        took: Duration,
    ) {
        let route = route.unwrap_or("none").to_owned();
        let (status, outcome) =
            answer.map_or((None, "hung-up"), |(status, outcome)| (Some(status.as_u16()), outcome));
        self.request_seconds.get_or_create(&Route { route: route.clone() }).observe(took.as_secs_f64());
        self.requests.get_or_create(&Request { route, method, status, outcome }).inc();
    }

    /// Counts a solver that came to an end.
    pub fn count_solve(&self, puzzle: &'static str, rendered: &Rendered) {
        let solve = Solve { puzzle, outcome: rendered.status, method: rendered.method };
        self.solve_seconds.get_or_create(&solve).observe(rendered.took.as_secs_f64());
    }

    /// Counts an answer that was asked for: whether it was there already.
    pub fn count_look_up(&self, was_there: bool) {
        let counter = if was_there { &self.cache_hits } else { &self.cache_misses };
        counter.inc();
    }

    /// Counts a job that wasn't taken.
    pub fn count_refused_job(&self, refused: Refused) {
        self.jobs_refused.get_or_create(&Reason { reason: refused.word() }).inc();
    }

    /// Counts a connection as open until what is returned is dropped.
    #[must_use]
    pub fn open_connection(&self) -> Open {
        self.connections.inc();
        Open(self.connections.clone())
    }

    /// Counts a request that waits for a solver, when it is known how that ends.
    #[must_use]
    pub fn wait(&self, puzzle: &'static str) -> Waiting {
        Waiting { waited: self.waited.clone(), puzzle, end: "cancelled" }
    }

    fn register(&self, registry: &mut Registry) {
        registry.register(
            "requests",
            "Requests by what became of them; without a status, the client left first",
            self.requests.clone(),
        );
        registry.register_with_unit(
            "request_duration",
            "Time from the head of a request to the head of its answer",
            Unit::Seconds,
            self.request_seconds.clone(),
        );
        registry.register_with_unit(
            "solve_duration",
            "Time on a solver thread, check and rendering included; for what is impossible, method is the kind of proof",
            Unit::Seconds,
            self.solve_seconds.clone(),
        );
        registry.register(
            "solves",
            "Requests that needed a solver, by how that ended for them",
            self.waited.clone(),
        );
        registry.register("cache_hits", "Answers that were in the cache", self.cache_hits.clone());
        registry.register("cache_misses", "Answers that were not in the cache", self.cache_misses.clone());
        registry.register("jobs_refused", "Jobs that were not taken", self.jobs_refused.clone());
        registry.register("connections", "Open connections", self.connections.clone());
    }
}

/// An open connection.
#[derive(Debug)]
pub struct Open(Gauge);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A request that waits for a solver. One that is dropped without an end is cancelled.
#[derive(Debug)]
pub struct Waiting {
    waited: Family<Waited, Counter>,
    puzzle: &'static str,
    end: &'static str,
}

impl Waiting {
    /// It has what it waited for.
    pub fn succeed(mut self) {
        self.end = "done";
    }

    /// Its time is over.
    pub fn time_out(mut self) {
        self.end = "timed-out";
    }

    /// It gets this problem instead.
    pub fn fail(mut self, problem: &Problem) {
        self.end = match problem.kind() {
            Kind::Overloaded => "refused",
            Kind::SolveTimeout => "timed-out",
            _ => "failed",
        };
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.waited.get_or_create(&Waited { puzzle: self.puzzle, end: self.end }).inc();
    }
}

/// The name of the method, if it is one of those that anything here takes or that are usual; a client may make up others.
#[must_use]
pub fn known(method: &Method) -> &'static str {
    const KNOWN: [(Method, &str); 7] = [
        (Method::GET, "GET"),
        (Method::HEAD, "HEAD"),
        (Method::POST, "POST"),
        (Method::DELETE, "DELETE"),
        (Method::PUT, "PUT"),
        (Method::PATCH, "PATCH"),
        (Method::OPTIONS, "OPTIONS"),
    ];
    KNOWN.iter().find(|(known, _)| known == method).map_or("other", |(_, word)| word)
}

/// All metrics as text.
///
/// # Panics
/// Never: a string takes whatever is written to it.
#[must_use]
pub fn page(app: &App) -> String {
    let mut registry = Registry::with_prefix(PREFIX);
    app.metrics.register(&mut registry);
    register_state(app, &mut registry);
    register_jobs(&app.jobs.census(), &mut registry);
    let mut text = String::new();
    encode(&mut text, &registry).expect("a string takes whatever is written to it");
    text
}

fn register_state(app: &App, registry: &mut Registry) {
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    registry.register("build", "The version of the program", Info::new(version));
    let ready = app.unready().is_none();
    registry.register("ready", "Whether the server is willing to take work", gauge(ready.into()));
    let under_way = app.requests.len();
    registry.register("requests_under_way", "Requests without an answer yet", gauge(under_way));

    let [threads, busy, waiting] = [(); 3].map(|()| Family::<InLane, Gauge>::default());
    for weight in Weight::ALL {
        let lane = InLane { lane: weight.word() };
        let (runs, waits) = app.engine.load(weight);
        let values = [(&threads, app.engine.width(weight)), (&busy, runs), (&waiting, waits)];
        for (family, value) in values {
            family.get_or_create(&lane).set(signed(value as u64));
        }
    }
    registry.register("engine_threads", "Solvers that may run at once", threads);
    registry.register(
        "engine_busy",
        "Solvers that run on a thread of the lane; what is brief runs where it is asked for",
        busy,
    );
    registry.register("engine_waiting", "Solves that wait for a thread", waiting);

    let (answers, bytes) = app.answers.held();
    registry.register("cache_answers", "Answers in the cache", gauge(answers));
    let bytes = gauge(usize::try_from(bytes).unwrap_or(usize::MAX));
    registry.register_with_unit("cache", "What the answers in the cache take", Unit::Bytes, bytes);
}

fn register_jobs(census: &Census, registry: &mut Registry) {
    let is_there = gauge(census.is_there.into());
    registry.register("jobs_available", "Whether what keeps the jobs can be reached", is_there);
    let jobs = Family::<JobStatus, Gauge>::default();
    let ended = Family::<JobStatus, Counter>::default();
    for status in Status::ALL {
        let label = JobStatus { status: status.word() };
        jobs.get_or_create(&label).set(signed(census.jobs[status as usize]));
        if status.is_end() {
            ended.get_or_create(&label).inc_by(census.ended[status as usize]);
        }
    }
    registry.register(
        "jobs",
        "Jobs that go on or are kept; servers that share a broker all tell of all",
        jobs,
    );
    registry.register("jobs_ended", "Jobs that this server saw end", ended);
    let left = gauge(usize::try_from(census.parts_left).unwrap_or(usize::MAX));
    registry.register("job_parts_left", "Parts that are still to do of the jobs that go on", left);
    let done = Counter::<u64>::default();
    done.inc_by(census.parts_done);
    registry.register("job_parts_done", "Parts of jobs that this server saw being done", done);
}

/// One of the engine's lanes.
#[derive(Clone, PartialEq, Eq, Hash, EncodeLabelSet, Debug)]
struct InLane {
    lane: &'static str,
}

fn gauge(value: usize) -> Gauge {
    let gauge = Gauge::default();
    gauge.set(signed(value as u64));
    gauge
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_a_client_makes_up_are_one() {
        assert_eq!(known(&Method::DELETE), "DELETE");
        assert_eq!(known(&Method::from_bytes(b"BREW").unwrap()), "other");
        assert_eq!(known(&Method::from_bytes(b"get").unwrap()), "other");
    }

    #[test]
    fn a_request_that_nobody_waits_for_is_cancelled() {
        let metrics = Metrics::new();
        let ended = |end| metrics.waited.get_or_create(&Waited { puzzle: "queens", end }).get();
        drop(metrics.wait("queens"));
        metrics.wait("queens").succeed();
        metrics.wait("queens").fail(&Problem::overloaded(Duration::ZERO));
        metrics.wait("queens").fail(&Problem::internal());
        metrics.wait("queens").time_out();
        for end in ["cancelled", "done", "refused", "failed", "timed-out"] {
            assert_eq!(ended(end), 1, "{end}");
        }
    }
}
