//! What a client is told when something is wrong: problem details as RFC 9457 has them.
//!
//! A [`Problem`] holds only what the client may know. What an operator needs beside it is logged where it
//! happens.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::params::shortened;

/// The media type of every error.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// The kinds of problem, one for each page under `/problems/`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Not JSON, not an object, or a bad query string.
    MalformedRequest,
    /// No such path.
    NotFound,
    /// The path is there, the method isn't.
    MethodNotAllowed,
    /// Nothing that the client accepts can be made.
    NotAcceptable,
    /// The body over its limit.
    BodyTooLarge,
    /// The body of another type than JSON.
    UnsupportedMediaType,
    /// Well-formed, but a field is wrong.
    InvalidRequest,
    /// A bug.
    InternalError,
    /// No room for the work now.
    Overloaded,
    /// The deadline passed before an answer.
    SolveTimeout,
    /// It was there once.
    Gone,
    /// The client took too long for the body of its request.
    RequestTimeout,
    /// The client asks more often than it may.
    TooManyRequests,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::MalformedRequest,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::BodyTooLarge,
        Self::UnsupportedMediaType,
        Self::InvalidRequest,
        Self::InternalError,
        Self::Overloaded,
        Self::SolveTimeout,
        Self::Gone,
        Self::RequestTimeout,
        Self::TooManyRequests,
    ];

    /// The HTTP status, the last part of the `type` URI, and the title.
    const fn facts(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::MalformedRequest => (StatusCode::BAD_REQUEST, "malformed-request", "Malformed request"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not-found", "Not found"),
            Self::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed")
            }
            Self::NotAcceptable => (StatusCode::NOT_ACCEPTABLE, "not-acceptable", "Not acceptable"),
            Self::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "body-too-large", "Body too large"),
            Self::UnsupportedMediaType => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", "Unsupported media type")
            }
            Self::InvalidRequest => (StatusCode::UNPROCESSABLE_ENTITY, "invalid-request", "Invalid request"),
            Self::InternalError => (StatusCode::INTERNAL_SERVER_ERROR, "internal-error", "Internal error"),
            Self::Overloaded => (StatusCode::SERVICE_UNAVAILABLE, "overloaded", "Overloaded"),
            Self::SolveTimeout => (StatusCode::GATEWAY_TIMEOUT, "solve-timeout", "Solve timeout"),
            Self::Gone => (StatusCode::GONE, "gone", "Gone"),
            Self::RequestTimeout => (StatusCode::REQUEST_TIMEOUT, "request-timeout", "Request timeout"),
            Self::TooManyRequests => {
                (StatusCode::TOO_MANY_REQUESTS, "too-many-requests", "Too many requests")
            }
        }
    }

    /// The HTTP status.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        self.facts().0
    }

    /// The last part of the `type` URI.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        self.facts().1
    }

    /// The title.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.facts().2
    }

    /// What it means and what to do about it, for the page under `/problems/`.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::MalformedRequest => {
                "The request could not be read at all: the body isn't one JSON object, or the query string isn't \
                 percent-encoded UTF-8. The detail says what was met and where. Mend the request; sending it again \
                 as it is will fail again."
            }
            Self::NotFound => {
                "There is nothing at this path. The puzzles are at /tromino, /knight-tour and /queens; \
                 /openapi.yaml lists every path."
            }
            Self::MethodNotAllowed => {
                "The path is there, but not for this method. The Allow header lists the methods that it takes."
            }
            Self::NotAcceptable => {
                "The Accept header rules out every form in which this answer can be given. The detail lists the \
                 forms; leave Accept out for JSON."
            }
            Self::BodyTooLarge => {
                "The body of the request is over the limit that the detail names. No puzzle within the server's \
                 limits needs a larger one."
            }
            Self::UnsupportedMediaType => {
                "A POST takes a JSON object and says so in its Content-Type: application/json. With curl, --json \
                 sets it."
            }
            Self::InvalidRequest => {
                "The request could be read, but what it asks for can't be: a field is unknown, missing, of the \
                 wrong type or out of its range, or two fields contradict each other. The list of errors names \
                 each field with what came and what is allowed."
            }
            Self::InternalError => {
                "The server has a bug. Its log has the detail, under the request id that the answer carries in \
                 x-request-id. Please report it."
            }
            Self::Overloaded => {
                "All solvers are busy and the queue is full, or the server is about to stop. Nothing was begun. \
                 Send the request again after the seconds that the Retry-After header names."
            }
            Self::SolveTimeout => {
                "The deadline passed before there was an answer, and the work has stopped; it says nothing about \
                 whether there is an answer. Ask with a larger timeout_ms, up to the server's own limit, or for a \
                 smaller board."
            }
            Self::Gone => {
                "There was such a job. It ended, its time to live is over, and its answer is forgotten. Send the \
                 request again for a new one."
            }
            Self::RequestTimeout => {
                "The body of the request did not arrive within the time that the server allows. Send it again over a \
                 connection that is quick enough; nothing was begun."
            }
            Self::TooManyRequests => {
                "This server lets each client ask so often and no oftener. Nothing was begun. Send the request again \
                 after the seconds that the Retry-After header names."
            }
        }
    }

    /// The kind with this slug.
    #[must_use]
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.slug() == slug)
    }
}

