//! The HTTP floor: a request becomes a problem that can't be wrong, a result becomes bytes.
//!
//! The router names every route, one line each, and then the layers in the order in which a request meets them.
//! Each puzzle has a file of its own with its fields, their validation, the handler and the answer.

mod accept;
mod answers;
mod caching;
mod compression;
mod cors;
mod docs;
mod files;
mod form;
pub mod jobs;
mod knight_tour;
mod metrics;
mod observe;
mod ops;
mod page;
pub mod params;
mod patience;
mod prefer;
pub mod problem;
mod puzzle;
mod queens;
mod rate;
pub mod serve;
mod trace;
mod tromino;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderMap, Method, Uri, Version, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};

use crate::config::{Access, JobSettings, Limits};
use crate::engine::jobs::Jobs;
use crate::engine::{Engine, message_of};
use answers::Answers;
use metrics::Metrics;
use params::{Field, Params};
use problem::{Kind, Problem};
use puzzle::{COMMON, Puzzle, handle};
use rate::Rate;

/// The largest body that a request may have, in bytes: 2 MiB.
pub const BODY_LIMIT: usize = 2 * 1024 * 1024;

/// What all handlers share. Clones share it too, and are as cheap as can be: every request makes some, on all threads.
#[derive(Clone, Debug)]
pub struct App(Arc<Shared>);

/// What an [`App`] stands for.
#[derive(Debug)]
pub struct Shared {
    engine: Engine,
    solve_timeout: Duration,
    body_timeout: Duration,
    bounds: Bounds,
    answers: Answers,
    jobs: Jobs,
    metrics: Metrics,
    draining: CancellationToken,
    requests: TaskTracker,
}

/// How large a puzzle may be.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most squares of a board.
    pub max_squares: u64,
    /// The most bytes that a count of knight's tours may take.
    pub count_memory: usize,
}

impl Bounds {
    /// The bounds that these settings set.
    #[must_use]
    pub fn of(limits: &Limits) -> Self {
        let count_memory = usize::try_from(limits.count_memory_bytes).unwrap_or(usize::MAX);
        Self { max_squares: limits.max_squares, count_memory }
    }
}

impl App {
    /// The shared state of a server with these settings, which goes on with the jobs that were left to it.
    ///
    /// # Errors
    /// A sentence for the operator when the jobs can't be had.
    pub async fn start(limits: &Limits, jobs: &JobSettings) -> Result<Self, String> {
        let bounds = Bounds::of(limits);
        let metrics = Metrics::new();
        Ok(Self(Arc::new(Shared {
            engine: Engine::new(limits.threads(), limits.solve_queue),
            solve_timeout: limits.solve_timeout(),
            body_timeout: Duration::from_millis(limits.body_timeout_ms),
            bounds,
            answers: Answers::new(limits.cache_bytes, metrics.clone()),
            jobs: Jobs::start(jobs.limits(limits), jobs.place(), &jobs::reader(bounds)).await?,
            metrics,
            draining: CancellationToken::new(),
            requests: TaskTracker::new(),
        })))
    }

    /// From now on the server says that it isn't ready, and closes each connection after the answer that is under way.
    pub fn drain(&self) {
        self.draining.cancel();
    }

    /// Whether the server is about to stop.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// Why the server is not willing to take all kinds of work, if it isn't.
    #[must_use]
    pub fn unready(&self) -> Option<Problem> {
        if self.is_draining() {
            Some(Problem::draining())
        } else if !self.jobs.are_there() {
            Some(Problem::jobs_away())
        } else {
            None
        }
    }

    /// Waits until no request is being worked on.
    pub async fn idle(&self) {
        self.requests.close();
        self.requests.wait().await;
    }

