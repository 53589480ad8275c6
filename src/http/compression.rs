//! Which answers are compressed, for clients that accept it.
//!
//! Compression is for the way between two machines, and must not cost much where there is none: to a client on the same
//! machine, no answer that has to be worked out is to take more than twice as long to its last byte as without. Measured
//! by `cargo bench --bench wire`:
//!
//! - Below a kilobyte there is little to save, and answers go as they are.
//! - Zstandard at level 1 takes 1.4 to 2.0 times as long as plain bytes for boards that are written while they are sent,
//!   up to a tiling of 1024 × 1024, of which 7.7 MB become 0.9 MB. Its table is small enough for the fast caches, which
//!   makes it a sixth faster and costs nothing. For one of 4096 × 4096, which comes at 1.3 GB/s, it takes 3.1 times as
//!   long: those go plain.
//! - Brotli and gzip take 2 to 3.5 times as long for such boards even at their fastest levels, so they are for answers
//!   that are made as a whole and no larger than a megabyte.
//! - Lines that go out as they are found take longer to find than to compress, and any coding will do: 1.0 to 1.2 times.
//!   The encoders flush whenever the search has nothing more for now, so no line waits for the next.
//!
//! An answer from the cache is the exception: it takes half a millisecond, and some more with its compression.

use std::io;

use async_compression::Level;
use async_compression::tokio::bufread::{BrotliEncoder, GzipEncoder, ZstdEncoder};
use async_compression::zstd::CParameter;
use axum::body::Body;
use axum::extract::Request;
use axum::http::response::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::{StreamExt, TryStreamExt};
use http_body::Body as _;
use tokio::io::AsyncRead;
use tokio_util::io::{ReaderStream, StreamReader};

use super::accept::{Format, thousandths};

/// The size from which on compression pays, in bytes.
const LEAST: u64 = 1024;

/// The largest size that every coding may compress, in bytes.
const MOST: u64 = 1024 * 1024;

/// The window of Zstandard in bytes, as a power of two.
const ZSTD_WINDOW: u32 = 17;

/// The size of its table, as a power of two.
const ZSTD_TABLE: u32 = 13;

/// How much compressed text is handed on at once, in bytes.
const CHUNK: usize = 32 * 1024;

/// A way to write the bytes of an answer (RFC 9110, section 8.4.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// Zstandard.
    Zstd,
    /// Brotli.
    Br,
    /// Gzip.
    Gzip,
    /// As they are.
    Identity,
}

impl Coding {
    /// All of them; among those that a client likes as much, the server prefers the first.
    const ALL: [Self; 4] = [Self::Zstd, Self::Br, Self::Gzip, Self::Identity];

    const fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Br => "br",
            Self::Gzip => "gzip",
            Self::Identity => "identity",
        }
    }

    /// Whether this is the coding of that name.
    fn is(self, name: &str) -> bool {
        name.eq_ignore_ascii_case(self.name()) || self == Self::Gzip && name.eq_ignore_ascii_case("x-gzip")
    }

    /// Whether it pays for such a body.
    fn pays(self, kind: Kind) -> bool {
        match (self, kind) {
            (Self::Identity, _) | (_, Kind::Lines) | (Self::Zstd, Kind::Pieces) => true,
            (Self::Zstd, Kind::Whole(size)) => size >= LEAST,
            (Self::Br | Self::Gzip, Kind::Whole(size)) => (LEAST..=MOST).contains(&size),
            (Self::Br | Self::Gzip, Kind::Pieces) | (_, Kind::Huge) => false,
        }
    }

    /// The body in this coding. What has come is handed on, to the last byte, whenever there is nothing more for now.
    fn write(self, body: Body) -> Body {
        let plain = StreamReader::new(body.into_data_stream().map_err(io::Error::other).fuse());
        match self {
            Self::Zstd => {
                let small = [CParameter::window_log(ZSTD_WINDOW), CParameter::hash_log(ZSTD_TABLE)];
                chunks(ZstdEncoder::with_quality_and_params(plain, Level::Fastest, &small))
            }
            Self::Br => chunks(BrotliEncoder::with_quality(plain, Level::Fastest)),
            Self::Gzip => chunks(GzipEncoder::with_quality(plain, Level::Fastest)),
            Self::Identity => chunks(plain),
        }
    }
}

fn chunks(reader: impl AsyncRead + Send + 'static) -> Body {
    Body::from_stream(ReaderStream::with_capacity(reader, CHUNK))
}

