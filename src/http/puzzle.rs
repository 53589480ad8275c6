//! The way of a puzzle request, the same for all three.
//!
//! [`handle`] reads the fields, settles on the form of the answer, and looks whether the client has it already. Then it
//! asks [`Answers`](super::answers::Answers) for it, which keeps recent ones and shares those that are under way. Only
//! if nobody has it a solver runs, and what it finds is checked before anything else happens to it. What differs
//! between the puzzles is in their [`Puzzle`] implementations.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::future::ready;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tracing::field::display;

use super::accept::{Format, negotiate};
use super::answers::{Got, Key};
use super::caching::ETag;
use super::compression::Numbers;
use super::form::{Content, Form, Rendered};
use super::jobs::{self, Begun};
use super::metrics::{Outcome, Waiting};
use super::params::{Field, Fields, Params, grouped};
use super::prefer::Preference;
use super::problem::{Kind, Problem};
use super::trace::Trace;
use super::{App, Bounds};
use crate::board::{Size, Square};
use crate::engine::{Outlet, Reading, RunError, Weight};
use crate::puzzles::queens::Plan;
use crate::puzzles::{Budget, Interrupted};
use crate::render::Style;
use crate::render::json::Object;

/// A checked request to one of the puzzles.
pub trait Puzzle: Sized + Send + Sync + 'static {
    /// The puzzle's name, as its path has it.
    const NAME: &'static str;

    /// The fields that it takes beside the [common](COMMON) ones.
    const FIELDS: &'static [Field];

    /// The styles in which it writes text, by the word that asks for each.
    const STYLES: &'static [(&'static str, Style)];

    /// The formats in which it answers, the default first.
    const FORMATS: &'static [Format] = &[Format::Json, Format::Text, Format::Svg];

    /// Takes the fields of a request for an answer in this format. Faults are added to `fields`; `None` after some.
    fn read(fields: &mut Fields, bounds: &Bounds, format: Format) -> Option<Self>;

    /// What is asked, as the smallest JSON object that asks for the same: no field that has its default, and every
    /// list in order.
    fn canonical(&self) -> Value;

    /// The number of rows and of columns. (Not a [`Size`]: a million queens stand on more squares than that can have.)
    fn sides(&self) -> (usize, usize);

    /// Whether the client wants to see the board.
    fn draws(&self) -> bool;

    /// Solves the puzzle, checks what was found, and answers in the form that was asked for.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    fn solve(&self, form: Form, budget: &Budget) -> Result<Result<Rendered, Wrong>, Interrupted>;

    /// The time that it will take, roughly.
    fn predict(&self) -> Duration;

    /// The plan by which what the puzzle counts can be counted in parts; `None` if it isn't divided.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    fn plan(&self, _: &Budget) -> Result<Option<Plan>, Interrupted> {
        Ok(None)
    }

    /// Solves the puzzle as [`solve`](Self::solve) does, where the parts of its plan count `total`.
    ///
    /// # Errors
    /// [`Interrupted`] when the budget ran out first.
    fn solve_counted(
        &self,
        _total: u64,
        form: Form,
        budget: &Budget,
    ) -> Result<Result<Rendered, Wrong>, Interrupted> {
        self.solve(form, budget)
    }

    /// Solves the puzzle and writes one line after the other as it goes. Only for puzzles that have such a format.
    fn write_lines(&self, _: &Budget, _: &mut Outlet) {}
}

/// A solver's answer that failed the check. What it says is for the log alone.
#[derive(Debug)]
pub struct Wrong(pub String);

const FORMAT: &str = "format";
const STYLE: &str = "style";
const TIMEOUT_MS: &str = "timeout_ms";

/// The fields that all puzzles take and that [`handle`] reads.
pub const COMMON: &[Field] = &[Field::one(TIMEOUT_MS), Field::one(FORMAT), Field::one(STYLE)];