/// An error as the client sees it.
#[derive(Clone, Debug)]
pub struct Problem {
    kind: Kind,
    detail: String,
    errors: Vec<FieldError>,
    retry_after: Option<Duration>,
}

/// What is wrong with one field.
#[derive(Clone, Serialize, Debug)]
struct FieldError {
    field: String,
    detail: String,
}

#[derive(Serialize)]
struct Body<'a> {
    r#type: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
}

impl Problem {
    /// A problem of this kind; `detail` is a sentence or two for the person who sent the request.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), errors: Vec::new(), retry_after: None }
    }

    /// An invalid-request problem: `listed` holds the first of `count` faults, each a field's name and what is
    /// wrong with it.
    #[must_use]
    pub fn invalid(listed: Vec<(String, String)>, count: usize) -> Self {
        let detail = match &listed[..] {
            [(field, detail)] if count == 1 => {
                let end = if detail.ends_with('?') { "" } else { "." };
                format!("{} {detail}{end}", shortened(field))
            }
            _ if count > listed.len() => {
                format!("{count} things are wrong with the request; the first {} are listed.", listed.len())
            }
            _ => format!("{count} things are wrong with the request."),
        };
        let errors = listed
            .into_iter()
            .map(|(field, detail)| FieldError { field: shortened(&field), detail })
            .collect();
        Self { errors, ..Self::new(Kind::InvalidRequest, detail) }
    }

    /// A bug, whose detail belongs in the log alone.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(
            Kind::InternalError,
            "The server has a bug; its log has the detail under the id that this answer carries in x-request-id.",
        )
    }

    /// No room for the work; there may be after `retry_after`.
    #[must_use]
    pub fn overloaded(retry_after: Duration) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(Kind::Overloaded, "All solvers are busy and the queue is full; try again later.")
        }
    }

    /// The client asks more often than it may, and may again after `wait`.
    #[must_use]
    pub fn too_many_requests(wait: Duration) -> Self {
        Self {
            retry_after: Some(wait),
            ..Self::new(Kind::TooManyRequests, "You ask more often than this server allows; try again later.")
        }
    }

    /// There are as many jobs as there may be.
    #[must_use]
    pub fn too_many_jobs() -> Self {
        Self {
            retry_after: Some(Duration::from_secs(10)),
            ..Self::new(
                Kind::Overloaded,
                "The server has as many jobs as it takes; try again later, or cancel one of yours.",
            )
        }
    }

    /// Whoever keeps the jobs can't be reached.
    #[must_use]
    pub fn jobs_away() -> Self {
        Self {
            retry_after: Some(Duration::from_secs(5)),
            ..Self::new(
                Kind::Overloaded,
                "What keeps the server's jobs can't be reached at the moment. Requests without Prefer: \
                 respond-async are answered as always.",
            )
        }
    }

    /// The server is about to stop.
    #[must_use]
    pub fn draining() -> Self {
        Self {
            retry_after: Some(Duration::from_secs(1)),
            ..Self::new(Kind::Overloaded, "The server is about to stop and takes no more work.")
        }
    }

    /// What the person who sent the request is told.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The kind of problem.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }
}

impl Problem {
    /// The problem as a JSON object.
    #[must_use]
    pub fn json(&self) -> Vec<u8> {
        let body = Body {
            r#type: format!("/problems/{}", self.kind.slug()),
            title: self.kind.title(),
            status: self.kind.status().as_u16(),
            detail: &self.detail,
            errors: &self.errors,
        };
        serde_json::to_vec(&body).expect("a body of strings and numbers is JSON")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut bytes = self.json();
        bytes.push(b'\n');
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON)),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        ];
        let mut response = (self.kind.status(), headers, bytes).into_response();
        if let Some(after) = self.retry_after {
            let seconds = after.as_secs_f64().ceil().max(1.0) as u64;
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(self.kind);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_slug() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_slug(kind.slug()), Some(kind));
            assert!(kind.status().is_client_error() || kind.status().is_server_error());
        }
        assert_eq!(Kind::from_slug("nothing"), None);
    }

    #[test]
    fn many_faults_are_counted_and_the_first_are_listed() {
        let listed = (0..20).map(|n| (format!("field{n}"), "is wrong".to_owned())).collect();
        let problem = Problem::invalid(listed, 30);
        assert_eq!(problem.errors.len(), 20);
        assert_eq!(problem.detail, "30 things are wrong with the request; the first 20 are listed.");
    }

    #[test]
    fn a_wait_is_rounded_up_to_whole_seconds() {
        for (millis, seconds) in [(1, "1"), (1000, "1"), (1001, "2")] {
            let response = Problem::overloaded(Duration::from_millis(millis)).into_response();
            assert_eq!(response.headers()[header::RETRY_AFTER], seconds);
        }
    }
}
