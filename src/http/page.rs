//! `/` in a browser: the page on which people set boards and see them solved.
//!
//! It is plain HTML, CSS and modules of JavaScript in `web/`, embedded in the program as they are. The page may load and
//! call nothing but the server that it came from, which the browser makes sure of by the content security policy.

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::files::{File, JAVASCRIPT, Terms};
use super::problem::{Kind, Problem};
use super::{accept, ops};

/// A file of `web/`, by its name and type.
macro_rules! file {
    ($name:literal, $content_type:expr) => {
        File::plain($name, $content_type, include_bytes!(concat!("../../web/", $name)))
    };
}

static INDEX: File = file!("index.html", "text/html; charset=utf-8");

/// What the page loads.
static FILES: [File; 15] = [
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

const TERMS: Terms = Terms {
    // Files are asked for again each time, which a tag answers, so that those of two versions never meet in one page.
    cache_control: "no-cache",
    // Scripts, styles and calls only from and to this server; a picture to save is made in the page.
    policy: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/// `GET /`: the page to browsers, a screen of help to others.
pub async fn root(headers: HeaderMap) -> Response {
    let mut response = if accept::prefers_page(&headers) {
        INDEX.respond(&TERMS, &headers)
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
    Ok(file.respond(&TERMS, &headers))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What follows `mark` in the text, up to the next quote.
    fn quoted<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
        text.split(mark).skip(1).filter_map(|rest| rest.split(['"', '\'']).next())
    }

    fn text(file: &File) -> &'static str {
        std::str::from_utf8(file.stored).unwrap()
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