/// Handles `GET`, `HEAD` and `POST` of a puzzle.
pub async fn handle<P: Puzzle>(
    State(app): State<App>,
    trace: Option<Extension<Trace>>,
    method: Method,
    headers: HeaderMap,
    params: Params,
) -> Result<Response, Problem> {
    let Asked { puzzle, form, timeout: asked, preference } =
        read::<P>(params, &method, &headers, &app.bounds)?;
    let timeout = asked.map_or(app.solve_timeout, |asked| asked.min(app.solve_timeout));

    let span = tracing::Span::current();
    span.record("puzzle", P::NAME);
    let (rows, cols) = puzzle.sides();
    span.record("size", display(format_args!("{rows} × {cols}")));

    if form.format == Format::Ndjson {
        let lines = move |budget: &Budget, outlet: &mut Outlet| puzzle.write_lines(budget, outlet);
        let waiting = app.metrics.wait(P::NAME);
        let deadline = Instant::now() + timeout;
        return match app.engine.stream(timeout, lines).await {
            Ok(reading) => Ok(lines_of(reading, waiting, deadline)),
            Err(error) => {
                let problem = failure(error, timeout);
                waiting.fail(&problem);
                Err(problem)
            }
        };
    }
    let key = Key { puzzle: P::NAME, form, request: puzzle.canonical().to_string() };
    // The answer to a POST is in no cache but the server's own.
    let tag = (method != Method::POST).then(|| ETag::of(&key));
    if let Some(tag) = tag.as_ref().filter(|tag| tag.is_in(&headers)) {
        return Ok(tag.not_modified());
    }
    let puzzle = Arc::new(puzzle);
    if let Some(preference) = preference
        && !app.answers.has(&key)
    {
        let limit = preference.wait.min(app.solve_timeout);
        let trace = trace.map(|Extension(trace)| trace);
        match jobs::begin(&app, Arc::clone(&puzzle), asked, limit, trace).await? {
            Begun::Goes(job) => return Ok(jobs::accepted(&job, &preference)),
            Begun::Answered(text) if form.format == Format::Json => {
                let rendered = Rendered::of_job(&text);
                return Ok(respond(&Got { rendered: Arc::new(rendered), recent: false }, form, tag.as_ref()));
            }
            // It can be had in time, so it is made once more, in the form that was asked for.
            Begun::Answered(_) => {}
        }
    }
    let predicted = puzzle.predict();
    span.record("lane", Weight::of(predicted).word());
    let work = move |budget: &Budget| puzzle.solve(form, budget);
    let got = app.answers.get(key, predicted, timeout, app.solve_timeout, &app.engine, work).await?;
    span.record("outcome", got.rendered.status);
    span.record("solve_ms", millis(got.rendered.took));
    Ok(respond(&got, form, tag.as_ref()))
}

/// A request that was read, and in which nothing is wrong.
pub struct Asked<P> {
    /// The puzzle.
    pub puzzle: P,
    /// The form of the answer.
    pub form: Form,
    /// How long the client would wait, which may be more than the server lets it.
    pub timeout: Option<Duration>,
    /// The wish for a job, where there can be one.
    pub preference: Option<Preference>,
}

/// Reads a request.
///
/// # Errors
/// The problem that tells all that is wrong with it.
pub fn read<P: Puzzle>(
    params: Params,
    method: &Method,
    headers: &HeaderMap,
    bounds: &Bounds,
) -> Result<Asked<P>, Problem> {
    let mut fields = Fields::new(params, &[P::FIELDS, COMMON].concat());
    let form = form::<P>(&mut fields, headers)?;
    let puzzle = P::read(&mut fields, bounds, form.format);
    // Any length is allowed, for the client needn't know the server's own limit.
    let timeout = fields.integer(TIMEOUT_MS, 1..=u64::MAX).map(Duration::from_millis);
    let may_be_job = form.format != Format::Ndjson && method != Method::HEAD;
    let preference = Preference::of(headers).filter(|_| may_be_job);
    if let Some(puzzle) = &puzzle {
        form.check(&mut fields, puzzle.sides(), puzzle.draws());
        if preference.is_some() {
            jobs::check(&mut fields, puzzle);
        }
    }
    Ok(Asked { puzzle: fields.finish(puzzle)?, form, timeout, preference })
}

/// The form that the client asks for, by the fields `format` and `style`, else by its `Accept` header.
///
/// # Errors
/// A not-acceptable problem when the header rules all forms out.
fn form<P: Puzzle>(fields: &mut Fields, headers: &HeaderMap) -> Result<Form, Problem> {
    let words: Vec<_> = P::FORMATS.iter().map(|format| (format.word(), *format)).collect();
    let asked = fields.word(FORMAT, &words);
    let format =
        if fields.came(FORMAT) { asked.unwrap_or_default() } else { negotiate(headers, P::FORMATS)? };
    let style = fields.word(STYLE, P::STYLES);
    if style.is_some() && format != Format::Text {
        fields.fault(STYLE, format!("must only come with text, got it with {}", format.word()));
    }
    Ok(Form { format, style: style.unwrap_or_default() })
}

