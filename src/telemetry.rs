//! What the program tells its operator as it runs: the log, and the spans of requests if OpenTelemetry is set up.
//!
//! Spans are exported when `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector, by
//! OTLP over HTTP with protobuf, in batches and beside the requests. The other standard variables are OpenTelemetry's
//! affair: `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`,
//! `OTEL_BSP_*`. A collector that is away costs spans, and nothing else.

use std::env;
use std::io::IsTerminal;
use std::time::Duration;

use async_trait::async_trait;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;
use tracing_subscriber::{EnvFilter, Layer, fmt, registry};

use crate::config::{Log, LogFormat};

/// What this program calls itself, unless it is told otherwise.
const SERVICE: &str = env!("CARGO_PKG_NAME");

/// Where what this program itself logs comes from.
const OWN: &str = "chessboard_solver";

/// What logs every step that it takes, of which only warnings matter here.
const CHATTY: [&str; 5] =
    ["async_nats", "opentelemetry", "opentelemetry_sdk", "opentelemetry-otlp", "hyper_util"];

/// How long one attempt to send spans may take, unless a variable says otherwise.
const EXPORT: Duration = Duration::from_secs(10);

/// How long the last spans may take to be sent.
const LAST_EXPORT: Duration = Duration::from_secs(5);

/// What has been started.
#[derive(Debug)]
pub struct Telemetry {
    spans: Option<SdkTracerProvider>,
}

/// Starts the log, and the export of spans if there is one, which uses this runtime.
///
/// # Errors
/// A sentence for the operator when the variables of OpenTelemetry make no sense.
///
/// # Panics
/// When it is called twice.
pub fn start(log: &Log, runtime: &Handle) -> Result<Telemetry, String> {
    let mut filter = EnvFilter::builder().parse_lossy(&log.rust_log);
    for target in CHATTY {
        if !log.rust_log.contains(target) {
            filter = filter.add_directive(format!("{target}=warn").parse().expect("a directive"));
        }
    }
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match log.log_format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).with_target(false).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    };
    let spans = if is_exported() { Some(exporter(runtime)?) } else { None };
    let exported = spans.as_ref().map(|spans| {
        let layer = tracing_opentelemetry::layer().with_tracer(spans.tracer(SERVICE));
        // Not the spans of the client that sends them.
        let own = Targets::new().with_target(OWN, LevelFilter::INFO);
        layer.with_location(false).with_threads(false).with_filter(own)
    });
    registry().with(lines.with_filter(filter)).with(exported).init();
    Ok(Telemetry { spans })
}

impl Telemetry {
    /// Sends what has not been sent yet.
    pub fn stop(self) {
        if let Some(spans) = self.spans
            && let Err(error) = spans.shutdown_with_timeout(LAST_EXPORT)
        {
            tracing::warn!(%error, "the last spans could not be sent");
        }
    }
}

/// The value of a variable that isn't empty.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Whether the variables of OpenTelemetry ask for spans.
fn is_exported() -> bool {
    let is = |name, word| variable(name).is_some_and(|value| value.trim().eq_ignore_ascii_case(word));
    let has_endpoint = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").is_some()
        || variable("OTEL_EXPORTER_OTLP_ENDPOINT").is_some();
    has_endpoint && !is("OTEL_SDK_DISABLED", "true") && !is("OTEL_TRACES_EXPORTER", "none")
}

fn exporter(runtime: &Handle) -> Result<SdkTracerProvider, String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot export spans by OpenTelemetry: {error}");
    let names = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
    if let Some((name, other)) = names.into_iter().find_map(|name| Some((name, variable(name)?)))
        && other != "http/protobuf"
    {
        return Err(failed(&format!("{name} must be http/protobuf, got {other:?}")));
    }
    let names = ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"];
    let timeout = names.into_iter().find_map(variable).and_then(|millis| millis.parse().ok());
    let connector = HttpsConnectorBuilder::new().with_native_roots().map_err(|error| failed(&error))?;
    let connector = connector.https_or_http().enable_http1().build();
    let client = HyperClient::new(connector, timeout.map_or(EXPORT, Duration::from_millis), None);
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_http_client(Client { client, runtime: runtime.clone() })
        .build()
        .map_err(|error| failed(&error))?;
    // The later ones win.
    let mut resource = Resource::builder_empty()
        .with_service_name(SERVICE)
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_detector(Box::new(EnvResourceDetector::new()));
    if let Some(name) = variable("OTEL_SERVICE_NAME") {
        resource = resource.with_service_name(name);
    }
    Ok(SdkTracerProvider::builder().with_resource(resource.build()).with_batch_exporter(exporter).build())
}

/// Sends requests on the program's runtime: the thread that collects spans into batches has none.
#[derive(Debug)]
struct Client {
    client: HyperClient<HttpsConnector<HttpConnector>>,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        self.runtime.spawn(async move { client.send_bytes(request).await }).await?
    }
}
