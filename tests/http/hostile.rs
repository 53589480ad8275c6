//! Clients that are slow, greedy or broken, by accident or on purpose.

use std::time::Duration;

use crate::common::Server;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

const SHORT: Duration = Duration::from_millis(50);

impl Server {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends these bytes on a connection of their own and reads until the server closes it.
    async fn send(&self, bytes: &str) -> String {
        let mut stream = self.connect().await;
        // The server may answer, and close, before it has taken all of it.
        let _ = stream.write_all(bytes.as_bytes()).await;
        rest(&mut stream).await
    }
}

/// What comes until the server closes the connection.
async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The head and the body of one answer, of which the length is told.
async fn answer(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    loop {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).await.unwrap();
        assert_ne!(count, 0, "the server closed the connection after {text:?}");
        text += std::str::from_utf8(&piece[..count]).unwrap();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if body.len() == length.parse::<usize>().unwrap() {
            return text;
        }
    }
}

const GET: &str = "GET /queens?size=4 HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[tokio::test]
async fn a_client_that_says_nothing_or_not_all_of_a_head_is_dropped() {
    let server = Server::with(&["--header-timeout-ms", "300"]).await;
    for begin in ["", "P", "GET /queens?size=4 HTTP/1.1\r\nHost: loc"] {
        assert_eq!(server.send(begin).await, "", "{begin:?}");
    }
    // A server of HTTP/2 introduces itself, and that is all.
    let introduction = server.send("PRI * HTT").await;
    assert!(introduction.len() < 100, "{introduction:?}");
}

#[tokio::test]
async fn a_head_that_comes_byte_by_byte_has_no_more_time_than_any_other() {
    let server = Server::with(&["--header-timeout-ms", "500"]).await;
    let mut stream = server.connect().await;
    let mut sent = 0;
    let head = format!("GET /queens?size=4 HTTP/1.1\r\nHost: {}\r\n\r\n", "h".repeat(1000));
    for byte in head.as_bytes() {
        sent += 1;
        if stream.write_all(&[*byte]).await.is_err() {
            break;
        }
        sleep(Duration::from_millis(10)).await;
    }
    assert!(sent < head.len(), "all of it was taken");
}

#[tokio::test]
async fn a_connection_may_be_idle_for_longer_than_a_head_may_take_but_not_for_ever() {
    let server = Server::with(&["--header-timeout-ms", "200", "--idle-timeout-ms", "3000"]).await;
    let mut stream = server.connect().await;
    for _ in 0..3 {
        stream.write_all(GET.as_bytes()).await.unwrap();
        assert!(answer(&mut stream).await.starts_with("HTTP/1.1 200 OK\r\n"));
        sleep(Duration::from_millis(600)).await;
    }
    assert_eq!(rest(&mut stream).await, "", "it is closed in the end");

    // The second head has no more time than the first.
    let mut stream = server.connect().await;
    stream.write_all(GET.as_bytes()).await.unwrap();
    answer(&mut stream).await;
    stream.write_all(b"GET /que").await.unwrap();
    assert_eq!(rest(&mut stream).await, "");
}

#[tokio::test]
async fn an_answer_may_take_longer_than_any_time_for_the_client() {
    let server = Server::with(&["--header-timeout-ms", "100", "--idle-timeout-ms", "100"]).await;
    let mut stream = server.connect().await;
    let slow = "GET /queens?size=22&count=true&timeout_ms=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream.write_all(slow.as_bytes()).await.unwrap();
    assert!(answer(&mut stream).await.starts_with("HTTP/1.1 504 "));
}

#[tokio::test]
async fn requests_may_be_sent_before_the_answers_have_come() {
    let server = Server::with(&["--idle-timeout-ms", "500"]).await;
    let answers = server.send(&GET.repeat(3)).await;
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 3);
}

#[tokio::test]
async fn a_body_that_stops_half_way_is_answered_when_its_time_is_over() {
    let server = Server::with(&["--body-timeout-ms", "300"]).await;
    let head = "POST /queens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n";
    let mut stream = server.connect().await;
    stream.write_all(format!("{head}{{\"size\": ").as_bytes()).await.unwrap();
    let text = answer(&mut stream).await;
    assert!(text.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{text}");
    assert!(text.contains("/problems/request-timeout") && text.contains("within 300 ms"), "{text}");
    assert_eq!(rest(&mut stream).await, "", "what comes on this connection now would make no sense");
}

#[tokio::test]
async fn a_body_that_is_announced_as_too_large_is_refused_at_once_if_the_client_listens() {
    let server = Server::start().await;
    let start = "POST /queens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    for rest in ["Expect: 100-continue\r\nContent-Length: 2097153", "Content-Length: 100000000"] {
        let mut stream = server.connect().await;
        stream.write_all(format!("{start}{rest}\r\n\r\n").as_bytes()).await.unwrap();
        let text = answer(&mut stream).await;
        assert!(text.starts_with("HTTP/1.1 413 ") && text.contains("/problems/body-too-large"), "{text}");
    }
    // One that doesn't is let say all it has to say, and hears then.
    for length in [2_097_153, 10_000_000] {
        let mut stream = server.connect().await;
        stream.write_all(format!("{start}Content-Length: {length}\r\n\r\n").as_bytes()).await.unwrap();
        stream.write_all(&vec![b' '; length]).await.unwrap();
        let text = answer(&mut stream).await;
        assert!(text.starts_with("HTTP/1.1 413 "), "{text}");
    }
}

