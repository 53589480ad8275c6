//! Which form of an answer a client prefers, by its `Accept` header (RFC 9110, section 12.5.1).

use axum::http::{HeaderMap, header};
use mime::Mime;

use super::problem::{Kind, Problem};

/// The format of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Format {
    /// `application/json`: everything.
    #[default]
    Json,
    /// `text/plain`: for a terminal.
    Text,
    /// `image/svg+xml`: a picture.
    Svg,
    /// `application/x-ndjson`: one solution a line, as it is found.
    Ndjson,
}

impl Format {
    /// The word that asks for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Text => "text",
            Self::Svg => "svg",
            Self::Ndjson => "ndjson",
        }
    }

    /// Its media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Text => "text/plain",
            Self::Svg => "image/svg+xml",
            Self::Ndjson => "application/x-ndjson",
        }
    }

    /// Its media type with what a client needs to know beside it.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Text => "text/plain; charset=utf-8",
            Self::Json | Self::Svg | Self::Ndjson => self.media_type(),
        }
    }
}

/// The best of the `offered` forms, given in the order of the server's preference.
///
/// # Errors
/// A not-acceptable problem when the client rules all of them out.
pub fn negotiate(headers: &HeaderMap, offered: &[Format]) -> Result<Format, Problem> {
    let ranges = ranges(headers);
    let first = offered.first().copied().filter(|_| ranges.is_empty());
    let best = || {
        offered
            .iter()
            .map(|format| (quality(&ranges, format.media_type()), *format))
            .filter(|(quality, _)| *quality > 0)
            // The first of the best, where `max_by_key` would take the last.
            .rev()
            .max_by_key(|(quality, _)| *quality)
            .map(|(_, format)| format)
    };
    first.or_else(best).ok_or_else(|| {
        let types: Vec<_> = offered.iter().map(|format| format.media_type()).collect();
        Problem::new(
            Kind::NotAcceptable,
            format!("This answer comes as {}, and the Accept header rules that out.", types.join(", ")),
        )
    })
}

/// Whether the client likes a page better than text, as browsers say and command-line tools don't.
#[must_use]
pub fn prefers_page(headers: &HeaderMap) -> bool {
    let ranges = ranges(headers);
    quality(&ranges, mime::TEXT_HTML.essence_str()) > quality(&ranges, mime::TEXT_PLAIN.essence_str())
}

/// What the client says that it takes.
fn ranges(headers: &HeaderMap) -> Vec<Range> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).filter_map(Range::parse).collect()
}

/// One range of an `Accept` header and its weight in thousandths.
struct Range {
    mime: Mime,
    weight: u16,
}

impl Range {
    /// Reads `type/subtype;q=0.5`. What isn't one is passed over, as if it hadn't come.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        // curl and old Java clients write `*` for `*/*`.
        let mime: Mime = if text == "*" { mime::STAR_STAR } else { text.parse().ok()? };
        let weight = match mime.get_param("q") {
            None => 1000,
            Some(q) => thousandths(q.as_str())?,
        };
        Some(Self { mime, weight })
    }

    /// How exactly the range names the type: 2 by name, 1 by its first half, 0 as anything; `None` if not at all.
    fn names(&self, kind: &str) -> Option<u8> {
        let (main, sub) = kind.split_once('/')?;
        match (self.mime.type_().as_str(), self.mime.subtype().as_str()) {
            ("*", "*") => Some(0),
            (range, "*") if range == main => Some(1),
            (range, subrange) if range == main && self.full_subtype(subrange) == sub => Some(2),
            _ => None,
        }
    }

    /// The subtype with its suffix, `svg+xml`.
    fn full_subtype(&self, subtype: &str) -> String {
        self.mime.suffix().map_or_else(|| subtype.to_owned(), |suffix| format!("{subtype}+{suffix}"))
    }
}

/// Reads a weight from 0 to 1 (RFC 9110, section 12.4.2).
pub fn thousandths(weight: &str) -> Option<u16> {
    let weight: f64 = weight.parse().ok()?;
    // NaN is in no range.
    (0.0..=1.0).contains(&weight).then_some((weight * 1000.0).round() as u16)
}

/// The weight that the most exact range gives a type.
fn quality(ranges: &[Range], kind: &str) -> u16 {
    let named = ranges.iter().filter_map(|range| Some((range.names(kind)?, range.weight)));
    named.max_by_key(|(exactness, _)| *exactness).map_or(0, |(_, weight)| weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(accept: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept.parse().unwrap());
        negotiate(&headers, &[Format::Json]).is_ok()
    }

    #[test]
    fn whoever_names_no_type_gets_the_first() {
        assert_eq!(negotiate(&HeaderMap::new(), &[Format::Json]).unwrap(), Format::Json);
        assert!(accepts(""));
        assert!(accepts("nonsense"));
    }

    #[test]
    fn browsers_prefer_a_page_and_other_clients_text() {
        for (accept, page) in [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", true),
            ("text/html", true),
            ("*/*", false),
            ("text/plain, text/html", false),
            ("text/*", false),
            ("application/json", false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT, accept.parse().unwrap())]);
            assert_eq!(prefers_page(&headers), page, "{accept}");
        }
        assert!(!prefers_page(&HeaderMap::new()));
    }

    #[test]
    fn a_type_is_accepted_by_name_by_half_or_as_anything() {
        for accept in [
            "application/json",
            "application/*",
            "*/*",
            "*",
            "Application/JSON; charset=utf-8",
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "text/html, application/json;q=0.001",
        ] {
            assert!(accepts(accept), "{accept}");
        }
        for accept in ["text/html", "text/*", "application/xml", "application/json;q=0", "image/svg+xml"] {
            assert!(!accepts(accept), "{accept}");
        }
    }

    #[test]
    fn the_greatest_weight_wins_and_the_server_chooses_among_equals() {
        for (accept, format) in [
            ("text/plain, application/json", Format::Json),
            ("application/json;q=0.9, text/plain", Format::Text),
            ("image/*", Format::Svg),
            ("image/avif,image/webp,image/svg+xml,image/*;q=0.8,*/*;q=0.5", Format::Svg),
            ("text/*;q=0.3, */*;q=0.2", Format::Text),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(
                negotiate(&headers, &[Format::Json, Format::Text, Format::Svg]).unwrap(),
                format,
                "{accept}"
            );
        }
    }

    #[test]
    fn the_more_exact_range_decides() {
        assert!(!accepts("*/*, application/json;q=0"));
        assert!(accepts("*/*;q=0, application/json"));
        assert!(!accepts("application/json;q=0.0, application/*;q=0.5"));
    }
}
