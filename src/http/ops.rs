//! What surrounds the puzzles: the contract's document, the pages that explain problems, and health.

use std::sync::LazyLock;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};

use super::App;
use super::problem::{Kind, Problem};

const OPENAPI_YAML: &str = include_str!("../../openapi.yaml");

static OPENAPI_JSON: LazyLock<String> = LazyLock::new(|| {
    let document: serde_json::Value =
        serde_saphyr::from_str(OPENAPI_YAML).expect("the embedded document is YAML, as a test makes sure");
    document.to_string()
});

/// `GET /openapi.yaml`: the contract as it is kept.
pub async fn openapi_yaml() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/yaml")], OPENAPI_YAML)
}

/// `GET /openapi.json`: the same document for tools that don't read YAML.
pub async fn openapi_json() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI_JSON.as_str())
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

/// `GET /readyz`: the server is willing to take work; a problem while it drains.
pub async fn readyz(State(app): State<App>) -> Response {
    if app.is_draining() { Problem::draining().into_response() } else { "ready\n".into_response() }
}
