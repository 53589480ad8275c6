//! What a client is told when something is wrong with its request.

use crate::common::Server;
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn whatever_comes_as_a_size_is_either_one_or_named() {
    let server = Server::start().await;
    let range =
        "must be an integer from 1 to 1,024 (the server takes boards of at most 1,048,576 squares), got";
    for path in ["/tromino", "/knight-tour"] {
        assert_eq!(
            server.get(path).await.faults(),
            ["size is missing: give size for a square board, or rows and cols"]
        );
        for (size, got) in [
            ("0", "0"),
            ("-1", "-1"),
            ("8.5", "8.5"),
            ("1e9", "1e9"),
            ("99999999999999999999", "99999999999999999999"),
            ("NaN", "\"NaN\""),
            ("", "nothing"),
            ("eight", "\"eight\""),
        ] {
            let faults = server.get(&format!("{path}?size={size}")).await.faults();
            assert_eq!(faults, [format!("size {range} {got}")], "{path}");
        }
        for size in ["\"8\"", "null", "[8]", "true", "8.5", "-1", "1e400"] {
            let body = format!("{{\"size\": {size}}}");
            let faults = server.post_raw(path, "application/json", body).await.faults();
            assert_eq!(faults, [format!("size {range} {size}")], "{path}");
        }
    }
    let faults = server.get("/queens?size=0").await.faults();
    assert_eq!(faults, ["size must be an integer from 1 to 1,000,000, got 0"]);
    assert_eq!(server.get("/queens").await.faults(), ["size is missing"]);
    assert_eq!(
        server.get("/queens?size=1025").await.faults(),
        [
            "size must be at most 1024 where the board is drawn (the server takes boards of at most 1,048,576 squares), \
          got 1025; board=false takes sizes to 1,000,000"
        ]
    );
}

#[tokio::test]
async fn an_integer_may_have_an_empty_fraction() {
    let server = Server::start().await;
    let whole = server.get("/queens?size=8").await.ok();
    assert_eq!(server.get("/queens?size=8.0").await.ok(), whole);
    assert_eq!(server.post_raw("/queens", "application/json", "{\"size\": 8.0}").await.ok(), whole);
}

#[tokio::test]
async fn all_faults_of_a_request_come_together() {
    let server = Server::start().await;
    let faults =
        server.get("/tromino?size=4&rows=4&hole=1,1&holes=x&board=maybe&timeout_ms=0").await.faults();
    assert_eq!(
        faults,
        [
            "hole is not a field here; did you mean holes?",
            "size must not come together with rows and cols: give size, or rows and cols",
            "holes must be a square, row,col, once for each square, got \"x\"",
            "board must be true or false, got \"maybe\"",
            "timeout_ms must be an integer from 1 to 18,446,744,073,709,551,615, got 0",
        ]
    );
    let body = json!({"n": 4, "start": [1, 2, 3], "closed": "yes", "method": "magic"});
    assert_eq!(
        server.post("/knight-tour", &body).await.faults(),
        [
            "n is not a field here; did you mean size?",
            "size is missing: give size for a square board, or rows and cols",
            "start must be a square, [row, col], got [1,2,3]",
            "closed must be true or false, got \"yes\"",
            "method must be one of auto, warnsdorff, backtracking, got \"magic\"",
        ]
    );
}

#[tokio::test]
async fn a_fault_names_both_ends_of_what_is_allowed_and_hides_no_other() {
    let server = Server::start().await;
    assert_eq!(
        server.get("/queens?size=4&seed=18446744073709551616").await.faults(),
        ["seed must be an integer from 0 to 18,446,744,073,709,551,615, got 18446744073709551616"]
    );
    assert_eq!(
        server.get("/knight-tour?size=4&leaper=4294967296,2").await.faults(),
        ["leaper must be two integers from 0 to 4,294,967,295, a,b, got \"4294967296,2\""]
    );
    let sides = server.get("/tromino?size=4&cols=0").await.faults();
    assert_eq!(sides.len(), 2, "{sides:?}");
    assert!(sides[1].starts_with("cols must be an integer from 1 to "), "{sides:?}");
    let regions = json!({"size": 2, "regions": [[0, "a"], [0, 1]]});
    assert_eq!(
        server.post("/queens", &regions).await.faults(),
        ["regions must be a list, [[0, 0, 1, …], …], got [0,\"a\"] at place 0"]
    );
}

