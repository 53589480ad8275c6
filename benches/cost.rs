//! What is predicted of requests, beside the time that their solvers take: one line for each request in
//! `tests/data/costs.json`. With `-- write` it writes the times there.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints its figures")]

use std::time::Duration;

use chessboard_solver::config::Config;
use chessboard_solver::http::{App, predict, router};
use clap::Parser;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tower::ServiceExt;

const FILE: &str = "tests/data/costs.json";

fn main() {
    let requests: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    let runtime = Runtime::new().unwrap();
    let config = Config::parse_from(["cost", "--solver-threads", "1", "--cache-bytes", "0"]);
    let app = runtime.block_on(App::start(&config.limits, &config.jobs)).unwrap();
    let router = router(app, &config.access);
    println!("{:<64} {:>14} {:>14} {:>8}", "request", "predicted", "measured", "factor");
    let mut written = Vec::new();
    for request in requests {
        let path = request["path"].as_str().unwrap();
        let (endpoint, query) = path.split_once('?').unwrap();
        let predicted = predict(endpoint, query).unwrap();
        let mut times: Vec<Duration> =
            (0..3).map(|_| runtime.block_on(solve(router.clone(), path))).collect();
        times.sort_unstable();
        let factor = predicted.as_secs_f64() / times[1].as_secs_f64();
        println!("{path:<64} {predicted:>14.3?} {:>14.3?} {factor:>7.2}x", times[1]);
        written.push(json!({"path": path, "micros": times[1].as_micros() as u64}));
    }
    if std::env::args().any(|argument| argument == "write") {
        let lines: Vec<String> = written.iter().map(Value::to_string).collect();
        std::fs::write(FILE, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
    }
}

/// The time on the solver's thread, as the answer tells it.
async fn solve(router: axum::Router, path: &str) -> Duration {
    let request = axum::http::Request::get(path).header("host", "localhost").body(axum::body::Body::empty());
    let response = router.oneshot(request.unwrap()).await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    let timing = response.headers()["server-timing"].to_str().unwrap();
    let millis: f64 = timing.strip_prefix("solve;dur=").unwrap().parse().unwrap();
    Duration::from_secs_f64(millis / 1e3)
}
