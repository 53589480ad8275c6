//! Which answers are compressed, for clients that accept it.
//!
//! Compression is for the way between two machines, and must not cost more than it saves where there is none: answers of
//! less than a kilobyte go as they are, and so do those that are written while they are sent, for even the fastest
//! compressor makes a local client wait longer for a board of millions of squares than the board itself takes.

use axum::http::Response;
use http_body::Body;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::Predicate;

/// The sizes that are compressed, in bytes.
const SIZES: std::ops::Range<u64> = 1024..1024 * 1024;

/// The layer that compresses, by the client's `Accept-Encoding`.
pub fn layer() -> CompressionLayer<KnownSize> {
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(KnownSize)
}

/// Lets through what has a known size within [`SIZES`].
#[derive(Clone, Copy, Debug)]
pub struct KnownSize;

impl Predicate for KnownSize {
    fn should_compress<B: Body>(&self, response: &Response<B>) -> bool {
        response.body().size_hint().exact().is_some_and(|size| SIZES.contains(&size))
    }
}