#[tokio::test]
async fn a_single_fault_is_told_in_the_detail_as_well() {
    let server = Server::start().await;
    let problem = server.get("/queens?n=8&size=8").await.problem(422, "invalid-request");
    assert_eq!(problem["detail"], "n is not a field here; did you mean size?");
    let problem = server.get("/queens?size=8&limit=-1").await.problem(422, "invalid-request");
    assert_eq!(problem["detail"], "limit must be an integer from 0 to 10,000, got -1.");
}

#[tokio::test]
async fn a_field_comes_once() {
    let server = Server::start().await;
    let once = "must come once, but it came more than once";
    assert_eq!(server.get("/queens?size=8&size=8").await.faults(), [format!("size {once}")]);
    let body = "{\"size\": 8, \"size\": 8}";
    assert_eq!(server.post_raw("/queens", "application/json", body).await.faults(), [format!("size {once}")]);
}

#[tokio::test]
async fn a_square_must_lie_on_the_board_and_be_named_once() {
    let server = Server::start().await;
    for (path, fault) in [
        ("/tromino?size=4&holes=4,0", "holes must lie on the 4 × 4 board, got (4, 0)"),
        ("/tromino?size=4&holes=1,1&holes=1,1", "holes must differ from each other, got (1, 1) 2 times"),
        ("/knight-tour?size=5&start=0,5", "start must lie on the 5 × 5 board, got (0, 5)"),
    ] {
        assert_eq!(server.get(path).await.faults(), [fault]);
    }
    for square in ["1", "1,2,3", "1,", "a,b", "-1,0", "1.5,0", "99999999999,0", ""] {
        let faults = server.get(&format!("/knight-tour?size=5&start={square}")).await.faults();
        assert!(faults[0].starts_with("start must be a square, row,col, got"), "{faults:?}");
    }
    let faults =
        server.post("/tromino", &json!({"size": 4, "holes": [[0, 0], [1, 2, 3], "1,1"]})).await.faults();
    assert_eq!(
        faults,
        [
            "holes must be a list of squares, [[row, col], …], got [1,2,3]",
            "holes must be a list of squares, [[row, col], …], got \"1,1\"",
        ]
    );
    let faults = server.post("/tromino", &json!({"size": 4, "holes": [1, 2]})).await.faults();
    assert_eq!(faults[1], "holes must be a list of squares, [[row, col], …], got 2");
}

#[tokio::test]
async fn a_board_over_the_servers_limit_is_refused() {
    let server = Server::with(&["--max-squares", "100"]).await;
    assert_eq!(server.get("/knight-tour?size=10").await.ok()["status"], "solved");
    assert_eq!(
        server.get("/knight-tour?size=11").await.faults(),
        ["size must be an integer from 1 to 10 (the server takes boards of at most 100 squares), got 11"]
    );
    assert_eq!(
        server.get("/knight-tour?rows=51&cols=2").await.faults(),
        ["rows times cols makes 102 squares, and the server takes boards of at most 100 squares"]
    );
    assert_eq!(server.get("/queens?size=11").await.faults().len(), 1);
    assert_eq!(server.get("/queens?size=11&board=false").await.ok()["board"], Value::Null);
}

