//! `/metrics` tells what has happened, in few and stable labels.

use std::time::Duration;

use crate::common::Server;
use reqwest::Method;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// The value of a sample; 0 if there is none.
async fn sample(server: &Server, name: &str) -> f64 {
    let page = server.get("/metrics").await;
    assert_eq!(page.status, 200);
    let mut values = page.text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let value = values.next().map_or(0.0, |value| value.parse().unwrap());
    assert_eq!(values.next(), None, "{name} is there twice");
    value
}

/// Waits until a sample has this value.
async fn until(server: &Server, name: &str, value: f64) {
    let reached = async {
        while sample(server, name).await != value {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let reached = tokio::time::timeout(Duration::from_secs(60), reached).await;
    assert!(reached.is_ok(), "{name} isn't {value} within a minute");
}

#[tokio::test]
async fn requests_are_counted_by_route_method_status_and_outcome() {
    let server = Server::start().await;
    server.get("/queens?size=8").await.ok();
    server.get("/queens?size=8").await.ok();
    server.get("/queens?size=3").await.ok();
    server.post("/knight-tour", &json!({"size": 8, "method": "warnsdorff"})).await.ok();
    server.get("/tromino?n=8").await.problem(422, "invalid-request");
    server.get("/queens?size=4&format=ndjson").await;
    for (labels, count) in [
        (r#"route="/queens",method="GET",status="200",outcome="solved""#, 2.0),
        (r#"route="/queens",method="GET",status="200",outcome="impossible""#, 1.0),
        (r#"route="/queens",method="GET",status="200",outcome="streamed""#, 1.0),
        (r#"route="/knight-tour",method="POST",status="200",outcome="solved""#, 1.0),
        (r#"route="/tromino",method="GET",status="422",outcome="invalid-request""#, 1.0),
    ] {
        assert_eq!(
            sample(&server, &format!("chessboard_requests_total{{{labels}}}")).await,
            count,
            "{labels}"
        );
    }
    let timed = sample(&server, r#"chessboard_request_duration_seconds_count{route="/queens"}"#).await;
    assert_eq!(timed, 4.0);
}

#[tokio::test]
async fn what_browsers_ask_before_a_request_is_counted_as_well() {
    let server = Server::start().await;
    let ask = server.client.request(Method::OPTIONS, server.url("/queens"));
    let ask = ask.header("origin", "https://example.com").header("access-control-request-method", "POST");
    assert_eq!(ask.send().await.unwrap().status(), 200);
    let labels = r#"route="/queens",method="OPTIONS",status="200",outcome="ok""#;
    assert_eq!(sample(&server, &format!("chessboard_requests_total{{{labels}}}")).await, 1.0);
}

#[tokio::test]
async fn what_clients_make_up_adds_no_labels() {
    let server = Server::start().await;
    for path in ["/secret", "/queens/17", "/index.php"] {
        server.get(path).await.problem(404, "not-found");
        let request = server.client.request(Method::from_bytes(b"BREW").unwrap(), server.url(path));
        server.call(request).await.problem(404, "not-found");
    }
    server.get("/jobs/17").await.problem(404, "not-found");
    server.get("/jobs/18").await.problem(404, "not-found");
    let page = server.get("/metrics").await.text;
    assert!(
        !["secret", "BREW", "php", "17"].iter().any(|word| page.contains(&format!("{word}\""))),
        "{page}"
    );
    for (labels, count) in [
        (r#"route="none",method="GET",status="404",outcome="not-found""#, 3.0),
        (r#"route="none",method="other",status="404",outcome="not-found""#, 3.0),
        (r#"route="/jobs/{id}",method="GET",status="404",outcome="not-found""#, 2.0),
    ] {
        assert_eq!(
            sample(&server, &format!("chessboard_requests_total{{{labels}}}")).await,
            count,
            "{labels}"
        );
    }
}

#[tokio::test]
async fn a_solve_is_timed_once_by_puzzle_outcome_and_method_and_its_answer_is_kept() {
    let server = Server::start().await;
    for _ in 0..3 {
        server.get("/tromino?size=4&holes=2,2").await.ok();
        server.get("/knight-tour?size=5&closed=true").await.ok();
    }
    for labels in [
        r#"puzzle="tromino",outcome="solved",method="quadrants""#,
        r#"puzzle="knight-tour",outcome="impossible",method="colour""#,
    ] {
        let name = |part: &str| format!("chessboard_solve_duration_seconds_{part}{{{labels}}}");
        assert_eq!(sample(&server, &name("count")).await, 1.0, "{labels}");
        let all = format!("chessboard_solve_duration_seconds_bucket{{{labels},le=\"+Inf\"}}");
        assert_eq!(sample(&server, &all).await, 1.0, "{labels}");
    }
    assert_eq!(sample(&server, "chessboard_cache_hits_total").await, 4.0);
    assert_eq!(sample(&server, "chessboard_cache_misses_total").await, 2.0);
    assert_eq!(sample(&server, "chessboard_cache_answers").await, 2.0);
    assert!(sample(&server, "chessboard_cache_bytes").await > 100.0);
    assert_eq!(sample(&server, r#"chessboard_solves_total{puzzle="tromino",end="done"}"#).await, 1.0);
}

#[tokio::test]
async fn solves_that_run_wait_are_refused_or_given_up_are_told() {
    let server = Server::with(&["--solver-threads", "1", "--solve-queue", "1"]).await;
    let ask = |path: &str| {
        let request = server.client.get(server.url(path));
        tokio::spawn(async move { request.send().await.map(|response| response.status()) })
    };
    assert_eq!(sample(&server, r#"chessboard_engine_threads{lane="heavy"}"#).await, 1.0);
    let running = ask("/queens?size=22&count=true");
    until(&server, r#"chessboard_engine_busy{lane="heavy"}"#, 1.0).await;
    let waiting = ask("/queens?size=21&count=true");
    until(&server, r#"chessboard_engine_waiting{lane="heavy"}"#, 1.0).await;
    assert_eq!(sample(&server, "chessboard_requests_under_way").await, 3.0, "the question is one of them");

    server.get("/queens?size=20&count=true").await.problem(503, "overloaded");
    let ended = |end: &str| format!("chessboard_solves_total{{puzzle=\"queens\",end=\"{end}\"}}");
    assert_eq!(sample(&server, &ended("refused")).await, 1.0);

    running.abort();
    waiting.abort();
    until(&server, &ended("cancelled"), 2.0).await;
    let left = r#"chessboard_requests_total{route="/queens",method="GET",status="",outcome="hung-up"}"#;
    until(&server, left, 2.0).await;
    until(&server, r#"chessboard_engine_busy{lane="heavy"}"#, 0.0).await;

    server.get("/queens?size=21&count=true&timeout_ms=20").await.problem(504, "solve-timeout");
    assert_eq!(sample(&server, &ended("timed-out")).await, 1.0);
}

#[tokio::test]
async fn a_client_that_leaves_a_stream_has_cancelled_it() {
    let server = Server::start().await;
    let mut lines = server.client.get(server.url("/queens?size=20&format=ndjson")).send().await.unwrap();
    assert!(lines.chunk().await.unwrap().is_some());
    drop(lines);
    until(&server, r#"chessboard_solves_total{puzzle="queens",end="cancelled"}"#, 1.0).await;
    server.get("/queens?size=6&format=ndjson").await;
    until(&server, r#"chessboard_solves_total{puzzle="queens",end="done"}"#, 1.0).await;
}

#[tokio::test]
async fn jobs_are_told_by_status_with_their_parts_and_those_that_were_refused() {
    let server = Server::with(&["--job-queue", "1", "--job-workers", "1"]).await;
    let begin = async |path: &str| {
        let request = server.client.get(server.url(path)).header("prefer", "respond-async");
        server.call(request).await
    };
    let jobs = |status: &str| format!("chessboard_jobs{{status=\"{status}\"}}");
    let ended = |status: &str| format!("chessboard_jobs_ended_total{{status=\"{status}\"}}");
    assert_eq!(sample(&server, "chessboard_jobs_available").await, 1.0);

    assert_eq!(begin("/knight-tour?size=6").await.status, 202);
    until(&server, &jobs("succeeded"), 1.0).await;
    assert_eq!(sample(&server, &ended("succeeded")).await, 1.0);
    assert_eq!(sample(&server, "chessboard_job_parts_done_total").await, 1.0);
    assert_eq!(sample(&server, "chessboard_job_parts_left").await, 0.0);

    let long = begin("/queens?size=22&count=true").await;
    until(&server, &jobs("running"), 1.0).await;
    assert!(sample(&server, "chessboard_job_parts_left").await > 1.0);
    begin("/queens?size=21&count=true").await.problem(503, "overloaded");
    assert_eq!(sample(&server, r#"chessboard_jobs_refused_total{reason="full"}"#).await, 1.0);

    let request = server.client.delete(server.url(long.header("location").unwrap()));
    assert_eq!(server.call(request).await.status, 204);
    until(&server, &jobs("cancelled"), 1.0).await;
    assert_eq!(sample(&server, &ended("cancelled")).await, 1.0);
    assert_eq!(sample(&server, &ended("failed")).await, 0.0);
    assert_eq!(sample(&server, "chessboard_job_parts_left").await, 0.0);
}

#[tokio::test]
async fn connections_are_counted_as_long_as_they_are_open() {
    let server = Server::start().await;
    until(&server, "chessboard_connections", 1.0).await;
    let mut other = TcpStream::connect(server.address).await.unwrap();
    other.write_all(b"GET").await.unwrap();
    until(&server, "chessboard_connections", 2.0).await;
    drop(other);
    until(&server, "chessboard_connections", 1.0).await;
}

#[tokio::test]
async fn the_page_says_which_version_it_is_and_whether_it_is_ready() {
    let server = Server::start().await;
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(sample(&server, &format!("chessboard_build_info{{version=\"{version}\"}}")).await, 1.0);
    assert_eq!(sample(&server, "chessboard_ready").await, 1.0);
    server.app.drain();
    let page = server.get("/metrics").await.text;
    assert!(page.contains("\nchessboard_ready 0\n"), "{page}");
}
