//! `/jobs/{id}`: answers that take longer than a request may.
//!
//! A puzzle request that prefers not to wait [begins](begin) a job and gets its address. There a client asks how far
//! it is, follows it as a stream of [events], or [cancels](cancel) it.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use futures_util::stream;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::accept::Format;
use super::caching::ETag;
use super::form::Form;
use super::params::{Fields, Params, grouped};
use super::prefer::Preference;
use super::problem::{Kind, Problem};
use super::puzzle::{Puzzle, timed_out};
use super::trace::Trace;
use super::{App, Bounds, knight_tour, queens, tromino};
use crate::engine::jobs::{
    Answer, Found, Jobs, MAX_ANSWER, Order, Reader, Refused, Snapshot, Status, Stop, Task, Trouble,
};
use crate::puzzles::queens::Plan;
use crate::puzzles::{Budget, Interrupted};
use crate::render::Style;

/// The form of a job's answer.
const FORM: Form = Form { format: Format::Json, style: Style::Drawing };

/// The most squares of a board that a job draws: such a board takes some eight bytes a square.
const MAX_DRAWN: usize = MAX_ANSWER / 8;

/// The least time between two events.
const INTERVAL: Duration = Duration::from_millis(500);

/// The time after which a stream that has nothing to tell shows that it is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How soon it makes sense to ask for a job again, in seconds.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// A puzzle as a job does it.
struct PuzzleTask<P> {
    puzzle: Arc<P>,
    plan: OnceLock<Option<Plan>>,
}

impl<P: Puzzle> PuzzleTask<P> {
    fn plan(&self, budget: &Budget) -> Result<Option<&Plan>, Interrupted> {
        if let Some(plan) = self.plan.get() {
            return Ok(plan.as_ref());
        }
        let plan = self.puzzle.plan(budget)?;
        Ok(self.plan.get_or_init(|| plan).as_ref())
    }
}

impl<P: Puzzle> Task for PuzzleTask<P> {
    fn parts(&self, budget: &Budget) -> Result<usize, Interrupted> {
        // One part is no division.
        Ok(self.plan(budget)?.map_or(0, Plan::parts)).map(|parts| if parts > 1 { parts } else { 0 })
    }

    fn count(&self, part: usize, budget: &Budget) -> Result<u64, Interrupted> {
        self.plan(budget)?.map_or(Ok(0), |plan| plan.count(part, budget))
    }

    fn finish(&self, total: Option<u64>, budget: &Budget) -> Result<Answer, Stop> {
        let answer = match total {
            Some(total) => self.puzzle.solve_counted(total, FORM, budget)?,
            None => self.puzzle.solve(FORM, budget)?,
        };
        let rendered = answer.map_err(|wrong| Stop::Bug(wrong.0))?;
        let text = rendered.content.text(MAX_ANSWER).ok_or(Stop::TooLarge)?;
        Ok(Answer::from(text))
    }
}

/// What understands orders that were written down, on a machine with these bounds.
pub fn reader(bounds: Bounds) -> Reader {
    Reader::new(move |order| match order.puzzle.as_str() {
        tromino::Request::NAME => task::<tromino::Request>(order, &bounds),
        knight_tour::Request::NAME => task::<knight_tour::Request>(order, &bounds),
        queens::Request::NAME => task::<queens::Request>(order, &bounds),
        other => Err(format!("there is no puzzle {other:?}")),
    })
}

fn task<P: Puzzle>(order: &Order, bounds: &Bounds) -> Result<Arc<dyn Task>, String> {
    let params =
        Params::from_json(order.request.as_bytes()).map_err(|problem| problem.detail().to_owned())?;
    let mut fields = Fields::new(params, P::FIELDS);
    let puzzle = P::read(&mut fields, bounds, FORM.format);
    let puzzle = fields.finish(puzzle).map_err(|problem| problem.detail().to_owned())?;
    Ok(Arc::new(PuzzleTask { puzzle: Arc::new(puzzle), plan: OnceLock::new() }))
}

