//! What lets clients and proxies keep an answer: a tag that depends on the request and the version of the program
//! alone, so that it is known before anything is solved.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use xxhash_rust::xxh3::xxh3_128;

use super::answers::Key;

/// How long an answer may be kept without asking again: a day. It never changes under one version of the program.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=86400, immutable");

/// What the choice of an answer depends on beside its URL.
const VARY: HeaderValue = HeaderValue::from_static("Accept, Accept-Encoding");

/// The entity tag of an answer. It is weak, for a compressed answer has other bytes and the same tag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ETag(String);

impl ETag {
    /// The tag of the answer to this key.
    #[must_use]
    pub fn of(key: &Key) -> Self {
        let Key { puzzle, form, request } = key;
        let text = format!("{} {puzzle} {form:?} {request}", env!("CARGO_PKG_VERSION"));
        Self::of_text(&text)
    }

    /// The tag of this text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// The tag as the value of a header.
    ///
    /// # Panics
    /// Never: hexadecimal digits make a header value.
    #[must_use]
    pub fn value(&self) -> HeaderValue {
        HeaderValue::try_from(&self.0).expect("hexadecimal digits make a header value")
    }

    /// The tag of these bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(format!("W/\"{:032x}\"", xxh3_128(bytes)))
    }

    /// Whether the client has the answer already, by its `If-None-Match` (RFC 9110, section 13.1.2).
    #[must_use]
    pub fn is_in(&self, headers: &HeaderMap) -> bool {
        let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        values
            .flat_map(|value| value.split(','))
            .any(|tag| tag.trim() == "*" || opaque(tag) == opaque(&self.0))
    }

    /// Adds the headers that let the answer be kept.
    pub fn add_to(&self, headers: &mut HeaderMap) {
        headers.insert(header::ETAG, self.value());
        headers.insert(header::CACHE_CONTROL, CACHE_CONTROL);
        headers.insert(header::VARY, VARY);
    }

    /// The answer to a client that has the answer.
    #[must_use]
    pub fn not_modified(&self) -> Response {
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        self.add_to(response.headers_mut());
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::accept::Format;
    use crate::http::form::Form;
    use crate::render::Style;

    fn key(request: &str, format: Format) -> Key {
        Key { puzzle: "queens", form: Form { format, style: Style::Drawing }, request: request.to_owned() }
    }

    #[test]
    fn a_tag_depends_on_the_request_and_the_form() {
        let tag = ETag::of(&key("{\"size\":8}", Format::Json));
        assert_eq!(tag, ETag::of(&key("{\"size\":8}", Format::Json)));
        assert_ne!(tag, ETag::of(&key("{\"size\":9}", Format::Json)));
        assert_ne!(tag, ETag::of(&key("{\"size\":8}", Format::Svg)));
    }

    #[test]
    fn a_client_may_name_several_tags_weak_or_strong_or_any() {
        let tag = ETag::of(&key("{\"size\":8}", Format::Json));
        let has = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, value.parse().unwrap());
            tag.is_in(&headers)
        };
        let ETag(text) = &tag;
        assert!(has(text) && has("*") && has(&format!("\"other\", {text}")) && has(&text[2..]));
        assert!(!has("\"other\"") && !has("W/\"\"") && !tag.is_in(&HeaderMap::new()));
    }
}