/// Lines that go out as they are found. They are too many to be kept anywhere.
fn lines_of(reading: Reading, waiting: Waiting, deadline: Instant) -> Response {
    // The wait is over with the last of them, if the client stays for it.
    let end = stream::once(async move {
        if Instant::now() < deadline {
            waiting.succeed();
        } else {
            waiting.time_out();
        }
    });
    let end = end.filter_map(|()| ready(None::<Bytes>));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(Format::Ndjson.content_type())),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    let lines = reading.chain(end).map(Ok::<_, Infallible>);
    let mut response = (headers, Body::from_stream(lines)).into_response();
    response.extensions_mut().insert(Outcome("streamed"));
    response
}

/// What the client is told when there is no answer.
pub fn failure(error: RunError, timeout: Duration) -> Problem {
    match error {
        RunError::Overloaded { retry_after } => Problem::overloaded(retry_after),
        RunError::TimedOut => timed_out(timeout),
        RunError::Panicked(message) => {
            tracing::error!(panic = message, "a solver panicked");
            Problem::internal()
        }
    }
}

fn respond(got: &Got, form: Form, tag: Option<&ETag>) -> Response {
    let timing = if got.recent {
        "solve;dur=0.000, cache;desc=hit".to_owned()
    } else {
        format!("solve;dur={:.3}", millis(got.rendered.took))
    };
    let mut response = got.rendered.content.body().into_response();
    response.extensions_mut().insert(Outcome(got.rendered.status));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(form.format.content_type()));
    headers.insert(
        HeaderName::from_static("server-timing"),
        HeaderValue::try_from(timing).expect("digits and letters make a header value"),
    );
    if let Some(tag) = tag {
        tag.add_to(headers);
    }
    if let Content::Pieces(json) = &got.rendered.content {
        response.extensions_mut().insert(Numbers(json.numbers()));
    }
    response
}

/// Adds the member `board`: the rows that `fill` writes, or null when the client doesn't want them.
pub fn board<F>(object: &mut Object, wanted: bool, size: Size, fill: F)
where
    F: Fn(usize, &mut [u32]) + Send + Sync + 'static,
{
    if wanted {
        object.matrix("board", size.rows(), size.cols(), fill);
    } else {
        object.field("board", &());
    }
}

/// A square as a JSON list.
#[must_use]
pub fn pair(square: Square) -> Value {
    json!([square.row, square.col])
}

/// Squares as a JSON list of lists.
#[must_use]
pub fn squares(squares: &[Square]) -> Value {
    squares.iter().copied().map(pair).collect()
}

/// The problem of a request whose time is over.
#[must_use]
pub fn timed_out(timeout: Duration) -> Problem {
    Problem::new(
        Kind::SolveTimeout,
        format!(
            "There was no answer within {} ms, and the work has stopped. Ask with a larger timeout_ms, if the \
             server's own limit allows it, or for a smaller board.",
            grouped(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX))
        ),
    )
}

/// In milliseconds, to the microsecond.
#[must_use]
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

    impl Puzzle for Broken {
        const NAME: &'static str = "broken";
        const FIELDS: &'static [Field] = &[Field::one("panics")];
        const STYLES: &'static [(&'static str, Style)] = &[];

        fn read(fields: &mut Fields, _: &Bounds, _: Format) -> Option<Self> {
            Some(Self { panics: fields.boolean("panics")? })
        }

        fn canonical(&self) -> Value {
            Value::Bool(self.panics)
        }

        fn sides(&self) -> (usize, usize) {
            (1, 1)
        }

        fn draws(&self) -> bool {
            true
        }

        fn predict(&self) -> Duration {
            Duration::ZERO
        }

        fn solve(&self, _: Form, _: &Budget) -> Result<Result<Rendered, Wrong>, Interrupted> {
            assert!(!self.panics, "the secret cause");
            Ok(Err(Wrong("the secret mistake".to_owned())))
        }
    }

    #[tokio::test]
    async fn a_wrong_answer_and_a_panic_are_internal_errors_that_tell_nothing() {
        let config = crate::config::Config::parse_from(["chessboard-solver"]);
        let app = App::start(&config.limits, &config.jobs).await.unwrap();
        let router = Router::new().route("/broken", get(handle::<Broken>)).with_state(app.clone());
        for panics in ["true", "false"] {
            let request = Request::get(format!("/broken?panics={panics}")).body(Body::empty()).unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), 500);
            let body = response.into_body().collect().await.unwrap().to_bytes();
            let body = String::from_utf8(body.to_vec()).unwrap();
            assert!(body.contains("/problems/internal-error") && !body.contains("secret"), "{body}");
            assert_eq!(app.engine.load(Weight::Light), (0, 0), "the permit is back");
        }
    }
}
