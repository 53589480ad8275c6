//! Starts the app on a free port and calls it through a real socket. Every answer is held to `openapi.yaml` on its
//! way to the test: status, media type and body must be as the document says.

#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::Duration;

use chessboard_solver::config::Config;
use chessboard_solver::http::{App, router, serve::serve};
use clap::Parser;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The contract's document.
pub static CONTRACT: LazyLock<Value> = LazyLock::new(|| {
    serde_saphyr::from_str(include_str!("../../openapi.yaml")).expect("openapi.yaml is YAML")
});

/// A running server.
pub struct Server {
    pub address: SocketAddr,
    pub app: App,
    pub client: Client,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Server {
    /// Starts a server with the default settings.
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    /// Starts a server with these flags.
    pub async fn with(flags: &[&str]) -> Self {
        let Config { limits, access, jobs, .. } = config(flags);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = App::start(&limits, &jobs).await.unwrap();
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn({
            let app = app.clone();
            async move {
                let stop = async {
                    let _ = stopped.await;
                };
                serve(listener, router(app.clone(), &access), &app, &limits, stop).await;
            }
        });
        let client = Client::builder().no_proxy().timeout(Duration::from_secs(120)).build().unwrap();
        Self { address, app, client, stop: Some(stop), task }
    }

    /// Tells the server to stop, as a signal does.
    pub fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until the server has stopped.
    pub async fn stopped(self) {
        self.task.await.unwrap();
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.call(self.client.get(self.url(path))).await
    }

    /// A POST of JSON.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.call(self.client.post(self.url(path)).json(body)).await
    }

    /// A POST of a body that may not be JSON.
    pub async fn post_raw(&self, path: &str, content_type: &str, body: impl Into<reqwest::Body>) -> Answer {
        self.call(self.client.post(self.url(path)).header(CONTENT_TYPE, content_type).body(body)).await
    }

    /// Sends the request, and checks the answer against the contract.
    pub async fn call(&self, request: RequestBuilder) -> Answer {
        let request = request.build().unwrap();
        let (method, path) = (request.method().as_str().to_lowercase(), request.url().path().to_owned());
        let response = self.client.execute(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.unwrap();
        let answer = Answer { status, headers, text };
        hold_to_contract(&method, &path, &answer);
        answer
    }
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error} in {:?}", self.text))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The JSON of an answer that must be a 200.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()
    }

    /// The JSON of an answer that must be a problem of this status and type.
    pub fn problem(&self, status: u16, slug: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        let problem = self.json();
        assert_eq!(problem["type"], format!("/problems/{slug}"));
        problem
    }

    /// The faults of an answer that must be a 422: a line each.
    pub fn faults(&self) -> Vec<String> {
        let problem = self.problem(422, "invalid-request");
        let errors = problem["errors"].as_array().expect("a list of errors");
        errors
            .iter()
            .map(|e| format!("{} {}", e["field"].as_str().unwrap(), e["detail"].as_str().unwrap()))
            .collect()
    }
}

/// The settings that these flags make.
fn config(flags: &[&str]) -> Config {
    Config::try_parse_from([&["chessboard-solver"], flags].concat()).unwrap()
}

/// The documented path that this one is an instance of.
fn documented(path: &str) -> Option<&'static str> {
    let paths = CONTRACT["paths"].as_object().unwrap();
    let fits = |template: &str| {
        let (template, path) = (template.split('/'), path.split('/'));
        template.clone().count() == path.clone().count()
            && template.zip(path).all(|(part, came)| part.starts_with('{') || part == came)
    };
    paths.keys().map(String::as_str).find(|template| fits(template))
}

fn hold_to_contract(method: &str, path: &str, answer: &Answer) {
    let media_type = answer.header("content-type").unwrap_or_default();
    let status = answer.status.as_u16();
    assert!(answer.header("x-request-id").is_some(), "an answer carries its id");

    // Paths and methods that don't exist are in no document, but their problems have the one shape.
    let operation = documented(path).map(|template| &CONTRACT["paths"][template][method]);
    let schema = match operation.filter(|operation| operation.is_object()) {
        None => {
            assert!([404, 405].contains(&status), "{method} {path} isn't documented, but answered {status}");
            assert_eq!(media_type, "application/problem+json");
            json!({"$ref": "#/components/schemas/Problem"})
        }
        Some(operation) => {
            let response = resolve(&operation["responses"][status.to_string()]);
            assert!(response.is_object(), "{method} {path} doesn't document {status}: {}", answer.text);
            let content = &response["content"][media_type];
            let documented = content.is_object() || (response["content"].is_null() && media_type.is_empty());
            assert!(documented, "{method} {path} doesn't document {media_type:?} for {status}");
            for (name, header) in response["headers"].as_object().into_iter().flatten() {
                // What isn't known when a stream begins is no header of it.
                if media_type == "application/x-ndjson" && name == "server-timing" {
                    continue;
                }
                let schema = &resolve(header)["schema"];
                let value = answer.header(name).unwrap_or_else(|| panic!("{method} {path} lacks {name}"));
                let value = value.parse::<u64>().map_or_else(|_| json!(value), |number| json!(number));
                validate(schema, &value);
            }
            content["schema"].clone()
        }
    };
    if [204, 304].contains(&status) {
        assert_eq!(answer.text, "");
        return;
    }
    if media_type == "text/event-stream" {
        for (event, job) in events(&answer.text) {
            validate(&schema, &json!({"event": event, "data": job.to_string()}));
            validate(&json!({"$ref": "#/components/schemas/Job"}), &job);
        }
        return;
    }
    let body = if media_type.ends_with("/json") || media_type.ends_with("+json") {
        answer.json()
    } else if media_type == "application/yaml" {
        serde_saphyr::from_str(&answer.text).expect("YAML")
    } else {
        json!(answer.text)
    };
    validate(&schema, &body);
    if status >= 400 {
        assert_eq!(body["status"], status);
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

/// The events of a stream: the name and the data of each.
pub fn events(text: &str) -> Vec<(&str, Value)> {
    let event = |text: &str| -> Option<(usize, usize)> { text.find('\n').map(|end| (end, text.len())) };
    text.split("\n\n")
        .filter(|text| !text.is_empty() && !text.starts_with(':'))
        .map(|text| {
            let (end, _) = event(text).unwrap();
            let (name, data) = text.split_at(end);
            let data = data.trim().strip_prefix("data: ").unwrap();
            (name.strip_prefix("event: ").unwrap(), serde_json::from_str(data).unwrap())
        })
        .collect()
}

/// What a `$ref` stands for; anything else is itself.
pub fn resolve(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(reference) => resolve(
            CONTRACT.pointer(reference.trim_start_matches('#')).expect("the reference leads somewhere"),
        ),
        None => value,
    }
}

/// Panics unless the value is as the schema says, which may refer to the document's components.
pub fn validate(schema: &Value, value: &Value) {
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [schema],
        "components": CONTRACT["components"],
    });
    let validator = jsonschema::validator_for(&whole).expect("a valid schema");
    let errors: Vec<_> =
        validator.iter_errors(value).map(|error| format!("{error} at {}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{}", value.to_string().chars().take(500).collect::<String>());
}