/// Adds a fault if the answer would be too large for a job.
pub fn check(fields: &mut Fields, puzzle: &impl Puzzle) {
    let (rows, cols) = puzzle.sides();
    let squares = rows.saturating_mul(cols);
    if puzzle.draws() && squares > MAX_DRAWN {
        let detail = format!(
            "must be false in a job on more than {} squares, got true with {}; without Prefer: respond-async there is \
             no such limit",
            grouped(MAX_DRAWN as u64),
            grouped(squares as u64)
        );
        fields.fault("board", detail);
    }
}

/// How a job begins.
pub enum Begun {
    /// Its answer was there in time.
    Answered(Answer),
    /// It goes on.
    Goes(Box<Snapshot>),
}

/// Begins a job, and waits so long for its answer. If the client hangs up meanwhile, so that nobody will ever know the
/// job's id, it is cancelled.
///
/// # Errors
/// The problem that tells why there is no job, or why there is no answer when that was known in time.
pub async fn begin<P: Puzzle>(
    app: &App,
    puzzle: Arc<P>,
    timeout: Option<Duration>,
    wait: Duration,
    trace: Option<Trace>,
) -> Result<Begun, Problem> {
    let deadline = Instant::now() + wait;
    let order = Order { puzzle: P::NAME.to_owned(), request: puzzle.canonical().to_string() };
    let task = Arc::new(PuzzleTask { puzzle, plan: OnceLock::new() });
    let submitted = app.jobs.submit(order, task, timeout, trace.map(|trace| trace.id.to_string())).await;
    let id = submitted.inspect_err(|why| app.metrics.count_refused_job(*why)).map_err(refused)?;
    tracing::info!(job = %id, "a job began");
    let mut unknown = Unknown { jobs: app.jobs.clone(), id: Some(id) };
    // Who doesn't wait always gets a job, however quick it may be: that can be relied upon.
    if !wait.is_zero()
        && let Some(mut changes) = app.jobs.watch(id).await.map_err(refused)?
    {
        let ended = async {
            loop {
                let job = found(app.jobs.find(id).await.map_err(refused)?)?;
                if job.status.is_end() || changes.changed().await.is_err() {
                    return Ok::<_, Problem>(());
                }
            }
        };
        if let Ok(ended) = timeout_at(deadline, ended).await {
            ended?;
        }
    }
    let job = found(app.jobs.find(id).await.map_err(refused)?)?;
    unknown.id = None;
    match (&job.answer, job.trouble) {
        (Some(answer), _) if !wait.is_zero() => Ok(Begun::Answered(Arc::clone(answer))),
        (_, Some(trouble)) if !wait.is_zero() => Err(problem(trouble)),
        _ => Ok(Begun::Goes(Box::new(job))),
    }
}

/// A job whose id nobody has been told. Cancels it when dropped.
struct Unknown {
    jobs: Jobs,
    id: Option<Uuid>,
}

impl Drop for Unknown {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            let jobs = self.jobs.clone();
            tokio::spawn(async move { jobs.cancel(id).await.map(drop) });
        }
    }
}

/// The answer that names a job instead of waiting for it.
pub fn accepted(job: &Snapshot, preference: &Preference) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::LOCATION, text(&format!("/jobs/{}", job.id))),
        (HeaderName::from_static("preference-applied"), text(&preference.applied())),
        (header::RETRY_AFTER, RETRY_AFTER),
    ];
    (StatusCode::ACCEPTED, headers, json(job)).into_response()
}

/// `GET /jobs/{id}`: how far the job is, and its answer in the end. A client that sends back the tag gets a 304 as long
/// as nothing has changed.
pub async fn show(
    State(app): State<App>,
    id: Result<Path<Uuid>, axum::extract::rejection::PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let job = look_up(&app, id.ok()).await?;
    let body = json(&job);
    let tag = ETag::of_text(&body);
    // The tag alone decides: what is kept has to be asked about again.
    let mut response = if tag.is_in(&headers) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::ETAG, tag.value());
    if !job.status.is_end() {
        headers.insert(header::RETRY_AFTER, RETRY_AFTER);
    }
    Ok(response)
}

/// `DELETE /jobs/{id}`: cancels the job and stops its work, unless an equal request shares that. A job that has ended
/// stays as it is.
pub async fn cancel(
    State(app): State<App>,
    id: Result<Path<Uuid>, axum::extract::rejection::PathRejection>,
) -> Result<StatusCode, Problem> {
    let Ok(Path(id)) = id else { return Err(unknown()) };
    found(app.jobs.cancel(id).await.map_err(refused)?)?;
    Ok(StatusCode::NO_CONTENT)
}

