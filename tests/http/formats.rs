//! Every form in which a puzzle answers.

use crate::common::Server;
use chessboard_solver::engine::Weight;

#[tokio::test]
async fn text_is_a_line_of_facts_and_the_board() {
    let server = Server::start().await;
    insta::assert_snapshot!(server.get("/tromino?size=4&holes=2,2&format=text").await.text, @r"
L-trominoes on 4 × 4, 1 hole: 5 tiles, by quadrants
┌───────┬───────┐
│       │       │
│   ┌───┴───┐   │
│   │       │   │
├───┤   ┌───┼───┤
│   │   │███│   │
│   └───┼───┘   │
│       │       │
└───────┴───────┘
");
    insta::assert_snapshot!(server.get("/tromino?size=4&holes=2,2&format=text&style=numbers").await.text, @r"
L-trominoes on 4 × 4, 1 hole: 5 tiles, by quadrants
2 2 3 3
2 1 1 3
4 1 · 5
4 4 5 5
");
    insta::assert_snapshot!(server.get("/knight-tour?size=5&start=0,0&format=text").await.text, @r"
Open knight's tour on 5 × 5: 25 squares, from (0, 0) to (2, 2), by blocks
 1 20  9 14  3
10 15  2 19 24
21  8 25  4 13
16 11  6 23 18
 7 22 17 12  5
");
    insta::assert_snapshot!(server.get("/knight-tour?size=5&closed=true&format=text").await.text, @r"Closed knight's tour on 5 × 5: impossible. Every move changes the colour, so a closed tour has as many squares of one colour as of the other; the 5 × 5 board has an odd number of squares.");
    insta::assert_snapshot!(server.get("/queens?size=6&format=text").await.text, @r"
6 queens: a solution by search, one of 4, of which 1 are fundamental
· ♛ · · · ·
· · · ♛ · ·
· · · · · ♛
♛ · · · · ·
· · ♛ · · ·
· · · · ♛ ·
");
    insta::assert_snapshot!(server.get("/queens?size=4&format=text&style=ascii").await.text, @r"
4 queens: a solution by search, one of 2, of which 1 are fundamental
. Q . .
. . . Q
Q . . .
. . Q .
");
    insta::assert_snapshot!(server.get("/queens?size=8&format=text&board=false").await.text, @r"8 queens: a solution by search, one of 92, of which 12 are fundamental");
}

#[tokio::test]
async fn a_picture_is_svg_with_a_title_and_a_description() {
    let server = Server::start().await;
    let picture = server.get("/tromino?size=4&holes=2,2&format=svg").await;
    assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
    insta::assert_snapshot!(picture.text, @r#"
<svg xmlns="http://www.w3.org/2000/svg" viewBox="-.125 -.125 4.25 4.25" role="img" aria-labelledby="title description">
<title id="title">L-trominoes on 4 × 4, 1 hole</title>
<desc id="description">5 tiles, by quadrants</desc>
<style>.paper{fill:#fff}.frame{fill:none;stroke:#222;stroke-width:.08}.shade{fill:#d9dee4}.hole,.queen{fill:#222}.tile{stroke:#fff;stroke-width:.08;stroke-linejoin:round}.c1{fill:#0072b2}.c2{fill:#e69f00}.c3{fill:#009e73}.c4{fill:#cc79a7}.c5{fill:#56b4e9}.way{fill:none;stroke:#56b4e9;stroke-width:.09;stroke-linejoin:round;stroke-linecap:round}.start{fill:#009e73}.end{fill:#d55e00}.number{font:.34px sans-serif;fill:#222;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:.06}@media(prefers-color-scheme:dark){.paper{fill:#24282d}.frame{stroke:#eee}.shade{fill:#3b424a}.hole,.queen{fill:#eee}.tile{stroke:#24282d}.number{fill:#eee;stroke:#24282d}}</style>
<rect class="paper" width="4" height="4"/>
<path class="tile c1" d="M0 0h2v1h-1v1h-1zM3 2h1v2h-2v-1h1z"/>
<path class="tile c2" d="M2 0h2v2h-1v-1h-1zM0 2h1v1h1v1h-2z"/>
<path class="tile c3" d="M1 1h2v1h-1v1h-1z"/>
<rect class="frame" width="4" height="4"/>
</svg>
"#);
    insta::assert_snapshot!(server.get("/knight-tour?rows=3&cols=4&start=0,0&format=svg").await.text, @r#"
<svg xmlns="http://www.w3.org/2000/svg" viewBox="-.125 -.125 4.25 3.25" role="img" aria-labelledby="title description">
<title id="title">Open knight's tour on 3 × 4</title>
<desc id="description">12 squares, from (0, 0) to (2, 3), by frontier</desc>
<style>.paper{fill:#fff}.frame{fill:none;stroke:#222;stroke-width:.08}.shade{fill:#d9dee4}.hole,.queen{fill:#222}.tile{stroke:#fff;stroke-width:.08;stroke-linejoin:round}.c1{fill:#0072b2}.c2{fill:#e69f00}.c3{fill:#009e73}.c4{fill:#cc79a7}.c5{fill:#56b4e9}.way{fill:none;stroke:#56b4e9;stroke-width:.09;stroke-linejoin:round;stroke-linecap:round}.start{fill:#009e73}.end{fill:#d55e00}.number{font:.34px sans-serif;fill:#222;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:.06}@media(prefers-color-scheme:dark){.paper{fill:#24282d}.frame{stroke:#eee}.shade{fill:#3b424a}.hole,.queen{fill:#eee}.tile{stroke:#24282d}.number{fill:#eee;stroke:#24282d}}</style>
<rect class="paper" width="4" height="3"/>
<defs><pattern id="chequer" width="2" height="2" patternUnits="userSpaceOnUse"><path class="shade" d="M1 0h1v1h-2v1h1z"/></pattern></defs>
<rect fill="url(#chequer)" width="4" height="3"/>
<g transform="translate(.5 .5)">
<path class="way" d="M0 0 2 1 0 2 1 0 3 1 1 2 2 0 0 1 2 2 3 0 1 1 3 2"/>
<circle class="start" cx="0" cy="0" r=".3"/>
<circle class="end" cx="3" cy="2" r=".3"/>
<g class="number">
<text x="0" y="0" dy=".12">1</text>
<text x="2" y="1" dy=".12">2</text>
<text x="0" y="2" dy=".12">3</text>
<text x="1" y="0" dy=".12">4</text>
<text x="3" y="1" dy=".12">5</text>
<text x="1" y="2" dy=".12">6</text>
<text x="2" y="0" dy=".12">7</text>
<text x="0" y="1" dy=".12">8</text>
<text x="2" y="2" dy=".12">9</text>
<text x="3" y="0" dy=".12">10</text>
<text x="1" y="1" dy=".12">11</text>
<text x="3" y="2" dy=".12">12</text>
</g>
</g>
<rect class="frame" width="4" height="3"/>
</svg>
"#);
    insta::assert_snapshot!(server.get("/queens?size=4&format=svg").await.text, @r##"
<svg xmlns="http://www.w3.org/2000/svg" viewBox="-.125 -.125 4.25 4.25" role="img" aria-labelledby="title description">
<title id="title">4 queens</title>
<desc id="description">a solution by search, one of 2, of which 1 are fundamental</desc>
<style>.paper{fill:#fff}.frame{fill:none;stroke:#222;stroke-width:.08}.shade{fill:#d9dee4}.hole,.queen{fill:#222}.tile{stroke:#fff;stroke-width:.08;stroke-linejoin:round}.c1{fill:#0072b2}.c2{fill:#e69f00}.c3{fill:#009e73}.c4{fill:#cc79a7}.c5{fill:#56b4e9}.way{fill:none;stroke:#56b4e9;stroke-width:.09;stroke-linejoin:round;stroke-linecap:round}.start{fill:#009e73}.end{fill:#d55e00}.number{font:.34px sans-serif;fill:#222;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:.06}@media(prefers-color-scheme:dark){.paper{fill:#24282d}.frame{stroke:#eee}.shade{fill:#3b424a}.hole,.queen{fill:#eee}.tile{stroke:#24282d}.number{fill:#eee;stroke:#24282d}}</style>
<rect class="paper" width="4" height="4"/>
<defs><pattern id="chequer" width="2" height="2" patternUnits="userSpaceOnUse"><path class="shade" d="M1 0h1v1h-2v1h1z"/></pattern></defs>
<rect fill="url(#chequer)" width="4" height="4"/>
<defs><path id="queen" class="queen" d="m.2.36.14.2.16-.32.16.32.14-.2-.08.42H.28zM.28.8h.44v.06H.28z"/></defs>
<use href="#queen" x="1" y="0"/>
<use href="#queen" x="3" y="1"/>
<use href="#queen" x="0" y="2"/>
<use href="#queen" x="2" y="3"/>
<rect class="frame" width="4" height="4"/>
</svg>
"##);
    insta::assert_snapshot!(server.get("/queens?size=3&format=svg").await.text, @r#"
<svg xmlns="http://www.w3.org/2000/svg" viewBox="-.125 -.125 3.25 3.25" role="img" aria-labelledby="title description">
<title id="title">3 queens</title>
<desc id="description">impossible. A board of n columns takes n queens that don't attack each other for every n but 2 and 3 (Pauls 1874).</desc>
<style>.paper{fill:#fff}.frame{fill:none;stroke:#222;stroke-width:.08}.shade{fill:#d9dee4}.hole,.queen{fill:#222}.tile{stroke:#fff;stroke-width:.08;stroke-linejoin:round}.c1{fill:#0072b2}.c2{fill:#e69f00}.c3{fill:#009e73}.c4{fill:#cc79a7}.c5{fill:#56b4e9}.way{fill:none;stroke:#56b4e9;stroke-width:.09;stroke-linejoin:round;stroke-linecap:round}.start{fill:#009e73}.end{fill:#d55e00}.number{font:.34px sans-serif;fill:#222;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:.06}@media(prefers-color-scheme:dark){.paper{fill:#24282d}.frame{stroke:#eee}.shade{fill:#3b424a}.hole,.queen{fill:#eee}.tile{stroke:#24282d}.number{fill:#eee;stroke:#24282d}}</style>
<rect class="paper" width="3" height="3"/>
<defs><pattern id="chequer" width="2" height="2" patternUnits="userSpaceOnUse"><path class="shade" d="M1 0h1v1h-2v1h1z"/></pattern></defs>
<rect fill="url(#chequer)" width="3" height="3"/>
<rect class="frame" width="3" height="3"/>
</svg>
"#);
}

#[tokio::test]
async fn every_picture_is_well_formed() {
    let server = Server::start().await;
    for path in [
        "/tromino?size=8&holes=1,1",
        "/tromino?rows=2&cols=4",
        "/knight-tour?size=12&closed=true&blocked=0,0&blocked=0,1",
        "/knight-tour?size=40",
        "/knight-tour?size=8&method=warnsdorff&start=4,5",
        "/queens?size=20&blocked=0,0",
        "/queens?size=2",
    ] {
        let picture = server.get(&format!("{path}&format=svg")).await.text;
        let document = roxmltree::Document::parse(&picture).unwrap_or_else(|error| panic!("{path}: {error}"));
        let svg = document.root_element();
        assert_eq!(svg.tag_name().name(), "svg");
        for child in ["title", "desc"] {
            let text = svg.children().find(|node| node.has_tag_name(("http://www.w3.org/2000/svg", child)));
            assert!(!text.unwrap().text().unwrap().is_empty(), "{path} lacks its {child}");
        }
    }
}

#[tokio::test]
async fn the_accept_header_chooses_and_the_field_wins() {
    let server = Server::start().await;
    let get = |path: &str, accept: &'static str| server.client.get(server.url(path)).header("accept", accept);
    for (accept, content_type) in [
        ("text/plain", "text/plain; charset=utf-8"),
        ("image/svg+xml", "image/svg+xml"),
        ("image/*;q=0.5, text/plain;q=0.4", "image/svg+xml"),
        ("text/plain;q=0.5, application/json", "application/json"),
        ("*/*", "application/json"),
    ] {
        let answer = server.call(get("/queens?size=8", accept)).await;
        assert_eq!(answer.header("content-type"), Some(content_type), "{accept}");
    }
    let answer = server.call(get("/queens?size=8&format=text", "application/json")).await;
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
}

#[tokio::test]
async fn what_a_form_can_not_do_is_refused_with_its_limit() {
    let server = Server::start().await;
    for (path, fault) in [
        (
            "/queens?size=129&format=text",
            "size must be at most 128 for text, got 129; JSON has no such limit",
        ),
        (
            "/knight-tour?rows=5&cols=200&format=text",
            "cols must be at most 128 for text, got 200; JSON has no such limit",
        ),
        (
            "/tromino?size=1024&holes=0,0&format=svg",
            "size must make at most 262,144 squares for a picture, got 1,048,576; JSON has no such limit",
        ),
        ("/queens?size=8&format=svg&board=false", "board must be true for a picture, got false"),
        ("/queens?size=8&style=ascii", "style must only come with text, got it with json"),
        ("/queens?size=8&format=text&style=numbers", "style must be one of ascii, got \"numbers\""),
        ("/queens?size=8&format=png", "format must be one of json, text, svg, ndjson, got \"png\""),
    ] {
        assert_eq!(server.get(path).await.faults(), [fault], "{path}");
    }
    server.get("/queens?size=129&format=text&board=false").await.text.starts_with("129 queens");
}

#[tokio::test]
async fn a_large_picture_takes_at_most_thirty_bytes_a_tile() {
    let server = Server::start().await;
    let picture = server.get("/tromino?size=512&holes=200,300&format=svg").await.text;
    let tiles = (512 * 512 - 1) / 3;
    assert!(picture.len() <= 30 * tiles, "{} bytes for {tiles} tiles", picture.len());
    assert_eq!(picture.matches('M').count(), tiles);
}

#[tokio::test]
async fn a_client_that_has_the_answer_is_told_so() {
    let server = Server::start().await;
    let path = "/queens?size=8";
    let first = server.get(path).await;
    let tag = first.header("etag").unwrap().to_owned();
    assert_eq!(first.header("cache-control"), Some("public, max-age=86400, immutable"));
    assert_eq!(first.header("vary"), Some("Accept, Accept-Encoding"));

    let again = |path: &str, tag: &str| server.client.get(server.url(path)).header("if-none-match", tag);
    let answer = server.call(again(path, &tag)).await;
    assert_eq!((answer.status.as_u16(), answer.header("etag")), (304, Some(tag.as_str())));
    // The same request in other words.
    let answer = server.call(again("/queens?limit=1&size=8.0&board=true&timeout_ms=99", &tag)).await;
    assert_eq!(answer.status, 304);
    // Nothing needs to be solved for it.
    let endless = "/queens?size=20&count=true&timeout_ms=1";
    assert_eq!(server.call(again(endless, "*")).await.status, 304);

    for other in ["/queens?size=9", "/queens?size=8&limit=2", "/queens?size=8&format=text"] {
        let answer = server.call(again(other, &tag)).await;
        assert_eq!(answer.status, 200, "{other}");
    }
    let posted = server.post("/queens", &serde_json::json!({"size": 8})).await;
    assert_eq!(posted.header("etag"), None);
    assert_eq!(posted.text, first.text);
}

#[tokio::test]
async fn a_head_is_a_get_without_its_body() {
    let server = Server::start().await;
    let response = server.client.head(server.url("/queens?size=8")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.headers()["content-length"].to_str().unwrap().parse::<u64>().unwrap() > 100);
    assert!(response.headers().contains_key("etag"));
    assert_eq!(response.text().await.unwrap(), "");
}

#[tokio::test]
async fn equal_requests_under_way_share_one_solve_that_stops_with_the_last_of_them() {
    let server = Server::start().await;
    let endless = || tokio::spawn(server.client.get(server.url("/queens?size=20&count=true")).send());
    let (first, second) = (endless(), endless());
    let patience = tokio::time::Instant::now() + std::time::Duration::from_secs(30);
    let until = async |running: usize| {
        while server.app.engine().load(Weight::Heavy) != (running, 0) {
            assert!(
                tokio::time::Instant::now() < patience,
                "the load stays at {:?}",
                server.app.engine().load(Weight::Heavy)
            );
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    until(1).await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert_eq!(
        server.app.engine().load(Weight::Heavy),
        (1, 0),
        "the second request shares the solve of the first"
    );
    first.abort();
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert_eq!(server.app.engine().load(Weight::Heavy), (1, 0), "it goes on for the second");
    second.abort();
    until(0).await;
}

#[tokio::test]
async fn the_root_is_a_screen_of_help_whose_commands_work() {
    let server = Server::start().await;
    let help = server.get("/").await.text;
    assert!(help.lines().count() <= 24 && help.lines().all(|line| line.len() <= 120), "{help}");
    let commands: Vec<_> = help.lines().filter_map(|line| line.trim().strip_prefix("curl ")).collect();
    assert!(commands.len() >= 6);
    for command in commands {
        assert!(command.contains(&server.address.to_string()), "{command}");
        let run = format!("curl -sS -o /dev/null -w '%{{http_code}}' {command}");
        let run = move || {
            std::process::Command::new("sh").args(["-c", &run]).env("no_proxy", "*").output().unwrap()
        };
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        let expected = if command.contains("respond-async") { "202" } else { "200" };
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{command}");
    }
    let evil = server.client.get(server.url("/")).header("host", "x';rm");
    assert!(server.call(evil).await.text.contains("curl 'localhost:8080/"));
}

#[tokio::test]
async fn a_page_from_anywhere_may_call_unless_the_settings_say_from_where() {
    let server = Server::start().await;
    let from = |server: &Server, origin: &'static str| {
        server.client.get(server.url("/queens?size=8")).header("origin", origin)
    };
    let answer = server.call(from(&server, "https://a.example")).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let exposed = answer.header("access-control-expose-headers").unwrap();
    for name in ["server-timing", "x-request-id", "location", "etag"] {
        assert!(exposed.contains(name), "{exposed}");
    }
    let refused = server.client.get(server.url("/queens")).header("origin", "https://a.example");
    assert_eq!(server.call(refused).await.header("access-control-allow-origin"), Some("*"));

    let preflight = server
        .client
        .request(reqwest::Method::OPTIONS, server.url("/queens"))
        .header("origin", "https://a.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type,prefer");
    let answer = preflight.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let allowed = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert!(allowed("access-control-allow-methods").contains("POST"));
    assert!(allowed("access-control-allow-headers").contains("content-type"));

    let server = Server::with(&["--cors-origins", "https://a.example, https://b.example"]).await;
    for (origin, expected) in [("https://b.example", Some("https://b.example")), ("https://c.example", None)]
    {
        let answer = server.call(from(&server, origin)).await;
        assert_eq!(answer.header("access-control-allow-origin"), expected);
        assert!(answer.headers.get_all("vary").iter().any(|vary| vary == "origin"));
    }
}

#[tokio::test]
async fn answers_are_compressed_where_it_pays() {
    let server = Server::start().await;
    let get = async |path: &str, encoding: &'static str| {
        let request = server.client.get(server.url(path)).header("accept-encoding", encoding);
        let response = request.send().await.unwrap();
        let came = response.headers().get("content-encoding").map(|value| value.to_str().unwrap().to_owned());
        (came, response.bytes().await.unwrap())
    };
    let path = "/tromino?size=64&holes=0,0";
    let (none, plain) = get(path, "identity").await;
    assert_eq!(none, None);
    for (encoding, command) in [("gzip", "gzip -dc"), ("br", "brotli -dc"), ("zstd", "zstd -dc")] {
        let (came, bytes) = get(path, encoding).await;
        assert_eq!(came.as_deref(), Some(encoding));
        assert!(bytes.len() < plain.len() / 2, "{encoding}: {} of {}", bytes.len(), plain.len());
        assert_eq!(decompressed(command, &bytes), plain, "{encoding}");
    }
    assert_eq!(get("/queens?size=8", "gzip").await.0, None, "too small");

    // What is written while it is sent is for the quickest coding alone.
    let path = "/tromino?size=256&holes=0,0";
    let (none, plain) = get(path, "gzip, br").await;
    assert_eq!(none, None);
    let (came, bytes) = get(path, "gzip, br, zstd").await;
    assert_eq!(came.as_deref(), Some("zstd"));
    assert!(bytes.len() < plain.len() / 4, "{} of {}", bytes.len(), plain.len());
    assert_eq!(decompressed("zstd -dc", &bytes), plain);

    let large = Server::with(&["--max-squares", "4194304"]).await;
    let request = large.client.get(large.url("/tromino?size=2048&holes=0,0"));
    let response = request.header("accept-encoding", "gzip, br, zstd").send().await.unwrap();
    assert_eq!(response.headers().get("content-encoding"), None, "no coding keeps up");

    let path = "/queens?size=11&format=ndjson";
    let (_, plain) = get(path, "identity").await;
    for (encoding, command) in [("gzip", "gzip -dc"), ("br", "brotli -dc"), ("zstd", "zstd -dc")] {
        let (came, bytes) = get(path, encoding).await;
        assert_eq!(came.as_deref(), Some(encoding));
        assert!(bytes.len() < plain.len() / 2, "{encoding}: {} of {}", bytes.len(), plain.len());
        assert_eq!(decompressed(command, &bytes), plain, "{encoding}");
    }
}

/// What the command makes of these bytes.
fn decompressed(command: &str, bytes: &[u8]) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let input = std::fs::File::open(file.path()).unwrap();
    std::process::Command::new("sh").args(["-c", command]).stdin(input).output().unwrap().stdout
}

#[tokio::test]
async fn a_client_that_stops_reading_is_dropped_and_stalls_nobody() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let server =
        Server::with(&["--write-timeout-ms", "300", "--solver-threads", "1", "--solve-queue", "0"]).await;
    let mut slow = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let request = "GET /tromino?size=1024&holes=0,0 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    slow.write_all(request.as_bytes()).await.unwrap();
    let mut head = [0; 64];
    slow.read_exact(&mut head).await.unwrap();
    server.get("/queens?size=8").await.ok();
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    let mut rest = Vec::new();
    // The connection ends, one way or the other, before the answer does.
    let _ = slow.read_to_end(&mut rest).await;
    assert!(!rest.ends_with(b"0\r\n\r\n"), "the whole answer came, {} bytes", rest.len());
}

#[tokio::test]
async fn solutions_go_out_as_lines_with_a_summary_behind_them() {
    let server = Server::start().await;
    let all = server.get("/queens?size=12&format=ndjson").await;
    assert_eq!(all.header("content-type"), Some("application/x-ndjson"));
    let lines: Vec<&str> = all.text.lines().collect();
    assert_eq!(lines.len(), 14_201);
    assert_eq!(lines[14_200], "{\"status\":\"solved\",\"solution_count\":14200}");
    let solutions: Vec<Vec<u32>> =
        lines[..14_200].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(solutions.is_sorted());

    let few = server.get("/queens?size=8&limit=2&offset=1&format=ndjson").await;
    assert_eq!(
        few.text,
        "[0,5,7,2,6,3,1,4]\n[0,6,3,5,7,1,4,2]\n{\"status\":\"solved\",\"solution_count\":2}\n"
    );
    let none = server.get("/queens?size=3&format=ndjson").await;
    assert!(none.text.starts_with("{\"status\":\"impossible\",\"reason\":"), "{}", none.text);
    let request = server.client.get(server.url("/queens?size=6")).header("accept", "application/x-ndjson");
    assert_eq!(server.call(request).await.text.lines().count(), 5);
    let late = server.get("/queens?size=18&format=ndjson&timeout_ms=200").await;
    assert!(late.text.lines().last().unwrap().starts_with("{\"status\":\"interrupted\""));
    assert_eq!(
        server.get("/tromino?size=2&holes=0,0&format=ndjson").await.faults(),
        ["format must be one of json, text, svg, got \"ndjson\""]
    );
}

#[tokio::test]
async fn a_stream_that_nobody_reads_holds_no_solver_and_stops_with_its_connection() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let server = Server::with(&["--solver-threads", "1", "--solve-queue", "1"]).await;
    let mut slow = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let request = "GET /queens?size=16&format=ndjson HTTP/1.1\r\nHost: localhost\r\n\r\n";
    slow.write_all(request.as_bytes()).await.unwrap();
    let mut head = [0; 64];
    slow.read_exact(&mut head).await.unwrap();

    // The only solver thread is free as soon as all buffers on the way are full.
    server.get("/queens?size=9").await.ok();
    drop(slow);
    let patience = tokio::time::Instant::now() + std::time::Duration::from_secs(30);
    while server.app.engine().load(Weight::Heavy) != (0, 0) {
        assert!(
            tokio::time::Instant::now() < patience,
            "the load stays at {:?}",
            server.app.engine().load(Weight::Heavy)
        );
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn the_contract_is_a_page_that_needs_nothing_but_this_server() {
    let server = Server::start().await;
    let page = server.get("/docs").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    assert!(!policy.contains("http") && !policy.contains('*'), "{policy}");

    let files =
        crate::common::CONTRACT["paths"]["/docs/{file}"]["get"]["parameters"][0]["schema"]["enum"].as_array();
    for file in files.unwrap() {
        let path = format!("/docs/{}", file.as_str().unwrap());
        let plain = server.get(&path).await;
        assert_eq!((plain.status.as_u16(), plain.header("content-encoding")), (200, None), "{path}");
        assert_eq!(plain.header("vary"), Some("accept-encoding"), "{path}");
        assert_eq!(plain.header("x-content-type-options"), Some("nosniff"));

        let packed = server.client.get(server.url(&path)).header("accept-encoding", "gzip, deflate, br");
        let packed = packed.send().await.unwrap();
        assert_eq!(packed.headers()["etag"], plain.header("etag").unwrap());
        if packed.headers().contains_key("content-encoding") {
            let command =
                if packed.headers()["content-encoding"] == "gzip" { "gzip -dc" } else { "brotli -dc" };
            let unpacked = decompressed(command, &packed.bytes().await.unwrap());
            assert_eq!(String::from_utf8(unpacked).unwrap(), plain.text, "{path}");
        }
        let tag = plain.header("etag").unwrap();
        let again = server.client.get(server.url(&path)).header("if-none-match", tag);
        let again = server.call(again).await;
        assert_eq!((again.status.as_u16(), again.header("etag")), (304, Some(tag)), "{path}");
        assert!(again.header("content-security-policy").is_some());
    }
    let bundle = "/docs/swagger-ui-bundle.js";
    let head = server.client.head(server.url(bundle)).header("accept-encoding", "gzip").send().await.unwrap();
    assert_eq!(
        (head.status().as_u16(), &head.headers()["content-encoding"]),
        (200, &"gzip".parse().unwrap())
    );
    let get = server.client.get(server.url(bundle)).header("accept-encoding", "gzip").send().await.unwrap();
    assert_eq!(head.headers()["content-length"], get.bytes().await.unwrap().len().to_string().as_str());

    server.get("/docs/index.html").await.problem(404, "not-found");
}

#[tokio::test]
async fn a_client_that_takes_no_coding_there_is_gets_the_bytes_as_they_are() {
    let server = Server::start().await;
    let get = |path: &str, encoding: &'static str| {
        server.client.get(server.url(path)).header("accept-encoding", encoding)
    };
    for encoding in ["identity;q=0", "*;q=0", "deflate, identity;q=0"] {
        for path in ["/queens?size=4", "/tromino?size=64&holes=0,0", "/queens?size=4&format=ndjson"] {
            let answer = server.call(get(path, encoding)).await;
            assert_eq!((answer.status.as_u16(), answer.header("content-encoding")), (200, None), "{path}");
            assert_eq!(answer.text, server.get(path).await.text);
        }
        server.call(get("/queens?size=none", encoding)).await.problem(422, "invalid-request");
    }
    for path in ["/queens?size=4", "/queens?size=none", "/healthz", "/queens?size=4&format=ndjson"] {
        let response = get(path, "gzip, identity;q=0").send().await.unwrap();
        assert_eq!(response.headers()["content-encoding"], "gzip", "{path}");
        let unpacked = decompressed("gzip -dc", &response.bytes().await.unwrap());
        assert_eq!(String::from_utf8(unpacked).unwrap(), server.get(path).await.text, "{path}");
    }
}

#[tokio::test]
async fn a_head_says_how_a_get_would_be_compressed() {
    let server = Server::start().await;
    for path in ["/tromino?size=64&holes=0,0", "/queens?size=4", "/openapi.yaml"] {
        let headers = async |method: reqwest::Method| {
            let request = server.client.request(method, server.url(path)).header("accept-encoding", "br");
            let headers = request.send().await.unwrap().headers().clone();
            ["content-encoding", "content-length", "content-type", "etag", "vary"]
                .map(|name| headers.get(name).cloned())
        };
        assert_eq!(headers(reqwest::Method::HEAD).await, headers(reqwest::Method::GET).await, "{path}");
    }
}
