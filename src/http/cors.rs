//! Who may call from a browser (the Fetch standard's CORS protocol).

use std::time::Duration;

use axum::http::{HeaderName, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::config::Origins;

/// How long a browser may remember the answer to a preflight: the longest that any of them accepts.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// The layer that answers preflights and lets pages of these origins read answers.
pub fn layer(origins: &Origins) -> CorsLayer {
    let layer = CorsLayer::new()
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::DELETE])
        .allow_headers([
            header::CONTENT_TYPE,
            header::IF_NONE_MATCH,
            HeaderName::from_static("prefer"),
            HeaderName::from_static("x-request-id"),
            HeaderName::from_static("last-event-id"),
        ])
        .expose_headers([
            header::ETAG,
            header::LOCATION,
            header::RETRY_AFTER,
            HeaderName::from_static("preference-applied"),
            HeaderName::from_static("server-timing"),
            HeaderName::from_static("x-request-id"),
        ])
        .max_age(REMEMBERED);
    match origins {
        Origins::Any => layer.allow_origin(AllowOrigin::any()).vary([]),
        Origins::These(origins) => {
            layer.allow_origin(AllowOrigin::list(origins.clone())).vary([header::ORIGIN])
        }
    }
}
