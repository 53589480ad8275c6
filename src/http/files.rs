//! Files that are embedded in the program: pages and what they load.

use std::io::Read;
use std::sync::OnceLock;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::read::GzDecoder;

use super::caching::ETag;
use super::compression::{Coding, takes};

/// The media type of a script.
pub const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// An embedded file.
pub struct File {
    /// What it is called in its directory.
    pub name: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    /// Its bytes, or the gzip of them.
    pub stored: &'static [u8],
    /// Whether it is stored as gzip. It goes out like that, for every browser takes it.
    pub packed: bool,
    tag: OnceLock<ETag>,
}

impl File {
    /// A file that is stored as it is.
    pub const fn plain(name: &'static str, content_type: &'static str, stored: &'static [u8]) -> Self {
        Self { name, content_type, stored, packed: false, tag: OnceLock::new() }
    }

    /// A file that is stored as gzip.
    pub const fn packed(name: &'static str, content_type: &'static str, stored: &'static [u8]) -> Self {
        Self { name, content_type, stored, packed: true, tag: OnceLock::new() }
    }

    /// The answer to a client that asks for it with these headers.
    pub fn respond(&self, terms: &Terms, asked: &HeaderMap) -> Response {
        let tag = self.tag.get_or_init(|| ETag::of_bytes(self.stored));
        let mut response = if tag.is_in(asked) { tag.not_modified() } else { self.whole(asked) };
        let headers = response.headers_mut();
        tag.add_to(headers);
        for (name, value) in [
            (header::CACHE_CONTROL, HeaderValue::from_static(terms.cache_control)),
            (header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING)),
            (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(terms.policy)),
            (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        ] {
            headers.insert(name, value);
        }
        response
    }

    fn whole(&self, asked: &HeaderMap) -> Response {
        let content_type = (header::CONTENT_TYPE, self.content_type);
        if !self.packed {
            return ([content_type], Bytes::from_static(self.stored)).into_response();
        }
        if takes(asked, Coding::Gzip) {
            let coding = (header::CONTENT_ENCODING, "gzip");
            return ([content_type, coding], Bytes::from_static(self.stored)).into_response();
        }
        ([content_type], self.unpacked()).into_response()
    }

    /// What was packed. Few clients need it, so it isn't kept.
    pub fn unpacked(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let read = GzDecoder::new(self.stored).read_to_end(&mut bytes);
        read.expect("what is embedded is gzip, as a test makes sure");
        bytes
    }
}

/// On what terms the files of a page go out.
pub struct Terms {
    /// How long they may be kept.
    pub cache_control: &'static str,
    /// What the page may load and call: the content security policy.
    pub policy: &'static str,
}