#[tokio::test]
async fn a_body_must_be_one_json_object() {
    let server = Server::start().await;
    for body in [
        "",
        "[]",
        "[1]",
        "8",
        "null",
        "\"size\"",
        "{",
        "{\"size\": 8",
        "{\"size\": 8}}",
        "{size: 8}",
        "size=8",
    ] {
        server.post_raw("/queens", "application/json", body).await.problem(400, "malformed-request");
    }
    let invalid_utf_8 = b"{\"size\": \"\xff\xfe\"}".to_vec();
    server.post_raw("/queens", "application/json", invalid_utf_8).await.problem(400, "malformed-request");
    let nested = "[".repeat(200_000);
    server.post_raw("/queens", "application/json", nested).await.problem(400, "malformed-request");
    let nested = format!("{{\"size\": {}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(server.post_raw("/queens", "application/json", nested).await.faults().len(), 1);
}

#[tokio::test]
async fn a_post_takes_json_and_no_query_string() {
    let server = Server::start().await;
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json"] {
        let answer = server.post_raw("/queens", content_type, "{\"size\": 8}").await;
        answer.problem(415, "unsupported-media-type");
    }
    let bare = server.client.post(server.url("/queens")).body("{\"size\": 8}");
    server.call(bare).await.problem(415, "unsupported-media-type");
    for content_type in ["application/json", "application/json; charset=utf-8", "Application/JSON"] {
        server.post_raw("/queens", content_type, "{\"size\": 8}").await.ok();
    }
    server.post("/queens?size=8", &json!({"size": 8})).await.problem(400, "malformed-request");
}

#[tokio::test]
async fn a_body_has_at_most_two_mebibytes() {
    let server = Server::start().await;
    let large = format!("{{\"size\": 8, \"limit\": {}1}}", " ".repeat(3 * 1024 * 1024));
    server.post_raw("/queens", "application/json", large).await.problem(413, "body-too-large");
    let padded = format!("{{\"size\": 8, \"limit\": {}1}}", " ".repeat(2 * 1024 * 1024 - 100));
    server.post_raw("/queens", "application/json", padded).await.ok();
}

#[tokio::test]
async fn a_query_string_must_be_percent_encoded_utf_8() {
    let server = Server::start().await;
    for query in ["size=%", "size=%zz", "size=%ff", "%c3%28=1"] {
        let answer = raw_get(&server, &format!("/queens?{query}")).await;
        assert!(
            answer.starts_with("HTTP/1.1 400 ") && answer.contains("/problems/malformed-request"),
            "{answer}"
        );
    }
}

/// Sends a target that no URL library would let through.
async fn raw_get(server: &Server, target: &str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn a_path_or_method_that_is_not_there_is_a_problem_too() {
    let server = Server::start().await;
    for path in ["/nothing", "/tromino/", "/Tromino", "/%00"] {
        server.get(path).await.problem(404, "not-found");
    }
    for (method, path, allow) in [
        (Method::DELETE, "/tromino", "GET,HEAD,POST"),
        (Method::PUT, "/queens", "GET,HEAD,POST"),
        (Method::POST, "/healthz", "GET,HEAD"),
    ] {
        let answer = server.call(server.client.request(method, server.url(path))).await;
        answer.problem(405, "method-not-allowed");
        assert_eq!(answer.header("allow"), Some(allow), "{path}");
    }
}

#[tokio::test]
async fn a_client_that_takes_nothing_there_is_is_told_so() {
    let server = Server::start().await;
    let get = |accept: &'static str| server.client.get(server.url("/queens?size=8")).header("accept", accept);
    for accept in ["text/html", "application/json;q=0", "image/png"] {
        server.call(get(accept)).await.problem(406, "not-acceptable");
    }
    for accept in ["*/*", "application/*;q=0.1", "text/html, application/json"] {
        server.call(get(accept)).await.ok();
    }
}

#[tokio::test]
async fn a_million_faults_cost_no_more_than_a_few() {
    let server = Server::start().await;
    let fields: Vec<_> = (0..150_000).map(|n| format!("\"f{n}\":0")).collect();
    let body = format!("{{{}}}", fields.join(","));
    let problem = server.post_raw("/queens", "application/json", body).await.problem(422, "invalid-request");
    assert_eq!(problem["detail"], "150001 things are wrong with the request; the first 20 are listed.");
    let holes = format!("{{\"size\": 4, \"holes\": [{}0]}}", "0,".repeat(1_000_000));
    let problem =
        server.post_raw("/tromino", "application/json", holes).await.problem(422, "invalid-request");
    assert_eq!(problem["errors"].as_array().unwrap().len(), 20);
}