#[tokio::test]
async fn a_compressed_body_is_refused_as_such() {
    let server = Server::start().await;
    let request = server.client.post(server.url("/queens")).header("content-encoding", "gzip");
    let request = request.header("content-type", "application/json").body("{\"size\": 4}");
    let problem = server.call(request).await.problem(415, "unsupported-media-type");
    assert!(problem["detail"].as_str().unwrap().contains("Content-Encoding: gzip"), "{problem}");
    let request = server.client.post(server.url("/queens")).header("content-encoding", "identity");
    let request = request.header("content-type", "application/json").body("{\"size\": 4}");
    assert_eq!(server.call(request).await.status, 200);
}

#[tokio::test]
async fn a_request_names_its_host_once() {
    let server = Server::start().await;
    for hosts in ["", "Host: a\r\nHost: b\r\n"] {
        let text = server.send(&format!("GET /healthz HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n")).await;
        assert!(text.starts_with("HTTP/1.1 400 ") && text.contains("one Host header"), "{text}");
    }
    let text = server.send("GET /healthz HTTP/1.0\r\n\r\n").await;
    assert!(text.starts_with("HTTP/1.0 200 ") || text.starts_with("HTTP/1.1 200 "), "{text}");
}

#[tokio::test]
async fn heads_have_a_largest_size() {
    let server = Server::start().await;
    let long = "x".repeat(40_000);
    let text = server.send(&format!("GET /?{long} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await;
    assert!(text.starts_with("HTTP/1.1 414 ") || text.starts_with("HTTP/1.1 431 "), "{text}");
    let text = server.send(&format!("GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: {long}\r\n\r\n")).await;
    assert!(text.starts_with("HTTP/1.1 431 "), "{text}");
    let many: String = (0..200).map(|n| format!("X-{n}: y\r\n")).collect();
    let text = server.send(&format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n")).await;
    assert!(text.starts_with("HTTP/1.1 431 "), "{text}");
}

#[tokio::test]
async fn what_is_no_http_gets_a_400_and_is_dropped() {
    let server = Server::start().await;
    for nonsense in ["\x16\x03\x01\x02\x00\x01\x00\x01", "hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n"] {
        let text = server.send(nonsense).await;
        assert!(text.starts_with("HTTP/1.1 400 ") || text.is_empty(), "{text}");
    }
    assert_eq!(server.get("/queens?size=4").await.status, 200);
}

#[tokio::test]
async fn http2_is_spoken_without_encryption_and_many_requests_share_a_connection() {
    let server = Server::with(&["--solve-queue", "1000"]).await;
    let client = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let requests = (0..300).map(|seed| client.get(server.url(&format!("/queens?size=9&seed={seed}"))).send());
    for response in futures_util::future::join_all(requests).await {
        let response = response.unwrap();
        assert_eq!((response.status().as_u16(), response.version()), (200, reqwest::Version::HTTP_2));
    }
    let head = client.get(server.url("/")).header("x-long", "x".repeat(40_000)).send().await;
    assert!(head.is_err() || head.unwrap().status() == 431);
    assert_eq!(client.get(server.url("/healthz")).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn an_idle_connection_of_http2_is_closed_as_well() {
    let server = Server::with(&["--idle-timeout-ms", "300"]).await;
    let mut stream = server.connect().await;
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00").await.unwrap();
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    assert!(!bytes.is_empty(), "the server introduced itself");
}

#[tokio::test]
async fn a_client_that_asks_too_often_is_told_when_to_come_back_and_others_are_served() {
    let server = Server::with(&["--rate-limit", "5", "--client-header", "x-forwarded-for"]).await;
    let ask = async |client: &str| {
        let request = server.client.get(server.url("/queens?size=4")).header("x-forwarded-for", client);
        server.call(request).await
    };
    let mut answers = Vec::new();
    for _ in 0..20 {
        // What the client itself says comes first, and doesn't count.
        answers.push(ask("6.6.6.6, 1.1.1.1").await);
    }
    let refused = answers.iter().find(|answer| answer.status == 429).expect("twenty at once are too many");
    refused.problem(429, "too-many-requests");
    assert!(refused.header("retry-after").is_some());
    assert_eq!(answers[0].status, 200);
    assert_eq!(ask("1.1.1.1, 2.2.2.2").await.status, 200);
    // Pages and probes are for everybody.
    for path in ["/", "/healthz", "/readyz", "/openapi.yaml"] {
        for _ in 0..10 {
            assert_eq!(server.get(path).await.status, 200);
        }
    }
    // Without the header the connection is the client.
    let server = Server::with(&["--rate-limit", "2"]).await;
    let mut statuses = Vec::new();
    for client in 0..10 {
        let request = server
            .client
            .get(server.url("/queens?size=4"))
            .header("x-forwarded-for", format!("1.1.1.{client}"));
        statuses.push(server.call(request).await.status.as_u16());
    }
    assert!(statuses.contains(&429), "{statuses:?}");
}

#[tokio::test]
async fn hundreds_of_slow_clients_leave_others_served() {
    let server = Server::with(&["--max-squares", "16777216"]).await;
    let mut slow = Vec::new();
    for number in 0..500 {
        let mut stream = server.connect().await;
        let begin = match number % 3 {
            // Half a head, half a body, and an answer of 140 MB that nobody takes.
            0 => "GET /queens?size=4 HTTP/1.1\r\nHost: lo",
            1 => {
                "POST /queens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
            }
            _ => "GET /tromino?size=4096&holes=0,0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        };
        stream.write_all(begin.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    sleep(SHORT).await;
    for size in 4..40 {
        assert_eq!(server.get(&format!("/queens?size={size}&count=false")).await.status, 200);
    }
    drop(slow);
}
