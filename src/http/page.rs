//! `/` in a browser: the page on which people set boards and see them solved.
//!
//! It is plain HTML, CSS and modules of JavaScript in `web/`, embedded in the program as they are. The page may load and
//! call nothing but the server that it came from, which the browser makes sure of by the content security policy.

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::caching::ETag;
use super::problem::{Kind, Problem};
use super::{accept, ops};

/// A file of the page.
struct File {
    name: &'static str,
    content_type: &'static str,
    bytes: &'static [u8],
}

/// A file of `web/`, by its name and type.
macro_rules! file {
    ($name:literal, $content_type:expr) => {
        File { name: $name, content_type: $content_type, bytes: include_bytes!(concat!("../../web/", $name)) }
    };
}

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

const INDEX: File = file!("index.html", "text/html; charset=utf-8");

/// What the page loads.
const FILES: [File; 15] = [
    file!("style.css", "text/css; charset=utf-8"),
    file!("icon.svg", "image/svg+xml"),
    file!("api.js", JAVASCRIPT),
    file!("board.js", JAVASCRIPT),
    file!("canvas-view.js", JAVASCRIPT),
    file!("dom.js", JAVASCRIPT),
    file!("knight-tour.js", JAVASCRIPT),
    file!("main.js", JAVASCRIPT),
    file!("puzzle.js", JAVASCRIPT),
    file!("queens.js", JAVASCRIPT),
    file!("scene.js", JAVASCRIPT),
    file!("state.js", JAVASCRIPT),
    file!("svg-view.js", JAVASCRIPT),
    file!("take-away.js", JAVASCRIPT),
    file!("tromino.js", JAVASCRIPT),
];

/// Files are asked for again each time, which a tag answers, so that those of two versions never meet in one page.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("no-cache");

/// Scripts, styles and calls only from and to this server; a picture to save is made in the page.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// `GET /`: the page to browsers, a screen of help to others.
pub async fn root(headers: HeaderMap) -> Response {
    let mut response = if accept::prefers_page(&headers) {
        respond(&INDEX, &headers)
    } else {
        ops::help(&headers).into_response()
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept, Accept-Encoding"));
    response
}

/// `GET /web/{file}`: what the page loads.
pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let file = FILES.iter().find(|file| file.name == name).ok_or_else(|| {
        Problem::new(Kind::NotFound, "There is no such file; the page that loads what is here is at /.")
    })?;
    Ok(respond(file, &headers))
}

fn respond(file: &File, asked: &HeaderMap) -> Response {
    let tag = ETag::of_bytes(file.bytes);
    let mut response = if tag.is_in(asked) {
        tag.not_modified()
    } else {
        ([(header::CONTENT_TYPE, file.content_type)], file.bytes).into_response()
    };
    let headers = response.headers_mut();
    tag.add_to(headers);
    for (name, value) in [
        (header::CACHE_CONTROL, CACHE_CONTROL),
        (header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING)),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ] {
        headers.insert(name, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What follows `mark` in the text, up to the next quote.
    fn quoted<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
        text.split(mark).skip(1).filter_map(|rest| rest.split(['"', '\'']).next())
    }

    fn text(file: &File) -> &'static str {
        std::str::from_utf8(file.bytes).unwrap()
    }

    #[test]
    fn everything_that_the_page_loads_is_embedded_and_nothing_else_is() {
        let mut loaded: Vec<_> = ["src=\"/web/", "href=\"/web/"]
            .into_iter()
            .flat_map(|mark| quoted(text(&INDEX), mark))
            .chain(FILES.iter().flat_map(|file| quoted(text(file), " from './")))
            // Types alone are loaded by nobody, but are read beside the code.
            .chain(FILES.iter().flat_map(|file| quoted(text(file), "import('./")))
            .collect();
        loaded.sort_unstable();
        loaded.dedup();
        let mut embedded: Vec<_> = FILES.iter().map(|file| file.name).collect();
        embedded.sort_unstable();
        assert_eq!(loaded, embedded);
    }

    #[test]
    fn the_page_has_no_script_or_style_of_its_own() {
        let page = text(&INDEX);
        assert_eq!(page.matches("<script").count(), page.matches("<script type=\"module\" src=").count());
        for inline in ["<style", " style=", " onclick=", "javascript:"] {
            assert!(!page.contains(inline), "{inline}");
        }
    }
}
