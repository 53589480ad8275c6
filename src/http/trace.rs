//! Which trace a request belongs to: W3C Trace Context, level 1.
//!
//! A trace ties together what several services did for one cause. Whoever calls sends the trace's id and that of the
//! own step in `traceparent`; here both become fields of the request's span, and so of every log line below it, and the
//! span is exported as a child of the caller's step if [spans are exported](crate::telemetry) at all. A request
//! without the header, or with one that makes no sense, begins a trace of its own.

use axum::http::HeaderMap;
use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{Status, TraceContextExt, TraceId};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing::field::display;
use tracing_opentelemetry::OpenTelemetrySpanExt;
use uuid::Uuid;

const TRACEPARENT: &str = "traceparent";

/// The trace of a request, for handlers that begin something that outlives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The id that all steps share.
    pub id: TraceId,
    /// Whether the request's span is one that may be exported.
    is_exported: bool,
}

impl Trace {
    /// Makes this span, which nobody has entered yet, a step of the trace that these headers name, or of a new one.
    pub fn begin(span: &Span, headers: &HeaderMap, name: impl FnOnce() -> String) -> Self {
        let context = parent(headers);
        let parent = context.span().span_context().clone();
        let is_exported = span.set_parent(context.clone()).is_ok();
        let id = if is_exported {
            span.record("otel.name", name()).record("otel.kind", "server");
            span.context().span().span_context().trace_id()
        } else if parent.is_valid() {
            parent.trace_id()
        } else {
            TraceId::from_bytes(Uuid::new_v4().into_bytes())
        };
        span.record("trace_id", display(id));
        if parent.is_valid() {
            span.record("parent_id", display(parent.span_id()));
        }
        Self { id, is_exported }
    }

    /// Adds what OpenTelemetry's conventions want to know of a request to its span.
    pub fn describe(self, span: &Span, method: &'static str, route: Option<&str>, status: Option<u16>) {
        if !self.is_exported {
            return;
        }
        span.set_attribute("http.request.method", method);
        if let Some(route) = route {
            span.set_attribute("http.route", route.to_owned());
        }
        if let Some(status) = status {
            span.set_attribute("http.response.status_code", i64::from(status));
            if status >= 500 {
                span.set_status(Status::error(""));
            }
        }
    }
}

/// The context that the headers name; one without a valid span if they name none.
fn parent(headers: &HeaderMap) -> Context {
    let none = Context::new();
    let mut values = headers.get_all(TRACEPARENT).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return none };
    // The library lets more through than the standard does.
    if !value.to_str().is_ok_and(is_well_formed) {
        return none;
    }
    TraceContextPropagator::new().extract_with_context(&none, &HeaderExtractor(headers))
}

/// Whether a `traceparent` has the right shape: `00-` 32 hexadecimal digits `-` 16 `-` 2, and more only from a later
/// version.
fn is_well_formed(text: &str) -> bool {
    const LENGTH: usize = 55;
    let bytes = text.as_bytes();
    let Some((known, more)) = bytes.split_at_checked(LENGTH) else { return false };
    let fits = known.iter().enumerate().all(|(place, byte)| match place {
        2 | 35 | 52 => *byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    });
    let is_first_version = text.starts_with("00");
    fits && (more.is_empty() || !is_first_version && more[0] == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry::trace::SpanContext;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    fn read(values: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(TRACEPARENT, value.parse().unwrap());
        }
        let context: SpanContext = parent(&headers).span().span_context().clone();
        context.is_valid().then(|| format!("{} {}", context.trace_id(), context.span_id()))
    }

    #[test]
    fn a_traceparent_of_this_or_a_later_version_is_taken() {
        let expected = Some(format!("{TRACE} 00f067aa0ba902b7"));
        assert_eq!(read(&[&format!("00-{TRACE}-00f067aa0ba902b7-01")]), expected);
        assert_eq!(read(&[&format!("00-{TRACE}-00f067aa0ba902b7-00")]), expected);
        assert_eq!(read(&[&format!("01-{TRACE}-00f067aa0ba902b7-01")]), expected);
        assert_eq!(read(&[&format!("cc-{TRACE}-00f067aa0ba902b7-01-what-comes")]), expected);
    }

    #[test]
    fn one_that_makes_no_sense_or_comes_twice_is_ignored() {
        assert_eq!(read(&[]), None);
        let good = format!("00-{TRACE}-00f067aa0ba902b7-01");
        assert_eq!(read(&[&good, &good]), None);
        for bad in [
            String::new(),
            "00".to_owned(),
            "hello".to_owned(),
            good.to_uppercase(),
            good.replace('-', "_"),
            format!("{good}-more"),
            format!("{good}0"),
            format!("01-{TRACE}-00f067aa0ba902b7-01more"),
            format!("ff-{TRACE}-00f067aa0ba902b7-01"),
            format!("+0-{TRACE}-00f067aa0ba902b7-01"),
            format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{}-00f067aa0ba902b7-01", &TRACE[1..]),
            format!("00-{TRACE}-00f067aa0ba902bg-01"),
        ] {
            assert_eq!(read(&[&bad]), None, "{bad}");
        }
    }

    #[test]
    fn a_request_without_one_begins_a_trace_of_its_own() {
        let id = || Trace::begin(&Span::none(), &HeaderMap::new(), String::new).id;
        let (one, other) = (id(), id());
        assert_ne!(one, TraceId::INVALID);
        assert_ne!(one, other);
    }
}