/// How many numbers are written while they are sent: what a handler tells this layer with its answer.
#[derive(Clone, Copy, Debug)]
pub struct Numbers(pub usize);

/// The most numbers that Zstandard keeps up with, whatever the board.
const KEPT_UP: usize = 4 * 1024 * 1024;

/// What matters of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// All of it is there, so many bytes.
    Whole(u64),
    /// It is written while it is sent.
    Pieces,
    /// So is this, and is so large that no coding keeps up.
    Huge,
    /// It is found while it is sent.
    Lines,
}

impl Kind {
    fn of(parts: &Parts, body: &Body) -> Self {
        let lines = Format::Ndjson.content_type();
        match body.size_hint().exact() {
            Some(size) => Self::Whole(size),
            None if parts.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == lines) => Self::Lines,
            None if parts.extensions.get().is_some_and(|Numbers(count)| *count > KEPT_UP) => Self::Huge,
            None => Self::Pieces,
        }
    }
}

/// The layer that compresses, by the client's `Accept-Encoding`.
pub async fn compress(request: Request, next: Next) -> Response {
    let asked = request.headers().get_all(header::ACCEPT_ENCODING).iter().cloned().collect::<Vec<_>>();
    // The answer to a HEAD still has its body here, and loses it behind this layer.
    let (mut parts, body) = next.run(request).await.into_parts();
    let kind = Kind::of(&parts, &body);
    // Two events a second are little to send, and whoever reads them may be an old proxy.
    let is_events = parts.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
    if kind == Kind::Whole(0) || is_events || parts.headers.contains_key(header::CONTENT_ENCODING) {
        return Response::from_parts(parts, body);
    }
    vary(&mut parts.headers);
    let coding = choose(&asked, kind);
    if coding == Coding::Identity {
        return Response::from_parts(parts, body);
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    Response::from_parts(parts, coding.write(body))
}

/// Says that the answer depends on what codings the client takes.
fn vary(headers: &mut HeaderMap) {
    let said = headers.get_all(header::VARY).iter().filter_map(|value| value.to_str().ok());
    let mut said = said.flat_map(|value| value.split(','));
    if !said.any(|name| name.trim().eq_ignore_ascii_case(header::ACCEPT_ENCODING.as_str())) {
        headers.append(header::VARY, header::ACCEPT_ENCODING.into());
    }
}

/// The coding for such a body: the one that the client likes best of those that pay, else of all.
///
/// When it rules out all there are, the body goes as it is: RFC 9110, section 12.4.1, lets a server act as if the header
/// hadn't come, and whoever has an answer that he can read is better off than with a 406.
fn choose(asked: &[HeaderValue], kind: Kind) -> Coding {
    let best = |codings: &dyn Fn(&Coding) -> bool| {
        let weighed = Coding::ALL.into_iter().filter(codings).map(|coding| (weight(asked, coding), coding));
        // The first of the best, where `max_by_key` would take the last.
        let taken = weighed.rev().filter(|(weight, _)| *weight > 0);
        taken.max_by_key(|(weight, _)| *weight).map(|(_, coding)| coding)
    };
    best(&|coding| coding.pays(kind)).or_else(|| best(&|_| true)).unwrap_or(Coding::Identity)
}

/// Whether the client takes this coding.
pub fn takes(headers: &HeaderMap, coding: Coding) -> bool {
    let asked: Vec<_> = headers.get_all(header::ACCEPT_ENCODING).iter().cloned().collect();
    weight(&asked, coding) > 0
}

/// How much the client likes a coding, in thousandths: by its name, else as any other (RFC 9110, section 12.5.3).
fn weight(asked: &[HeaderValue], coding: Coding) -> u16 {
    let values = asked.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    let (mut named, mut other) = (None, None);
    for value in values {
        let (name, weight) = value.split_once(';').unwrap_or((value, "q=1"));
        // What isn't a weight is passed over with its coding, as if it hadn't come.
        let weight = weight.trim().strip_prefix("q=").or_else(|| weight.trim().strip_prefix("Q="));
        let Some(weight) = weight.and_then(thousandths) else { continue };
        match name.trim() {
            "*" => other = Some(weight),
            name if coding.is(name) => named = Some(weight),
            _ => {}
        }
    }
    // Bytes as they are need no mention, and are liked least then.
    named.or(other).unwrap_or(u16::from(coding == Coding::Identity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZstdDecoder};
    use futures_util::stream;
    use std::pin::Pin;
    use tokio::io::{AsyncBufRead, AsyncBufReadExt, BufReader};
    use tokio::sync::mpsc;

    fn chosen(accept_encoding: &str, kind: Kind) -> Coding {
        choose(&[accept_encoding.parse().unwrap()], kind)
    }

    const USUAL: Kind = Kind::Whole(10_000);

    #[test]
    fn the_greatest_weight_wins_and_the_server_chooses_among_equals() {
        for (accept_encoding, coding) in [
            ("gzip, deflate, br, zstd", Coding::Zstd),
            ("gzip, deflate, br", Coding::Br),
            ("gzip;q=1.0, br;q=0.9, zstd;q=0.5", Coding::Gzip),
            ("X-GZip", Coding::Gzip),
            ("*", Coding::Zstd),
            ("*;q=0.5, gzip", Coding::Gzip),
            ("zstd;q=0, *", Coding::Br),
            ("identity, gzip;q=0.5", Coding::Identity),
            ("deflate, compress", Coding::Identity),
            ("gzip;q=2, br;q=x", Coding::Identity),
            ("gzip;q=0", Coding::Identity),
            ("", Coding::Identity),
        ] {
            assert_eq!(chosen(accept_encoding, USUAL), coding, "{accept_encoding}");
        }
        assert_eq!(choose(&[], USUAL), Coding::Identity);
    }

    #[test]
    fn what_does_not_pay_is_done_for_those_who_take_nothing_else() {
        assert_eq!(chosen("gzip", Kind::Whole(100)), Coding::Identity);
        for accept_encoding in ["gzip, identity;q=0", "gzip, *;q=0"] {
            assert_eq!(chosen(accept_encoding, Kind::Whole(100)), Coding::Gzip, "{accept_encoding}");
        }
    }

    #[test]
    fn whoever_rules_out_everything_gets_the_bytes_as_they_are() {
        for accept_encoding in ["identity;q=0", "*;q=0", "deflate, identity;q=0"] {
            assert_eq!(chosen(accept_encoding, USUAL), Coding::Identity, "{accept_encoding}");
        }
    }

    #[test]
    fn what_is_large_is_left_to_the_quickest() {
        for (kind, coding) in [
            (Kind::Whole(LEAST - 1), Coding::Identity),
            (Kind::Whole(LEAST), Coding::Gzip),
            (Kind::Whole(MOST), Coding::Gzip),
            (Kind::Whole(MOST + 1), Coding::Identity),
            (Kind::Pieces, Coding::Identity),
            (Kind::Lines, Coding::Gzip),
        ] {
            assert_eq!(chosen("gzip", kind), coding, "{kind:?}");
        }
        for kind in [Kind::Whole(MOST + 1), Kind::Pieces, Kind::Lines] {
            assert_eq!(chosen("gzip, br, zstd", kind), Coding::Zstd, "{kind:?}");
        }
        assert_eq!(chosen("gzip, br, zstd", Kind::Huge), Coding::Identity);
    }

    #[tokio::test]
    async fn a_line_needs_no_other_line_to_go_out() {
        for coding in Coding::ALL {
            let (send, mut lines) = mpsc::unbounded_channel::<&str>();
            let lines = stream::poll_fn(move |context| lines.poll_recv(context));
            let body = coding.write(Body::from_stream(lines.map(Ok::<_, io::Error>)));
            let packed = StreamReader::new(body.into_data_stream().map_err(io::Error::other));
            let plain: Pin<Box<dyn AsyncBufRead>> = match coding {
                Coding::Zstd => Box::pin(BufReader::new(ZstdDecoder::new(packed))),
                Coding::Br => Box::pin(BufReader::new(BrotliDecoder::new(packed))),
                Coding::Gzip => Box::pin(BufReader::new(GzipDecoder::new(packed))),
                Coding::Identity => Box::pin(packed),
            };
            let mut plain = plain.lines();
            for line in ["one", "two", "three"] {
                send.send(line).unwrap();
                send.send("\n").unwrap();
                // The stream is still open, and nothing else comes.
                assert_eq!(plain.next_line().await.unwrap().as_deref(), Some(line), "{coding:?}");
            }
            drop(send);
            assert_eq!(plain.next_line().await.unwrap(), None, "{coding:?}");
        }
    }
}