    /// The jobs.
    #[must_use]
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// What runs the solvers.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// All routes and layers.
pub fn router(app: App, access: &Access) -> Router {
    let mut work = Router::new()
        .route("/tromino", get(handle::<tromino::Request>).post(handle::<tromino::Request>))
        .route("/knight-tour", get(handle::<knight_tour::Request>).post(handle::<knight_tour::Request>))
        .route("/queens", get(handle::<queens::Request>).post(handle::<queens::Request>))
        .route("/jobs/{id}", get(jobs::show).delete(jobs::cancel))
        .route("/jobs/{id}/events", get(jobs::events));
    if let Some(a_second) = access.rate_limit {
        let rate = Rate::new(a_second, access.client_header.clone());
        work = work.route_layer(middleware::from_fn_with_state(rate, rate::limit));
    }
    let routes = Router::new()
        .merge(work)
        .route("/", get(page::root))
        .route("/web/{file}", get(page::file))
        .route("/openapi.yaml", get(ops::openapi_yaml))
        .route("/openapi.json", get(ops::openapi_json))
        .route("/docs", get(docs::page))
        .route("/docs/{file}", get(docs::file))
        .route("/problems/{slug}", get(ops::problem_page))
        .route("/healthz", get(ops::healthz))
        .route("/readyz", get(ops::readyz))
        .route("/metrics", get(ops::metrics))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(app.clone());
    layered(routes, app, access)
}

/// These routes behind the layers that every request goes through, in the order in which it meets them.
///
/// Public so that a benchmark can put a handler of its own there, and tell what the layers cost from what ours costs.
pub fn layered(routes: Router, app: App, access: &Access) -> Router {
    routes.layer(
        ServiceBuilder::new()
            // First the id, so that everything below can name the request; it goes out again with the answer.
            .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
            .layer(PropagateRequestIdLayer::x_request_id())
            // The log line of a request covers all that follows, a panic included.
            .layer(middleware::from_fn_with_state(app, observe::observe))
            // Preflights are answered here; everything else, errors included, tells the browser who may read it.
            .layer(cors::layer(&access.cors_origins))
            .layer(middleware::from_fn(compression::compress))
            // A bug in a handler is an answer, not a closed connection.
            .layer(CatchPanicLayer::custom(panicked))
            .layer(middleware::from_fn(expect_host))
            .layer(DefaultBodyLimit::max(BODY_LIMIT)),
    )
}

/// The fields that a puzzle's endpoint takes; `None` for another path.
///
/// The contract's document and this list are held to each other by a test.
#[must_use]
pub fn fields_of(path: &str) -> Option<Vec<Field>> {
    let own = match path {
        "/tromino" => tromino::Request::FIELDS,
        "/knight-tour" => knight_tour::Request::FIELDS,
        "/queens" => queens::Request::FIELDS,
        _ => return None,
    };
    Some([own, COMMON].concat())
}

/// The time that the solver will take for a GET of this path with this query, roughly, on a server with the default
/// bounds.
///
/// # Errors
/// The problem that the client would get. A path that is no puzzle's is not found.
pub fn predict(path: &str, query: &str) -> Result<Duration, Problem> {
    fn of<P: Puzzle>(query: &str) -> Result<Duration, Problem> {
        let bounds = Bounds { max_squares: 1 << 20, count_memory: 1 << 31 };
        let mut fields = params::Fields::new(params::Params::from_query(query)?, P::FIELDS);
        let puzzle = P::read(&mut fields, &bounds, accept::Format::Json);
        Ok(fields.finish(puzzle)?.predict())
    }
    match path {
        "/tromino" => of::<tromino::Request>(query),
        "/knight-tour" => of::<knight_tour::Request>(query),
        "/queens" => of::<queens::Request>(query),
        _ => Err(Problem::new(Kind::NotFound, format!("There is no puzzle at {path}."))),
    }
}

/// Refuses a request of HTTP/1.1 that doesn't name its host, once (RFC 9112, section 3.2).
async fn expect_host(request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    if request.version() == Version::HTTP_11 && hosts != 1 {
        let detail = format!("A request of HTTP/1.1 has one Host header, got {hosts}.");
        return Problem::new(Kind::MalformedRequest, detail).into_response();
    }
    next.run(request).await
}

/// A request that was read, without being solved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Understood {
    /// What is asked, as the smallest JSON object that asks for the same.
    pub request: String,
    /// The media type of the answer.
    pub media_type: &'static str,
}

/// Reads a GET or a POST of a puzzle as its endpoint does, and solves nothing; `None` for another path.
///
/// Reading is what meets all that a client may send, so this is what tests throw at it.
#[must_use]
pub fn understand(
    path: &str,
    params: Params,
    headers: &HeaderMap,
    bounds: &Bounds,
) -> Option<Result<Understood, Problem>> {
    fn read<P: Puzzle>(params: Params, headers: &HeaderMap, bounds: &Bounds) -> Result<Understood, Problem> {
        let puzzle::Asked { puzzle, form, .. } = puzzle::read::<P>(params, &Method::GET, headers, bounds)?;
        Ok(Understood { request: puzzle.canonical().to_string(), media_type: form.format.media_type() })
    }
    match path {
        "/tromino" => Some(read::<tromino::Request>(params, headers, bounds)),
        "/knight-tour" => Some(read::<knight_tour::Request>(params, headers, bounds)),
        "/queens" => Some(read::<queens::Request>(params, headers, bounds)),
        _ => None,
    }
}

async fn not_found(uri: Uri) -> Problem {
    let path = params::shortened(uri.path());
    Problem::new(
        Kind::NotFound,
        format!(
            "There is nothing at {path}. The puzzles are at /tromino, /knight-tour and /queens; /openapi.yaml lists every path."
        ),
    )
}

async fn method_not_allowed(method: Method, uri: Uri) -> Problem {
    let method = params::shortened(method.as_str());
    Problem::new(
        Kind::MethodNotAllowed,
        format!(
            "{} doesn't take {method}; the Allow header lists what it takes.",
            params::shortened(uri.path())
        ),
    )
}

// The signature is the layer's.
#[expect(clippy::needless_pass_by_value)]
fn panicked(payload: Box<dyn std::any::Any + Send>) -> Response {
    tracing::error!(panic = message_of(payload.as_ref()), "a handler panicked");
    Problem::internal().into_response()
}