/// `GET /jobs/{id}/events`: the job as server-sent events. The first comes at once, further ones when it has changed,
/// at most two a second, and `done` is the last. Each says everything, so one that was missed is no loss and
/// `Last-Event-ID` makes no difference.
pub async fn events(
    State(app): State<App>,
    id: Result<Path<Uuid>, axum::extract::rejection::PathRejection>,
) -> Result<Response, Problem> {
    let id = id.ok().map(|Path(id)| id);
    let id = id.ok_or_else(unknown)?;
    // From before the first look on, so that no change is missed.
    let changes = app.jobs.watch(id).await.map_err(refused)?;
    let job = found(app.jobs.find(id).await.map_err(refused)?)?;
    let follow = Follow {
        jobs: app.jobs.clone(),
        draining: app.draining.clone(),
        changes: changes.unwrap_or_else(|| watch::channel(()).1),
        next: Some(job),
        last: Instant::now(),
        id,
    };
    let events = stream::unfold(follow, |mut follow| async {
        let event = follow.event().await?;
        Some((Ok::<_, Infallible>(event), follow))
    });
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Somebody who follows a job.
struct Follow {
    jobs: Jobs,
    draining: CancellationToken,
    changes: watch::Receiver<()>,
    /// What is to be told at once.
    next: Option<Snapshot>,
    last: Instant,
    id: Uuid,
}

impl Follow {
    /// The next event; `None` after the last one, when nobody can be asked any more, or when the server stops.
    async fn event(&mut self) -> Option<Event> {
        let job = match self.next.take() {
            Some(job) => job,
            None => self.change().await?,
        };
        self.last = Instant::now();
        let name = if job.status.is_end() { "done" } else { "progress" };
        let event = Event::default().event(name).data(json(&job).trim_end());
        if job.status.is_end() {
            self.id = Uuid::nil();
        }
        Some(event)
    }

    /// Waits until the job has changed, and for the time between two events unless it has ended.
    async fn change(&mut self) -> Option<Snapshot> {
        if self.id.is_nil() {
            return None;
        }
        let draining = self.draining.clone();
        let mut has_ended = tokio::select! {
            changed = self.changes.changed() => changed.is_err(),
            () = draining.cancelled() => return None,
        };
        while !has_ended {
            tokio::select! {
                () = sleep_until(self.last + INTERVAL) => break,
                changed = self.changes.changed() => has_ended = changed.is_err(),
                () = draining.cancelled() => return None,
            }
        }
        found(self.jobs.find(self.id).await.ok()?).ok()
    }
}

async fn look_up(app: &App, id: Option<Path<Uuid>>) -> Result<Snapshot, Problem> {
    // What isn't a UUID is no job's id.
    let Some(Path(id)) = id else { return Err(unknown()) };
    found(app.jobs.find(id).await.map_err(refused)?)
}

fn found(found: Found) -> Result<Snapshot, Problem> {
    match found {
        Found::Job(job) => Ok(job),
        Found::Gone => Err(Problem::new(
            Kind::Gone,
            "The job has ended, and the time for which its answer is kept is over. Send the request again.",
        )),
        Found::Unknown => Err(unknown()),
    }
}

fn unknown() -> Problem {
    Problem::new(
        Kind::NotFound,
        "There is no job with this id. The Location header of the answer to Prefer: respond-async has it.",
    )
}

fn refused(refused: Refused) -> Problem {
    match refused {
        Refused::Full => Problem::too_many_jobs(),
        Refused::Away => Problem::jobs_away(),
        Refused::TooLarge => Problem::new(
            Kind::InvalidRequest,
            "The request is too large for a job that machines share. Without Prefer: respond-async it is answered as \
             always.",
        ),
    }
}

/// What a client is told about a job that failed.
fn problem(trouble: Trouble) -> Problem {
    match trouble {
        Trouble::TimedOut(millis) => timed_out(Duration::from_millis(millis)),
        Trouble::TooLarge => Problem::new(
            Kind::InvalidRequest,
            format!(
                "The answer has more than {} MiB, which a job can't keep. Ask for fewer solutions, with board=false, \
                 or without Prefer: respond-async.",
                MAX_ANSWER / 1024 / 1024
            ),
        ),
        Trouble::Bug => Problem::new(
            Kind::InternalError,
            "The server has a bug that ended this job; its log has the detail, with the job's id beside that of the work.",
        ),
    }
}

#[derive(Serialize)]
struct Body<'a> {
    id: Uuid,
    status: Status,
    progress: Progress,
    puzzle: &'a str,
    request: &'a RawValue,
    result: Option<&'a RawValue>,
    problem: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Progress {
    done: u64,
    total: u64,
    seconds_left: Option<u64>,
}

/// A job as a JSON object in a line.
fn json(job: &Snapshot) -> String {
    fn raw(text: &str) -> Option<&RawValue> {
        serde_json::from_str(text).ok()
    }
    let problem = job.trouble.map(|trouble| problem(trouble).json());
    let problem = problem.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
    let body = Body {
        id: job.id,
        status: job.status,
        progress: Progress {
            done: job.progress.done,
            total: job.progress.total,
            seconds_left: job.progress.seconds_left,
        },
        puzzle: &job.order.puzzle,
        request: raw(&job.order.request).unwrap_or(RawValue::NULL),
        result: job.answer.as_deref().and_then(raw),
        problem: problem.and_then(raw),
    };
    let mut text = serde_json::to_string(&body).expect("numbers and JSON texts make JSON");
    text.push('\n');
    text
}

fn text(value: &str) -> HeaderValue {
    HeaderValue::try_from(value).expect("ASCII makes a header value")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { max_squares: 1 << 20, count_memory: 1 << 30 };

    /// The canonical text of a request that was sent as this one.
    fn canonical<P: Puzzle>(request: &str) -> String {
        let mut fields = Fields::new(Params::from_json(request.as_bytes()).unwrap(), P::FIELDS);
        let puzzle = P::read(&mut fields, &BOUNDS, FORM.format);
        fields.finish(puzzle).unwrap().canonical().to_string()
    }

    #[test]
    fn a_canonical_request_asks_for_the_same_when_it_is_read_again() {
        fn holds<P: Puzzle>(requests: &[&str]) {
            for request in requests {
                let once = canonical::<P>(request);
                assert_eq!(canonical::<P>(&once), once, "{request}");
                let order = Order { puzzle: P::NAME.to_owned(), request: once };
                reader(BOUNDS).read(&order).unwrap();
            }
        }
        holds::<tromino::Request>(&[
            r#"{"size": 8, "holes": [[5, 2], [0, 0], [7, 7], [1, 1]], "count": true}"#,
            r##"{"grid": ["..#", "...", "..."], "seed": 3, "board": false}"##,
        ]);
        holds::<knight_tour::Request>(&[
            r#"{"size": 6, "closed": true, "start": [0, 0], "end": [1, 2], "count": true, "path": true}"#,
            r#"{"rows": 5, "cols": 7, "clues": [[0, 0, 1], [2, 4, 12]], "blocked": [[4, 4], [0, 1]]}"#,
            r#"{"size": 9, "leaper": [4, 1], "method": "warnsdorff", "board": false}"#,
        ]);
        holds::<queens::Request>(&[
            r#"{"size": 8}"#,
            r#"{"size": 14, "count": false, "limit": 5, "offset": 3, "distinct": "fundamental"}"#,
            r#"{"size": 9, "queens": [[3, 3]], "blocked": [[8, 1], [0, 0]], "attack": "touch", "unique": true}"#,
            r#"{"size": 4, "regions": [[5, 5, 7, 7], [5, 5, 7, 7], [9, 9, -1, -1], [9, 9, -1, -1]], "seed": 4}"#,
        ]);
    }

    #[test]
    fn an_order_that_makes_no_sense_is_refused_with_the_reason() {
        for (puzzle, request, why) in [
            ("chess", "{}", "no puzzle"),
            ("queens", "{\"size\": 0}", "size must be"),
            ("tromino", "{\"size\": 2048}", "at most"),
            ("queens", "[]", "must be a JSON object"),
        ] {
            let order = Order { puzzle: puzzle.to_owned(), request: request.to_owned() };
            let error = reader(BOUNDS).read(&order).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
