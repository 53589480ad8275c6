//! Deadlines and hang-ups really stop the work, and overload is refused.

use std::time::{Duration, Instant};

use crate::common::Server;
use chessboard_solver::engine::Weight;
use serde_json::json;

/// Two requests that take far longer than any test.
const ENDLESS: [&str; 2] =
    ["/knight-tour?size=8&method=backtracking&start=0,0", "/queens?size=20&count=true"];

/// Waits until as many solves run and wait as said.
async fn until_load(server: &Server, load: (usize, usize)) {
    let started = Instant::now();
    while server.app.engine().load(Weight::Heavy) != load {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "the load stays at {:?}",
            server.app.engine().load(Weight::Heavy)
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_deadline_ends_in_a_timeout_that_says_how_long_there_was_and_frees_the_thread() {
    let server = Server::start().await;
    for path in ENDLESS {
        let problem = server.get(&format!("{path}&timeout_ms=1200")).await.problem(504, "solve-timeout");
        assert!(
            problem["detail"].as_str().unwrap().starts_with("There was no answer within 1,200 ms"),
            "{problem}"
        );
        until_load(&server, (0, 0)).await;
    }
}

#[tokio::test]
async fn the_servers_own_limit_caps_what_a_client_asks_for() {
    let server = Server::with(&["--solve-timeout-ms", "50"]).await;
    for path in ENDLESS {
        let problem = server
            .get(&format!("{path}&timeout_ms=18446744073709551615"))
            .await
            .problem(504, "solve-timeout");
        assert!(problem["detail"].as_str().unwrap().contains("within 50 ms"), "{problem}");
    }
    until_load(&server, (0, 0)).await;
}

#[tokio::test]
async fn a_client_that_hangs_up_cancels_its_solve() {
    let server = Server::start().await;
    for path in ENDLESS {
        let request = server.client.get(server.url(path)).timeout(Duration::from_millis(300)).send();
        assert!(request.await.unwrap_err().is_timeout());
        until_load(&server, (0, 0)).await;
    }
}

#[tokio::test]
async fn beyond_threads_and_queue_requests_are_refused_and_served_again_when_there_is_room() {
    let server = Server::with(&["--solver-threads", "1", "--solve-queue", "1"]).await;
    let endless = |path: &str| tokio::spawn(server.client.get(server.url(path)).send());
    let running = endless(ENDLESS[0]);
    until_load(&server, (1, 0)).await;
    let waiting = endless(ENDLESS[1]);
    until_load(&server, (1, 1)).await;

    let refused = server.get("/queens?size=21&count=true").await;
    refused.problem(503, "overloaded");
    assert!(refused.header("retry-after").is_some());
    // What takes no time is served as always.
    server.get("/queens?size=8").await.ok();
    assert_eq!(server.get("/healthz").await.text, "alive\n");

    running.abort();
    waiting.abort();
    until_load(&server, (0, 0)).await;
    server.get("/queens?size=16&count=true").await.ok();
}

#[tokio::test]
async fn an_answer_names_the_time_of_its_solve_in_a_header_and_never_in_its_body() {
    let server = Server::start().await;
    let first = server.get("/queens?size=8").await;
    let timing = first.header("server-timing").unwrap().strip_prefix("solve;dur=").unwrap();
    assert!(timing.parse::<f64>().unwrap() >= 0.0);
    let second = server.get("/queens?size=8").await;
    assert_eq!(first.text, second.text);
    assert_eq!(second.header("server-timing"), Some("solve;dur=0.000, cache;desc=hit"));
    assert_ne!(first.header("x-request-id"), second.header("x-request-id"));
    let posted = server.post("/queens", &json!({"size": 8})).await;
    assert_eq!(first.text, posted.text);
}

#[tokio::test]
async fn a_client_may_name_its_request() {
    let server = Server::start().await;
    let named = server.client.get(server.url("/healthz")).header("x-request-id", "mine-17");
    assert_eq!(server.call(named).await.header("x-request-id"), Some("mine-17"));
}
