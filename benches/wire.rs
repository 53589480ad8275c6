//! How fast answers reach a client on the same machine: time from the request to the last byte.
//!
//! The measure for large boards is a static-file server, tower-http's `ServeDir` on axum, which sends the same bytes
//! from a file that the system has in memory. Then what each compression costs against the plain bytes, and how fast
//! solutions come as lines. Both servers are processes of their own, the client is a plain socket, all take turns, and
//! medians are compared: on a shared machine only ratios mean much. `cargo bench --bench wire` takes about two minutes;
//! with `--json FILE` only the first is measured, and written there as well.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints its figures")]

mod server;

use std::fs;
use std::io::Write;
use std::time::Duration;

use axum::Router;
use serde_json::{Value, json};
use server::{Server, figures_file, millis};
use tower_http::services::ServeDir;

/// The argument with which this program serves a directory instead.
const SERVE_DIR: &str = "serve-dir";

const BOARD: &str = "/tromino?size=4096&holes=1000,2000";

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != SERVE_DIR).skip(1);
    if let Some(directory) = arguments.next() {
        return serve_dir(&directory);
    }
    let ours = Server::ours(&["--max-squares", "16777216"]);
    let board = static_files(&ours);
    if let Some(file) = figures_file() {
        return fs::write(file, board.to_string()).unwrap();
    }
    compressed(&ours);
    lines(&ours);
    println!("\nMost memory that the server ever had: {} MiB.", ours.peak_kib() / 1024);
}

/// The board against the same bytes from a file.
fn static_files(ours: &Server) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let client = reqwest::blocking::Client::builder().no_proxy().timeout(None).build().unwrap();
    let body = client.get(format!("http://{}{BOARD}", ours.address)).send().unwrap().bytes().unwrap();
    fs::write(directory.path().join("board.json"), &body).unwrap();
    let theirs = Server::other(SERVE_DIR, directory.path());

    let [board, file] =
        medians(15, [&|| ours.fetch(BOARD, "identity"), &|| theirs.fetch("/board.json", "identity")]);
    let speed = |time: Duration| body.len() as f64 / time.as_secs_f64() / 1e6;
    println!("A tiling of 4096 × 4096, {} MB of JSON, medians of 15 runs in turn:", body.len() / 1_000_000);
    println!("  this server {:6.1} ms  {:5.0} MB/s", millis(board.0), speed(board.0));
    println!("  ServeDir    {:6.1} ms  {:5.0} MB/s", millis(file.0), speed(file.0));
    let ratio = file.0.as_secs_f64() / board.0.as_secs_f64();
    println!("  ratio       {ratio:6.2}");
    let peak_mib = ours.peak_kib() / 1024;
    println!("  most memory {peak_mib:6} MiB");
    json!({
        "ours": speed(board.0), "serve_dir": speed(file.0), "ratio": ratio, "peak_mib": peak_mib,
        "megabytes": body.len() / 1_000_000,
    })
}

/// What each coding costs.
fn compressed(ours: &Server) {
    println!("\nTime to the last byte, against plain, and size:");
    for (path, runs) in [
        ("/tromino?size=64&holes=0,0", 31),
        ("/tromino?size=128&holes=0,0", 31),
        ("/tromino?size=256&holes=0,0", 31),
        ("/knight-tour?size=400", 15),
        ("/knight-tour?size=1000", 7),
        ("/tromino?size=1000&holes=0,0", 15),
        (BOARD, 7),
        ("/queens?size=12&format=ndjson", 15),
        ("/queens?size=14&format=ndjson", 5),
    ] {
        let [plain, zstd, br, gzip] = medians(
            runs,
            [
                &|| ours.fetch(path, "identity"),
                // Without plain bytes to fall back on, the server uses them where they don't pay, too.
                &|| ours.fetch(path, "zstd, identity;q=0"),
                &|| ours.fetch(path, "br, identity;q=0"),
                &|| ours.fetch(path, "gzip, identity;q=0"),
            ],
        );
        print!("  {path:37} {:8.2} ms {:8} KB", millis(plain.0), plain.1 / 1000);
        for (name, (time, size)) in [("zstd", zstd), ("br", br), ("gzip", gzip)] {
            let ratio = time.as_secs_f64() / plain.0.as_secs_f64();
            print!("  {name} {ratio:5.2} × {:6} KB", size / 1000);
        }
        println!();
    }
}

/// All placements of 16 queens.
fn lines(ours: &Server) {
    let [(time, size)] = medians(3, [&|| ours.fetch("/queens?size=16&format=ndjson", "identity")]);
    println!(
        "\nAll 14,772,512 placements of 16 queens, {} MB, as lines: {:.1} s",
        size / 1_000_000,
        time.as_secs_f64()
    );
}

type Fetch<'a> = &'a dyn Fn() -> (Duration, usize);

/// The median of the times that each of these takes, and the size of its answer.
fn medians<const N: usize>(runs: usize, fetches: [Fetch<'_>; N]) -> [(Duration, usize); N] {
    let mut all = [const { Vec::new() }; N];
    for _ in 0..runs {
        for (fetch, times) in fetches.iter().zip(&mut all) {
            times.push(fetch());
        }
    }
    all.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    })
}

/// Serves a directory until it is killed.
#[tokio::main]
async fn serve_dir(directory: &str) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let greeting = format!("listening on http://{}\n", listener.local_addr().unwrap());
    std::io::stderr().write_all(greeting.as_bytes()).unwrap();
    axum::serve(listener, Router::new().fallback_service(ServeDir::new(directory))).await.unwrap();
}
