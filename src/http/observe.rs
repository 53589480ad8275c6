//! One span and one log line for each request.

use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use tower_http::request_id::RequestId;
use tracing::{Instrument, field};

use super::App;
use super::puzzle::millis;

/// Opens the request's span, counts it among those under way, and logs how it ended. While the server drains, every
/// answer also closes its connection.
pub async fn observe(State(app): State<App>, request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().and_then(|id| id.header_value().to_str().ok());
    let span = tracing::info_span!(
        "request",
        id,
        method = %request.method(),
        path = request.uri().path(),
        puzzle = field::Empty,
        size = field::Empty,
        lane = field::Empty,
        outcome = field::Empty,
        solve_ms = field::Empty,
    );
    let under_way = app.requests.token();
    let mut hang_up = HangUp { span: span.clone(), started: Instant::now(), answered: false };
    let mut response = next.run(request).instrument(span.clone()).await;
    hang_up.answered = true;
    drop(under_way);

    if app.is_draining() {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    span.in_scope(|| {
        tracing::info!(status = response.status().as_u16(), ms = hang_up.millis(), "answered");
    });
    response
}

/// Logs a client that left: then the request's future is dropped in its middle.
struct HangUp {
    span: tracing::Span,
    started: Instant,
    answered: bool,
}

impl HangUp {
    fn millis(&self) -> f64 {
        millis(self.started.elapsed())
    }
}

impl Drop for HangUp {
    fn drop(&mut self) {
        if !self.answered {
            self.span.in_scope(|| tracing::info!(ms = self.millis(), "the client hung up"));
        }
    }
}
