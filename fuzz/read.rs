//! What is thrown at the reading of requests, and what has to hold of every one of them.
//!
//! Each function takes the bytes of one input. The fuzz targets of this folder call them, and so does an ordinary test,
//! `tests/http/fuzz_corpus.rs`, with each file of `fuzz/corpus` and with what becomes of those by small changes.

use axum::http::{HeaderMap, HeaderValue, Uri, header};
use chessboard_solver::http::params::Params;
use chessboard_solver::http::problem::Problem;
use chessboard_solver::http::{Bounds, Understood, understand};

/// What takes an input.
pub type Target = fn(&[u8]);

/// Every target, by the name of its program in `fuzz/fuzz_targets` and of its folder in `fuzz/corpus`.
pub const TARGETS: [(&str, Target); 8] = [
    ("tromino_query", |data| query("/tromino", data)),
    ("tromino_json", |data| json("/tromino", data)),
    ("knight_tour_query", |data| query("/knight-tour", data)),
    ("knight_tour_json", |data| json("/knight-tour", data)),
    ("queens_query", |data| query("/queens", data)),
    ("queens_json", |data| json("/queens", data)),
    ("grid", grid),
    ("accept", accept),
];

/// The bounds of a server with small boards, so that an input is done with in microseconds.
const BOUNDS: Bounds = Bounds { max_squares: 10_000, count_memory: 1 << 24 };

/// The longest answer that an error may make: it tells of a request, but never repeats it at length.
const MAX_PROBLEM: usize = 20_000;

/// The query string of a puzzle.
pub fn query(path: &str, data: &[u8]) {
    // What isn't a URI is answered before a handler sees it.
    if let Ok(uri) = Uri::try_from([b"/?", data].concat()) {
        check(path, Params::from_query(uri.query().unwrap_or_default()), &HeaderMap::new());
    }
}

/// The body of a puzzle.
pub fn json(path: &str, data: &[u8]) {
    check(path, Params::from_json(data), &HeaderMap::new());
}

/// The lines of a grid.
pub fn grid(data: &[u8]) {
    let lines: Vec<_> = data.split(|byte| *byte == b'\n').map(String::from_utf8_lossy).collect();
    let body = serde_json::json!({ "grid": lines }).to_string();
    check("/tromino", Params::from_json(body.as_bytes()), &HeaderMap::new());
}

/// The header by which a client says what it takes.
pub fn accept(data: &[u8]) {
    if let Ok(value) = HeaderValue::from_bytes(data) {
        check("/queens", Params::from_query("size=8"), &HeaderMap::from_iter([(header::ACCEPT, value)]));
    }
}

/// Panics unless the request is refused as the client's own fault, in a few words, or is understood, and what was
/// understood is so again when it is sent in its place. That is how jobs are kept and shared.
fn check(path: &str, params: Result<Params, Problem>, headers: &HeaderMap) {
    match params.and_then(|params| read(path, params, headers)) {
        Err(problem) => {
            let status = problem.kind().status();
            assert!(status.is_client_error(), "{status}: {}", problem.detail());
            let length = problem.json().len();
            assert!(length <= MAX_PROBLEM, "{length} bytes tell of it");
        }
        // Lines are neither kept nor made by a job, so what is asked for them is never sent in its place.
        Ok(understood) if understood.media_type == "application/x-ndjson" => {}
        Ok(understood) => {
            let value = HeaderValue::from_static(understood.media_type);
            let headers = HeaderMap::from_iter([(header::ACCEPT, value)]);
            let again = Params::from_json(understood.request.as_bytes());
            let again = again.and_then(|params| read(path, params, &headers));
            match again {
                Ok(again) => assert_eq!(again, understood),
                Err(problem) => panic!("{:?} is refused: {}", understood.request, problem.detail()),
            }
        }
    }
}

fn read(path: &str, params: Params, headers: &HeaderMap) -> Result<Understood, Problem> {
    understand(path, params, headers, &BOUNDS).expect("a puzzle's path")
}
