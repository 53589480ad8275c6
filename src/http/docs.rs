//! `/docs`: the contract as pages to read and to try.
//!
//! They are Swagger UI, embedded, so that they work without any other host. Its two large files are stored as gzip and
//! go out like that, for every browser takes it; whoever doesn't gets them unpacked. The page may load and call nothing
//! but the server that it came from, which the browser makes sure of by the content security policy.

use std::io::Read;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::read::GzDecoder;

use super::caching::ETag;
use super::compression::{Coding, takes};
use super::problem::{Kind, Problem};

/// A file of the pages.
struct File {
    name: &'static str,
    content_type: &'static str,
    stored: &'static [u8],
    /// Whether it is stored as gzip.
    packed: bool,
}

impl File {
    const fn plain(name: &'static str, content_type: &'static str, stored: &'static [u8]) -> Self {
        Self { name, content_type, stored, packed: false }
    }

    const fn packed(name: &'static str, content_type: &'static str, stored: &'static [u8]) -> Self {
        Self { name, content_type, stored, packed: true }
    }
}

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

const INDEX: File = File::plain("", "text/html; charset=utf-8", include_bytes!("../../web/docs/index.html"));

/// What the page loads, and under what terms.
const FILES: [File; 7] = [
    File::plain("start.js", JAVASCRIPT, include_bytes!("../../web/docs/start.js")),
    File::packed(
        "swagger-ui-bundle.js",
        JAVASCRIPT,
        include_bytes!("../../web/docs/swagger-ui/swagger-ui-bundle.js.gz"),
    ),
    File::packed(
        "swagger-ui.css",
        "text/css; charset=utf-8",
        include_bytes!("../../web/docs/swagger-ui/swagger-ui.css.gz"),
    ),
    File::plain(
        "favicon-32x32.png",
        "image/png",
        include_bytes!("../../web/docs/swagger-ui/favicon-32x32.png"),
    ),
    File::plain("LICENSE", TEXT, include_bytes!("../../web/docs/swagger-ui/LICENSE")),
    File::plain("NOTICE", TEXT, include_bytes!("../../web/docs/swagger-ui/NOTICE")),
    File::plain(
        "swagger-ui-bundle.js.LICENSE.txt",
        TEXT,
        include_bytes!("../../web/docs/swagger-ui/swagger-ui-bundle.js.LICENSE.txt"),
    ),
];

/// The tag of the page and those of the files, in their order.
static TAGS: LazyLock<(ETag, Vec<ETag>)> = LazyLock::new(|| {
    let tag = |file: &File| ETag::of_bytes(file.stored);
    (tag(&INDEX), FILES.iter().map(tag).collect())
});

/// The files may be kept for an hour; a new version of the program brings new ones.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=3600");

/// Scripts and calls only from and to this server. Swagger UI puts styles into the page and pictures into its styles.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// `GET /docs`: the page.
pub async fn page(headers: HeaderMap) -> Response {
    respond(&INDEX, &TAGS.0, &headers)
}

/// `GET /docs/{file}`: what the page loads.
pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let found = FILES.iter().zip(&TAGS.1).find(|(file, _)| file.name == name);
    let (file, tag) = found.ok_or_else(|| {
        Problem::new(
            Kind::NotFound,
            "There is no such file; the pages that explain the service are at /docs.",
        )
    })?;
    Ok(respond(file, tag, &headers))
}

fn respond(file: &File, tag: &ETag, asked: &HeaderMap) -> Response {
    let mut response = if tag.is_in(asked) { tag.not_modified() } else { whole(file, asked) };
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

fn whole(file: &File, asked: &HeaderMap) -> Response {
    let content_type = (header::CONTENT_TYPE, file.content_type);
    if !file.packed {
        return ([content_type], Bytes::from_static(file.stored)).into_response();
    }
    if takes(asked, Coding::Gzip) {
        let coding = (header::CONTENT_ENCODING, "gzip");
        return ([content_type, coding], Bytes::from_static(file.stored)).into_response();
    }
    ([content_type], unpacked(file.stored)).into_response()
}

/// What was packed. Few clients need it, so it isn't kept.
fn unpacked(stored: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(stored).read_to_end(&mut bytes).expect("what is embedded is gzip, as a test makes sure");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_as_gzip_is_gzip_and_nothing_else_is() {
        for file in FILES {
            assert_eq!(file.stored.starts_with(&[0x1f, 0x8b]), file.packed, "{}", file.name);
            if file.packed {
                assert!(unpacked(file.stored).len() > file.stored.len());
            }
        }
    }

    #[test]
    fn the_page_loads_only_what_is_embedded_and_has_no_script_of_its_own() {
        let page = std::str::from_utf8(INDEX.stored).unwrap();
        let links: Vec<_> = ["src=\"", "href=\""]
            .iter()
            .flat_map(|attribute| page.split(attribute).skip(1))
            .map(|rest| rest.split('"').next().unwrap())
            .collect();
        assert_eq!(links.len(), 5);
        for link in links {
            let is_file = FILES.iter().any(|file| link.strip_prefix("docs/") == Some(file.name));
            assert!(is_file || link == "openapi.yaml", "{link}");
        }
        assert_eq!(page.matches("<script").count(), page.matches("<script src=").count());
    }
}
