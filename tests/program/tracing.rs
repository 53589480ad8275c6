//! Which trace a request belongs to: in the log, and in the spans that go to a collector.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::process::{Serving, client, program};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use prost::Message;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A request of a caller who sends this `traceparent`.
fn ask(serving: &Serving, path: &str, traceparent: &str) -> reqwest::blocking::RequestBuilder {
    let client = client();
    client.get(format!("http://{}{path}", serving.address)).header("traceparent", traceparent)
}

/// The log of a server that answered these requests, a value for each line.
fn log(requests: impl FnOnce(&Serving)) -> Vec<Value> {
    let serving = Serving::start(program(&["--port", "0", "--log-format", "json"]));
    requests(&serving);
    serving.signal("-TERM");
    let (code, log) = serving.finish();
    assert_eq!(code, Some(0));
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn line<'a>(log: &'a [Value], message: &str) -> &'a Value {
    log.iter().find(|line| line["message"] == message).unwrap_or_else(|| panic!("no {message:?} in {log:?}"))
}

#[test]
fn the_line_of_a_request_names_it_its_answer_and_the_trace_of_the_caller() {
    let log = log(|serving| {
        ask(serving, "/queens?size=8", &format!("00-{TRACE}-{PARENT}-01")).send().unwrap();
    });
    let answered = line(&log, "answered");
    let span = &answered["span"];
    assert_eq!(span["method"], "GET");
    assert_eq!(span["path"], "/queens");
    assert_eq!(span["trace_id"], TRACE);
    assert_eq!(span["parent_id"], PARENT);
    assert_eq!(answered["status"], 200);
    assert!(answered["ms"].is_number() && answered["bytes"].as_u64().unwrap() > 100, "{answered}");
}

#[test]
fn without_a_traceparent_that_makes_sense_a_request_has_a_trace_of_its_own() {
    let log = log(|serving| {
        serving.get("/queens?size=8").unwrap();
        for bad in ["00-1-2-3", "hello", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"] {
            assert_eq!(ask(serving, "/queens?size=8", bad).send().unwrap().status(), 200);
        }
    });
    let spans = log.iter().filter(|line| line["message"] == "answered").map(|line| &line["span"]);
    let ids: std::collections::HashSet<_> = spans
        .map(|span| {
            assert_eq!(span["parent_id"], Value::Null);
            span["trace_id"].as_str().unwrap()
        })
        .collect();
    assert_eq!(ids.len(), 4);
    assert!(ids.iter().all(|id| id.len() == 32), "{ids:?}");
}

#[test]
fn a_job_is_logged_with_the_trace_of_the_request_that_began_it() {
    let log = log(|serving| {
        let request = ask(serving, "/queens?size=12", &format!("00-{TRACE}-{PARENT}-01"));
        let answer = request.header("prefer", "respond-async").send().unwrap();
        assert_eq!(answer.status(), 202);
        serving.end(answer.headers()["location"].to_str().unwrap());
    });
    let (began, ended) = (line(&log, "a job began"), line(&log, "a job ended"));
    assert_eq!(began["span"]["trace_id"], TRACE);
    assert_eq!(ended["trace_id"], TRACE);
    assert_eq!(began["job"], ended["job"]);
}

/// What a program sent to a collector at once.
struct Export {
    headers: HeaderMap,
    request: ExportTraceServiceRequest,
}

/// A collector as far as a program can tell: it takes spans at `/v1/traces`.
struct Collector {
    _runtime: Runtime,
    endpoint: String,
    exports: Receiver<Export>,
}

impl Collector {
    fn start() -> Self {
        async fn take(State(sender): State<Sender<Export>>, headers: HeaderMap, body: Bytes) {
            let request = ExportTraceServiceRequest::decode(body).unwrap();
            sender.send(Export { headers, request }).unwrap();
        }
        let runtime = Runtime::new().unwrap();
        let (sender, exports) = channel();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().route("/v1/traces", post(take)).with_state(sender);
        runtime.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { _runtime: runtime, endpoint, exports }
    }

    fn next(&self) -> Export {
        self.exports.recv_timeout(Duration::from_secs(60)).expect("spans come within a minute")
    }
}

