//! Jobs: answers that take longer than a request may.

use std::time::Duration;

use crate::common::{Answer, Server, events};
use serde_json::{Value, json};

const ASYNC: &str = "respond-async";

/// A count that takes hours.
const ENDLESS: &str = "/queens?size=22&count=true";

impl Server {
    async fn get_with(&self, path: &str, prefer: &str) -> Answer {
        self.call(self.client.get(self.url(path)).header("prefer", prefer)).await
    }

    async fn delete(&self, path: &str) -> Answer {
        self.call(self.client.delete(self.url(path))).await
    }

    /// Begins a job, and gives its path.
    async fn begin(&self, path: &str) -> String {
        let answer = self.get_with(path, ASYNC).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        answer.header("location").unwrap().to_owned()
    }

    /// The job at this path once `is_so`.
    async fn until(&self, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        loop {
            let job = self.get(path).await.ok();
            if is_so(&job) {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The job at this path once it has ended.
    async fn end(&self, path: &str) -> Value {
        self.until(path, |job| !["queued", "running"].contains(&job["status"].as_str().unwrap())).await
    }
}

#[tokio::test]
async fn a_request_that_prefers_not_to_wait_becomes_a_job_with_the_same_answer() {
    let server = Server::start().await;
    for path in [
        "/queens?size=12&count=true&limit=2",
        "/queens?size=13&blocked=0,0&blocked=6,6&count=true&unique=true",
        "/queens?size=10&attack=touch&count=true",
        "/queens?size=11&attack=torus&count=true",
        "/queens?size=3&count=true",
        "/queens?size=9&queens=0,0&queens=1,1&count=true",
        "/tromino?size=9&seed=1&count=true",
        "/tromino?size=5&holes=0,1",
        "/knight-tour?rows=5&cols=6&count=true&start=0,0",
    ] {
        let answer = server.get_with(path, ASYNC).await;
        assert_eq!(answer.status, 202, "{path}: {}", answer.text);
        assert_eq!(answer.header("preference-applied"), Some("respond-async"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let begun = answer.json();
        let location = answer.header("location").unwrap();
        assert_eq!(location, format!("/jobs/{}", begun["id"].as_str().unwrap()));
        let job = server.end(location).await;
        assert_eq!(job["status"], "succeeded");
        assert_eq!(job["result"], server.get(path).await.ok(), "{path}");
        assert_eq!(job["progress"]["done"], job["progress"]["total"]);
        assert_eq!(job["problem"], Value::Null);
    }
}

#[tokio::test]
async fn a_job_says_what_was_asked_by_get_and_by_post() {
    let server = Server::start().await;
    let body = json!({"size": 6, "regions": [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [2, 2, 2, 3, 3, 3],
        [2, 2, 2, 3, 3, 3], [4, 4, 4, 5, 5, 5], [4, 4, 4, 5, 5, 5]], "attack": "touch"});
    let request = server.client.post(server.url("/queens")).json(&body).header("prefer", ASYNC);
    let job = server.call(request).await.json();
    assert_eq!(job["puzzle"], "queens");
    assert_eq!(job["request"], body);
    let location = server.begin("/queens?limit=1&size=9&blocked=3,2&blocked=1,2").await;
    let job = server.get(&location).await.ok();
    assert_eq!(job["request"], json!({"size": 9, "blocked": [[1, 2], [3, 2]]}));
}

#[tokio::test]
async fn an_answer_that_is_there_within_the_wait_needs_no_job() {
    let server = Server::start().await;
    let answer = server.get_with("/queens?size=12", "respond-async, wait=20").await;
    assert_eq!(answer.ok()["solution_count"], 14_200);
    let plain = server.get("/queens?size=12").await;
    assert_eq!((&answer.text, answer.header("etag")), (&plain.text, plain.header("etag")));

    // It is known from now on, and known at once.
    assert_eq!(server.get_with("/queens?size=12", ASYNC).await.status, 200);

    let text = server.get_with("/queens?size=4&format=text", "respond-async, wait=20").await;
    assert_eq!(text.status, 200);
    assert!(text.text.starts_with("4 queens"), "{}", text.text);

    let answer = server.get_with(ENDLESS, "respond-async, wait=1").await;
    assert_eq!(answer.status, 202);
    assert_eq!(answer.header("preference-applied"), Some("respond-async, wait=1"));
}

#[tokio::test]
async fn a_problem_is_told_before_there_is_a_job() {
    let server = Server::start().await;
    let faults = server.get_with("/queens?size=0", ASYNC).await.faults();
    assert!(faults[0].starts_with("size must be"), "{faults:?}");
    let server = Server::with(&["--max-squares", "16777216"]).await;
    let faults = server.get_with("/tromino?size=2048&holes=0,0", ASYNC).await.faults();
    assert!(
        faults[0].starts_with("board must be false in a job on more than 2,097,152 squares"),
        "{faults:?}"
    );
    server.begin("/tromino?size=2048&holes=0,0&board=false").await;
}

#[tokio::test]
async fn asking_for_the_head_of_an_answer_begins_no_job() {
    let server = Server::with(&["--job-queue", "0"]).await;
    let head = server.client.head(server.url("/queens?size=8")).header("prefer", ASYNC);
    assert_eq!(head.send().await.unwrap().status(), 200);
    server.get_with("/queens?size=9", ASYNC).await.problem(503, "overloaded");
}

#[tokio::test]
async fn lines_are_sent_as_always() {
    let server = Server::start().await;
    let answer = server.get_with("/queens?size=4&format=ndjson", ASYNC).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("preference-applied"), None);
}

#[tokio::test]
async fn progress_grows_and_the_time_left_is_told_in_the_end() {
    let server = Server::start().await;
    let location = server.begin("/queens?size=17&count=true").await;
    let half = server.until(&location, |job| job["progress"]["seconds_left"].is_u64()).await;
    assert_eq!(half["status"], "running");
    let (done, total) =
        (half["progress"]["done"].as_u64().unwrap(), half["progress"]["total"].as_u64().unwrap());
    assert!(total >= 64 && done >= total / 50, "{half}");
    let job = server.end(&location).await;
    assert_eq!(job["progress"], json!({"done": total, "total": total, "seconds_left": null}));
    assert_eq!(job["result"]["solution_count"], 95_815_104);
    assert_eq!(job["result"]["fundamental_count"], 11_977_939);
}

#[tokio::test]
async fn a_client_that_sends_the_tag_back_hears_only_of_changes() {
    let server = Server::start().await;
    let location = server.begin("/queens?size=8&seed=3").await;
    server.end(&location).await;
    let answer = server.get(&location).await;
    let tag = answer.header("etag").unwrap();
    assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
    let again = server.client.get(server.url(&location)).header("if-none-match", tag);
    assert_eq!(server.call(again).await.status, 304);
    let other = server.client.get(server.url(&location)).header("if-none-match", "W/\"0\"");
    assert_eq!(server.call(other).await.status, 200);
}

#[tokio::test]
async fn cancelling_stops_the_work_and_the_job_stays_to_be_seen() {
    let server = Server::start().await;
    let location = server.begin(ENDLESS).await;
    server.until(&location, |job| job["status"] == "running").await;
    let answer = server.delete(&location).await;
    assert_eq!((answer.status.as_u16(), answer.text.as_str()), (204, ""));
    let job = server.get(&location).await.ok();
    assert_eq!(job["status"], "cancelled");
    assert_eq!((&job["result"], &job["problem"]), (&Value::Null, &Value::Null));
    // Once more changes nothing, and neither does it for one that has succeeded.
    assert_eq!(server.delete(&location).await.status, 204);
    assert_eq!(server.get(&location).await.ok()["status"], "cancelled");
    let done = server.begin("/queens?size=8&seed=4").await;
    server.end(&done).await;
    assert_eq!(server.delete(&done).await.status, 204);
    assert_eq!(server.get(&done).await.ok()["status"], "succeeded");
    // The threads are free again.
    let next = server.begin("/queens?size=13&count=true&limit=0").await;
    assert_eq!(server.end(&next).await["result"]["solution_count"], 73_712);
}

#[tokio::test]
async fn equal_requests_share_the_work_until_the_last_of_them_is_cancelled() {
    let server = Server::with(&["--job-workers", "1"]).await;
    let first = server.begin("/queens?size=20&count=true").await;
    let far = server.until(&first, |job| job["progress"]["done"].as_u64() > Some(3)).await;
    let second = server.begin("/queens?count=true&size=20").await;
    assert_ne!(first, second, "each has a job of its own");
    let job = server.get(&second).await.ok();
    assert!(job["progress"]["done"].as_u64() >= far["progress"]["done"].as_u64(), "{job}");

    server.delete(&first).await;
    assert_eq!(server.get(&first).await.ok()["status"], "cancelled");
    let before = server.get(&second).await.ok()["progress"]["done"].as_u64();
    server.until(&second, |job| job["progress"]["done"].as_u64() > before).await;
    server.delete(&second).await;

    // Nothing is left of it: an equal request begins from the start.
    let third = server.begin("/queens?size=20&count=true").await;
    assert!(server.get(&third).await.ok()["progress"]["done"].as_u64() < before);
    server.delete(&third).await;
}

#[tokio::test]
async fn a_short_job_is_not_stuck_behind_a_long_one() {
    let server = Server::with(&["--job-workers", "1"]).await;
    let long = server.begin("/queens?size=20&count=true").await;
    server.until(&long, |job| job["status"] == "running").await;
    let short = server.begin("/queens?size=12&count=true&limit=0").await;
    let job = server.end(&short).await;
    assert_eq!(job["result"]["solution_count"], 14_200);
    assert_eq!(server.get(&long).await.ok()["status"], "running");
    server.delete(&long).await;
}

#[tokio::test]
async fn a_job_that_takes_too_long_fails_with_the_problem_that_says_so() {
    let server = Server::start().await;
    let location = server.begin("/queens?size=22&count=true&timeout_ms=100").await;
    let job = server.end(&location).await;
    assert_eq!(job["status"], "failed");
    assert_eq!(job["problem"]["type"], "/problems/solve-timeout");
    assert!(job["problem"]["detail"].as_str().unwrap().contains("within 100 ms"), "{job}");

    let server = Server::with(&["--job-timeout-ms", "50"]).await;
    let location = server.begin("/queens?size=22&count=true&timeout_ms=100000").await;
    let job = server.end(&location).await;
    assert!(job["problem"]["detail"].as_str().unwrap().contains("within 50 ms"), "{job}");
    let answer = server.get_with("/queens?size=22&count=true", "respond-async, wait=20").await;
    answer.problem(504, "solve-timeout");
}

#[tokio::test]
async fn a_job_whose_answer_is_too_large_fails_with_the_problem_that_says_so() {
    let server = Server::start().await;
    // 1,000 solutions of 10,000 queens: 49 MB.
    let location = server.begin("/queens?size=10000&limit=1000&seed=1&board=false").await;
    let job = server.end(&location).await;
    assert_eq!(job["problem"]["status"], 422);
    assert!(job["problem"]["detail"].as_str().unwrap().contains("16 MiB"), "{job}");
}

#[tokio::test]
async fn beyond_so_many_jobs_further_ones_are_refused_and_told_when_to_come_back() {
    let server = Server::with(&["--job-queue", "2"]).await;
    let first = server.begin(ENDLESS).await;
    server.begin(ENDLESS).await;
    let refused = server.get_with("/queens?size=7&seed=1", ASYNC).await;
    refused.problem(503, "overloaded");
    assert!(refused.header("retry-after").is_some());
    server.delete(&first).await;
    server.begin("/queens?size=7&seed=1").await;
}

#[tokio::test]
async fn an_id_that_nobody_was_told_is_unknown_and_an_old_one_is_gone() {
    let server = Server::with(&["--job-ttl-ms", "100"]).await;
    for id in ["3f0a6f6e-2b7e-4b0e-9c55-6c6f6a1d8a51", "1", "%20", "queens"] {
        for path in [format!("/jobs/{id}"), format!("/jobs/{id}/events")] {
            server.get(&path).await.problem(404, "not-found");
        }
        server.delete(&format!("/jobs/{id}")).await.problem(404, "not-found");
    }
    let location = server.begin("/queens?size=8&seed=5").await;
    let gone = loop {
        let answer = server.get(&location).await;
        if answer.status != 200 {
            break answer;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    gone.problem(410, "gone");
    server.delete(&location).await;
}

#[tokio::test]
async fn only_so_many_jobs_and_bytes_are_kept_and_the_oldest_go_first() {
    for flags in [["--jobs-kept", "2"], ["--jobs-kept-bytes", "300"]] {
        let server = Server::with(&flags).await;
        let mut locations = Vec::new();
        for seed in 0..4 {
            let location = server.begin(&format!("/queens?size=8&board=false&seed={seed}")).await;
            server.end(&location).await;
            locations.push(location);
        }
        loop {
            let answer = server.get(&locations[1]).await;
            if answer.status == 410 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(server.get(&locations[3]).await.status, 200);
    }
}

#[tokio::test]
async fn a_job_is_followed_as_events_of_which_the_last_has_the_answer() {
    let server = Server::start().await;
    let location = server.begin("/queens?size=17&count=true&limit=0").await;
    let started = std::time::Instant::now();
    let stream = server.get(&format!("{location}/events")).await;
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    let events = events(&stream.text);
    let (last, others) = events.split_last().unwrap();
    assert_eq!(last.0, "done");
    assert_eq!(last.1, server.get(&location).await.ok());
    assert_eq!(last.1["result"]["solution_count"], 95_815_104);
    assert!(!others.is_empty() && others.iter().all(|(name, _)| *name == "progress"));
    let most = 2 + 2 * (1 + started.elapsed().as_secs() as usize);
    assert!(events.len() <= most, "{} events", events.len());

    // They go as they are, whatever codings the client takes.
    let request = server
        .client
        .get(server.url(&format!("{location}/events")))
        .header("accept-encoding", "zstd, br, gzip");
    assert_eq!(server.call(request).await.header("content-encoding"), None);

    // Whoever comes late sees the end at once, whatever event was the last one seen.
    let late = server.client.get(server.url(&format!("{location}/events"))).header("last-event-id", "7");
    let late = server.call(late).await;
    let late = crate::common::events(&late.text);
    assert_eq!(late.len(), 1);
    assert_eq!(late[0], *last);
}

#[tokio::test]
async fn cancelling_ends_the_events() {
    let server = Server::start().await;
    let location = server.begin(ENDLESS).await;
    let path = format!("{location}/events");
    let (stream, ()) = tokio::join!(server.get(&path), async {
        server.until(&location, |job| job["status"] == "running").await;
        server.delete(&location).await;
    });
    let events = events(&stream.text);
    assert_eq!(events.last().map(|(name, job)| (*name, &job["status"])), Some(("done", &json!("cancelled"))));
}

#[tokio::test]
async fn a_server_that_stops_ends_the_streams_of_events() {
    let mut server = Server::start().await;
    let location = server.begin(ENDLESS).await;
    let mut response = server.client.get(server.url(&format!("{location}/events"))).send().await.unwrap();
    assert!(response.chunk().await.unwrap().is_some());
    server.stop();
    while response.chunk().await.unwrap().is_some() {}
    server.stopped().await;
}

#[tokio::test]
async fn a_client_that_hangs_up_before_it_knows_the_job_leaves_none_behind() {
    let server = Server::with(&["--job-queue", "1"]).await;
    let request = server.client.get(server.url(ENDLESS)).header("prefer", "respond-async, wait=20");
    let hung_up = tokio::time::timeout(Duration::from_millis(300), request.send()).await;
    assert!(hung_up.is_err());
    loop {
        let answer = server.get_with("/queens?size=7&seed=1", ASYNC).await;
        if answer.status != 503 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_page_of_another_origin_may_cancel_and_read_where_the_job_is() {
    let server = Server::start().await;
    let preflight = server
        .client
        .request(reqwest::Method::OPTIONS, server.url("/jobs/3f0a6f6e-2b7e-4b0e-9c55-6c6f6a1d8a51"))
        .header("origin", "https://example.org")
        .header("access-control-request-method", "DELETE")
        .send()
        .await
        .unwrap();
    let allowed = preflight.headers()["access-control-allow-methods"].to_str().unwrap();
    assert!(allowed.contains("DELETE"), "{allowed}");
    let request = server.client.get(server.url("/queens?size=6&seed=1"));
    let request = request.header("origin", "https://example.org").header("prefer", ASYNC);
    let answer = server.call(request).await;
    let exposed = answer.header("access-control-expose-headers").unwrap();
    assert!(exposed.contains("location") && exposed.contains("preference-applied"), "{exposed}");
}
