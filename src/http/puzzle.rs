//! The way of a puzzle request, the same for all three: read the fields, solve on the engine, check, answer.

use std::convert::Infallible;
use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;

use super::App;
use super::accept::{Format, negotiate};
use super::params::{Field, Fields, Params, grouped};
use super::problem::{Kind, Problem};
use crate::board::Size;
use crate::engine::{Run, RunError};
use crate::puzzles::{Budget, Impossible, Interrupted};
use crate::render::json::Object;

/// A request to one of the puzzles.
pub trait PuzzleRequest: Sized + Send + 'static {
    /// The puzzle's name in the log.
    const PUZZLE: &'static str;

    /// The fields that it takes, [`TIMEOUT_MS`] among them.
    const FIELDS: &'static [Field];

    /// Takes the fields. Faults are added to `fields`; `None` after some.
    fn read(fields: &mut Fields, app: &App) -> Option<Self>;

    /// The size of the board, for the log.
    fn size(&self) -> String;

    /// Solves the puzzle and checks the solution.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    fn solve(self, budget: &Budget) -> Result<Result<Answer, Wrong>, Interrupted>;
}

/// The field that all puzzles take and that [`handle`] reads.
pub const TIMEOUT_MS: Field = Field::one("timeout_ms");

/// Handles `GET` and `POST` of a puzzle.
pub async fn handle<R: PuzzleRequest>(
    State(app): State<App>,
    headers: HeaderMap,
    params: Params,
) -> Result<Response, Problem> {
    negotiate(&headers, &[Format::Json])?;
    let mut fields = Fields::new(params, R::FIELDS);
    let request = R::read(&mut fields, &app);
    // Any length is allowed, for the client needn't know the server's own limit.
    let timeout = fields.integer(TIMEOUT_MS.name, 1..=u64::MAX).map(Duration::from_millis);
    let timeout = timeout.map_or(app.solve_timeout, |asked| asked.min(app.solve_timeout));
    let request = fields.finish(request)?;

    let span = tracing::Span::current();
    span.record("puzzle", R::PUZZLE);
    span.record("size", request.size());
    let run = app.engine.run(timeout, |budget| request.solve(budget)).await;
    let Run { result, took } = run.map_err(|error| failure(error, timeout))?;
    let answer = result.map_err(|Wrong(what)| {
        tracing::error!(what, "A SOLVER GAVE A WRONG ANSWER, which was not sent");
        Problem::internal()
    })?;
    span.record("outcome", answer.status);
    span.record("solve_ms", millis(took));
    Ok(respond(answer, took))
}

/// What a solve ended with, ready to be sent.
#[derive(Debug)]
pub struct Answer {
    status: &'static str,
    object: Object,
}

impl Answer {
    /// An answer with this status; the fields follow.
    fn new(status: &'static str) -> Self {
        let mut object = Object::new();
        object.field("status", status);
        Self { status, object }
    }

    /// The problem is solved, and `fill` adds the fields that tell the solution.
    pub fn solved(fill: impl FnOnce(&mut Object)) -> Self {
        let mut answer = Self::new("solved");
        fill(&mut answer.object);
        answer
    }

    /// The problem has no solution; `fill` adds what was asked, and what an absent solution counts as.
    pub fn impossible(impossible: &Impossible, fill: impl FnOnce(&mut Object)) -> Self {
        let mut answer = Self::new("impossible");
        answer.object.field("reason", &impossible.reason);
        answer.object.field("proof", impossible.proof.word());
        fill(&mut answer.object);
        answer
    }

    /// The heuristic that was asked for is stuck, and `fill` adds how far it came.
    pub fn stuck(fill: impl FnOnce(&mut Object)) -> Self {
        let mut answer = Self::new("stuck");
        fill(&mut answer.object);
        answer
    }
}

/// A solver's answer that failed the check. What it says is for the log alone.
#[derive(Debug)]
pub struct Wrong(pub String);

/// Adds the member `board`: the rows that `fill` writes, or null when the client doesn't want them.
pub fn board<F>(object: &mut Object, wanted: bool, size: Size, fill: F)
where
    F: FnMut(usize, &mut [u32]) + Send + 'static,
{
    if wanted {
        object.matrix("board", size.rows(), size.cols(), fill);
    } else {
        object.field("board", &());
    }
}

fn respond(answer: Answer, took: Duration) -> Response {
    let timing = format!("solve;dur={:.3}", millis(took));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (
            HeaderName::from_static("server-timing"),
            HeaderValue::try_from(timing).expect("digits and letters make a header value"),
        ),
    ];
    (headers, body(answer.object)).into_response()
}

/// A small answer in one piece, with its length; a large one as the client takes it.
fn body(object: Object) -> Body {
    let small = object.is_small();
    let mut chunks = object.into_chunks();
    if small {
        return Body::from(chunks.collect::<Vec<_>>().concat());
    }
    Body::from_stream(stream::poll_fn(move |_| Poll::Ready(chunks.next().map(Ok::<_, Infallible>))))
}

fn failure(error: RunError, timeout: Duration) -> Problem {
    match error {
        RunError::Overloaded { retry_after } => Problem::overloaded(retry_after),
        RunError::TimedOut => timed_out(timeout),
        RunError::Panicked(message) => {
            tracing::error!(panic = message, "a solver panicked");
            Problem::internal()
        }
    }
}

fn timed_out(timeout: Duration) -> Problem {
    Problem::new(
        Kind::SolveTimeout,
        format!(
            "There was no answer within {} ms, and the work has stopped. Ask with a larger timeout_ms, if the server's \
             own limit allows it, or for a smaller board.",
            grouped(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX))
        ),
    )
}

/// In milliseconds, to the microsecond.
pub fn millis(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::http::Request;
    use axum::routing::get;
    use clap::Parser;
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    /// A puzzle with bugs.
    struct Broken {
        panics: bool,
    }

    impl PuzzleRequest for Broken {
        const PUZZLE: &'static str = "broken";
        const FIELDS: &'static [Field] = &[Field::one("panics"), TIMEOUT_MS];

        fn read(fields: &mut Fields, _: &App) -> Option<Self> {
            Some(Self { panics: fields.boolean("panics")? })
        }

        fn size(&self) -> String {
            String::new()
        }

        fn solve(self, _: &Budget) -> Result<Result<Answer, Wrong>, Interrupted> {
            assert!(!self.panics, "the secret cause");
            Ok(Err(Wrong("the secret mistake".to_owned())))
        }
    }

    #[tokio::test]
    async fn a_wrong_answer_and_a_panic_are_internal_errors_that_tell_nothing() {
        let limits = crate::config::Config::parse_from(["chessboard-solver"]).limits;
        let app = App::new(&limits);
        let router = Router::new().route("/broken", get(handle::<Broken>)).with_state(app.clone());
        for panics in ["true", "false"] {
            let request = Request::get(format!("/broken?panics={panics}")).body(Body::empty()).unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), 500);
            let body = response.into_body().collect().await.unwrap().to_bytes();
            let body = String::from_utf8(body.to_vec()).unwrap();
            assert!(body.contains("/problems/internal-error") && !body.contains("secret"), "{body}");
            assert_eq!(app.engine.load(), (0, 0), "the permit is back");
        }
    }
}
