//! What surrounds the puzzles: the contract's document, the pages that explain problems, and health.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{Html, IntoResponse, Response};

use super::App;
use super::metrics;
use super::problem::{Kind, Problem};

const OPENAPI_YAML: &str = include_str!("../../openapi.yaml");

const OPENAPI_JSON: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// What `/` says to those who aren't a browser: a screen of help, with commands that work against the address under which the client knows this server.
#[must_use]
pub fn help(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).filter(|host| {
        // It goes into commands that people copy.
        host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".:-[]_".contains(&byte))
    });
    HELP.replace("{host}", host.unwrap_or("localhost:8080"))
}

const HELP: &str = "\
chessboard-solver: L-tromino tilings, knight's tours and n queens

  curl '{host}/tromino?size=8&holes=2,5&format=text'
  curl '{host}/tromino?rows=5&cols=6&count=true'
  curl '{host}/knight-tour?size=8&start=0,0&closed=true&format=text'
  curl '{host}/knight-tour?size=6&start=0,0&end=5,4'
  curl '{host}/queens?size=8&format=text'
  curl '{host}/queens?size=12&limit=3'
  curl -i -H 'Prefer: respond-async, wait=2' '{host}/queens?size=20&count=true'
  curl {host}/queens --json '{\"size\": 8, \"queens\": [[0, 4]], \"unique\": true}'

Squares are row,col from 0, from the top left. format=svg draws a picture. Answers are solved, or impossible with
a proof. A slow request ends after timeout_ms with status 504, and hanging up stops the work. Prefer: respond-async
makes a job of it, at the address in Location.

  {host}/                   in a browser: the puzzles on a board to touch
  {host}/docs               every field and every answer, to try in a browser
  {host}/openapi.yaml       the same for programs
  {host}/problems/...       what the type of an error means
  {host}/healthz, /readyz   alive; willing to take work
  {host}/metrics            what is counted, for Prometheus
";

/// `GET /openapi.yaml`: the contract as it is kept.
pub async fn openapi_yaml() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/yaml")], OPENAPI_YAML)
}

/// `GET /openapi.json`: the same document for tools that don't read YAML.
pub async fn openapi_json() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI_JSON)
}

/// `GET /problems/{slug}`: what a problem type means.
pub async fn problem_page(Path(slug): Path<String>) -> Result<Html<String>, Problem> {
    let kind = Kind::from_slug(&slug).ok_or_else(|| {
        let slugs: Vec<_> = Kind::ALL.iter().map(|kind| kind.slug()).collect();
        Problem::new(
            Kind::NotFound,
            format!("There is no such problem type; there are {}.", slugs.join(", ")),
        )
    })?;
    let (title, status, text) = (kind.title(), kind.status().as_u16(), kind.explanation());
    Ok(Html(format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{title}</title>\n<h1>{title}</h1>\n<p>HTTP status {status}.</p>\n\
         <p>{text}</p>\n</html>\n"
    )))
}

/// `GET /healthz`: the process is alive.
pub async fn healthz() -> &'static str {
    "alive\n"
}

/// `GET /readyz`: the server is willing to take all kinds of work; a problem while it drains, or while what keeps its
/// jobs is away.
pub async fn readyz(State(app): State<App>) -> Response {
    app.unready().map_or_else(|| "ready\n".into_response(), Problem::into_response)
}

/// `GET /metrics`: what the server counts about itself, for Prometheus.
pub async fn metrics(State(app): State<App>) -> impl IntoResponse {
    let headers = [(header::CONTENT_TYPE, metrics::CONTENT_TYPE), (header::CACHE_CONTROL, "no-store")];
    (headers, metrics::page(&app))
}
