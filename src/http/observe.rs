//! One span and one log line for each request.

use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body::Body;
use tower_http::request_id::RequestId;
use tracing::{Instrument, field};

use super::App;
use super::metrics::{Outcome, known};
use super::puzzle::millis;
use super::trace::Trace;

/// Opens the request's span, counts it among those under way, and logs how it ended. While the server drains, every
/// answer also closes its connection.
pub async fn observe(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().and_then(|id| id.header_value().to_str().ok());
    let span = tracing::info_span!(
        "request",
        id,
        method = %request.method(),
        path = request.uri().path(),
        trace_id = field::Empty,
        parent_id = field::Empty,
        puzzle = field::Empty,
        size = field::Empty,
        lane = field::Empty,
        outcome = field::Empty,
        solve_ms = field::Empty,
        otel.name = field::Empty,
        otel.kind = field::Empty,
    );
    let route = request.extensions().get::<MatchedPath>().cloned();
    let method = known(request.method());
    let trace = Trace::begin(&span, request.headers(), || {
        // By the route alone: a name for each path would be a name for each job.
        route.as_ref().map_or_else(|| method.to_owned(), |route| format!("{method} {}", route.as_str()))
    });
    request.extensions_mut().insert(trace);
    let under_way = app.requests.token();
    let mut ending = Ending {
        span: span.clone(),
        started: Instant::now(),
        app: app.clone(),
        trace,
        route,
        method,
        answered: false,
    };
    let mut response = next.run(request).instrument(span.clone()).await;
    drop(under_way);
    ending.answer(&response);

    if app.is_draining() {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Logs and counts how a request ends: by an answer, or, when the request's future is dropped in its middle, by a
/// client that left.
struct Ending {
    span: tracing::Span,
    started: Instant,
    app: App,
    trace: Trace,
    route: Option<MatchedPath>,
    method: &'static str,
    answered: bool,
}

impl Ending {
    fn answer(&mut self, response: &Response) {
        self.answered = true;
        let (took, status) = (self.started.elapsed(), response.status());
        self.note(Some((status, Outcome::of(response))), took);
        // Nobody knows yet how long a stream will be.
        let bytes = response.body().size_hint().exact();
        self.span.in_scope(|| {
            tracing::info!(status = status.as_u16(), ms = millis(took), bytes, "answered");
        });
    }

    /// Counts how it ended, and adds that to the span.
    fn note(&self, answer: Option<(StatusCode, &'static str)>, took: Duration) {
        let route = self.route.as_ref().map(MatchedPath::as_str);
        self.app.metrics.count_request(route, self.method, answer, took);
        self.trace.describe(&self.span, self.method, route, answer.map(|(status, _)| status.as_u16()));
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if !self.answered {
            let took = self.started.elapsed();
            self.note(None, took);
            self.span.in_scope(|| tracing::info!(ms = millis(took), "the client hung up"));
        }
    }
}
