//! `/docs`: the contract as pages to read and to try.
//!
//! They are Swagger UI, embedded, so that they work without any other host. Its two large files are stored as gzip. The
//! page may load and call nothing but the server that it came from, which the browser makes sure of by the content
//! security policy.

use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;

use super::files::{File, JAVASCRIPT, Terms};
use super::problem::{Kind, Problem};

const TEXT: &str = "text/plain; charset=utf-8";

static INDEX: File = File::plain("", "text/html; charset=utf-8", include_bytes!("../../web/docs/index.html"));

/// What the page loads, and under what terms.
static FILES: [File; 7] = [
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

const TERMS: Terms = Terms {
    // For an hour; a new version of the program brings new ones.
    cache_control: "public, max-age=3600",
    // Scripts and calls only from and to this server. Swagger UI puts styles into the page and pictures into its styles.
    policy: "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
             connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/// `GET /docs`: the page.
pub async fn page(headers: HeaderMap) -> Response {
    INDEX.respond(&TERMS, &headers)
}

/// `GET /docs/{file}`: what the page loads.
pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let file = FILES.iter().find(|file| file.name == name).ok_or_else(|| {
        Problem::new(
            Kind::NotFound,
            "There is no such file; the pages that explain the service are at /docs.",
        )
    })?;
    Ok(file.respond(&TERMS, &headers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_as_gzip_is_gzip_and_nothing_else_is() {
        for file in &FILES {
            assert_eq!(file.stored.starts_with(&[0x1f, 0x8b]), file.packed, "{}", file.name);
            if file.packed {
                assert!(file.unpacked().len() > file.stored.len());
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