fn text(attributes: &[KeyValue], key: &str) -> Option<String> {
    let value = attributes.iter().find(|attribute| attribute.key == key)?.value.clone();
    match value {
        Some(AnyValue { value: Some(Any::StringValue(text)) }) => Some(text),
        Some(AnyValue { value: Some(Any::IntValue(number)) }) => Some(number.to_string()),
        _ => None,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn spans_of_requests_go_to_the_collector_as_children_of_the_callers() {
    let collector = Collector::start();
    let mut command = program(&["--port", "0", "--log-format", "json"]);
    command
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint)
        .env("OTEL_EXPORTER_OTLP_HEADERS", "authorization=secret")
        .env("OTEL_SERVICE_NAME", "puzzles")
        .env("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test");
    let serving = Serving::start(command);
    ask(&serving, "/queens?size=8", &format!("00-{TRACE}-{PARENT}-01")).send().unwrap();
    let timed_out = format!("00-{TRACE}-{PARENT}-01");
    ask(&serving, "/queens?size=22&count=true&timeout_ms=20", &timed_out).send().unwrap();
    // The caller has decided that this one isn't recorded.
    ask(&serving, "/queens?size=9", &format!("00-{TRACE}-{PARENT}-00")).send().unwrap();
    serving.signal("-TERM");
    let (code, log) = serving.finish();
    assert_eq!(code, Some(0));

    // They are sent at the end at the latest, and all of these within the time for a batch.
    let mut spans: Vec<Span> = Vec::new();
    while spans.len() < 2 {
        let export = collector.next();
        assert_eq!(export.headers["content-type"], "application/x-protobuf");
        assert_eq!(export.headers["authorization"], "secret");
        for of_resource in export.request.resource_spans {
            let attributes = of_resource.resource.unwrap().attributes;
            assert_eq!(text(&attributes, "service.name").as_deref(), Some("puzzles"));
            assert_eq!(text(&attributes, "service.version").as_deref(), Some(env!("CARGO_PKG_VERSION")));
            assert_eq!(text(&attributes, "deployment.environment.name").as_deref(), Some("test"));
            spans.extend(of_resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
        }
    }
    assert!(collector.exports.try_recv().is_err(), "nothing else is sent");
    let [solved, timed_out] = &spans[..] else { panic!("{} spans", spans.len()) };
    for span in [solved, timed_out] {
        assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()));
        assert_eq!((span.name.as_str(), span.kind()), ("GET /queens", SpanKind::Server));
        assert_eq!(text(&span.attributes, "http.route").as_deref(), Some("/queens"));
        assert_eq!(text(&span.attributes, "http.request.method").as_deref(), Some("GET"));
        assert!(span.end_time_unix_nano > span.start_time_unix_nano);
    }
    let status = |span: &Span| text(&span.attributes, "http.response.status_code");
    assert_eq!((status(solved).as_deref(), status(timed_out).as_deref()), (Some("200"), Some("504")));
    assert_eq!(text(&solved.attributes, "outcome").as_deref(), Some("solved"));
    let code = |span: &Span| {
        span.status.as_ref().map(opentelemetry_proto::tonic::trace::v1::Status::code).unwrap_or_default()
    };
    assert_eq!((code(solved), code(timed_out)), (StatusCode::Unset, StatusCode::Error));
    // The log names the same trace.
    assert_eq!(log.lines().filter(|line| line.contains("\"answered\"") && line.contains(TRACE)).count(), 3);
}

#[test]
fn nothing_is_exported_when_the_variables_say_so() {
    for (name, value) in [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none")] {
        let collector = Collector::start();
        let mut command = program(&["--port", "0"]);
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint).env(name, value);
        let serving = Serving::start(command);
        serving.get("/queens?size=8").unwrap();
        serving.signal("-TERM");
        assert_eq!(serving.finish().0, Some(0));
        assert!(collector.exports.try_recv().is_err(), "{name}");
    }
}

#[test]
fn a_collector_that_is_away_costs_no_answer_and_no_clean_end() {
    let mut command = program(&["--port", "0"]);
    // Nothing listens there.
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9").env("OTEL_EXPORTER_OTLP_TIMEOUT", "500");
    let serving = Serving::start(command);
    assert_eq!(serving.get("/queens?size=8").unwrap().status(), 200);
    serving.signal("-TERM");
    assert_eq!(serving.finish().0, Some(0));
}

#[test]
fn variables_that_make_no_sense_are_refused_with_their_name() {
    for (name, value) in
        [("OTEL_EXPORTER_OTLP_ENDPOINT", "-*/*-/*-//-/-/invalid"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]
    {
        let mut command = program(&["--port", "0"]);
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9").env(name, value);
        let refused = command.output().unwrap();
        assert_eq!(refused.status.code(), Some(1));
        let message = String::from_utf8(refused.stderr).unwrap();
        assert!(message.contains("OpenTelemetry") && message.contains(name), "{message}");
    }
}
