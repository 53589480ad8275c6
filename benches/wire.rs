//! How fast answers reach a client on the same machine: time from the request to the last byte.
//!
//! The measure for large boards is a static-file server, tower-http's `ServeDir` on axum, which sends the same bytes
//! from a file that the system has in memory. Then what each compression costs against the plain bytes, and how fast
//! solutions come as lines. Both servers are processes of their own, the client is a plain socket, all take turns, and
//! medians are compared: on a shared machine only ratios mean much. `cargo bench --bench wire` takes about two minutes.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints its figures")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use axum::Router;
use tower_http::services::ServeDir;

/// The argument with which this program serves a directory instead.
const SERVE_DIR: &str = "serve-dir";

const BOARD: &str = "/tromino?size=4096&holes=1000,2000";

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != SERVE_DIR).skip(1);
    if let Some(directory) = arguments.next() {
        return serve_dir(&directory);
    }
    let ours = Server::start(
        Command::new(env!("CARGO_BIN_EXE_chessboard-solver"))
            .args([
                "--port",
                "0",
                "--max-squares",
                "16777216",
                "--rust-log",
                "info,chessboard_solver::http=warn",
            ])
            .env_clear()
            .stderr(Stdio::piped()),
    );
    static_files(&ours);
    compressed(&ours);
    lines(&ours);
    println!("\nMost memory that the server ever had: {} MiB.", ours.peak_kib() / 1024);
}

/// The board against the same bytes from a file.
fn static_files(ours: &Server) {
    let directory = tempfile::tempdir().unwrap();
    let body = reqwest::blocking::Client::builder().no_proxy().timeout(None).build().unwrap();
    let body = body.get(format!("http://{}{BOARD}", ours.address)).send().unwrap().bytes().unwrap();
    fs::write(directory.path().join("board.json"), &body).unwrap();
    let theirs = Server::start(
        Command::new(std::env::current_exe().unwrap())
            .args([SERVE_DIR.as_ref(), directory.path().as_os_str()])
            .stderr(Stdio::piped()),
    );

    let [board, file] =
        medians(15, [&|| ours.fetch(BOARD, "identity"), &|| theirs.fetch("/board.json", "identity")]);
    let speed = |time: Duration| body.len() as f64 / time.as_secs_f64() / 1e6;
    println!("A tiling of 4096 × 4096, {} MB of JSON, medians of 15 runs in turn:", body.len() / 1_000_000);
    println!("  this server {:6.1} ms  {:5.0} MB/s", millis(board.0), speed(board.0));
    println!("  ServeDir    {:6.1} ms  {:5.0} MB/s", millis(file.0), speed(file.0));
    println!("  ratio       {:6.2}", file.0.as_secs_f64() / board.0.as_secs_f64());
    println!("  most memory {:6} MiB", ours.peak_kib() / 1024);
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

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// A server in a process of its own, which ends with this value.
struct Server {
    child: Child,
    address: String,
    /// Open as long as the server may write to it.
    _log: BufReader<std::process::ChildStderr>,
}

impl Server {
    /// Starts one that tells its address on standard error.
    fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut greeting = String::new();
        log.read_line(&mut greeting).unwrap();
        let (_, rest) = greeting.split_once("http://").unwrap();
        let address =
            rest.chars().take_while(|c| c.is_ascii_digit() || ".:".contains(*c)).collect::<String>();
        let address = address.trim_end_matches(':').to_owned();
        Self { child, address, _log: log }
    }

    /// The time to the last byte of an answer, and how many bytes came, the head among them.
    fn fetch(&self, path: &str, coding: &str) -> (Duration, usize) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: {coding}\r\nConnection: close\r\n\r\n"
        );
        let mut buffer = vec![0; 256 * 1024];
        let started = Instant::now();
        stream.write_all(request.as_bytes()).unwrap();
        let mut size = 0;
        loop {
            let read = stream.read(&mut buffer).unwrap();
            assert!(size > 0 || buffer.starts_with(b"HTTP/1.1 200"), "{path}");
            if read == 0 {
                return (started.elapsed(), size);
            }
            size += read;
        }
    }

    /// The most memory that the process ever had.
    fn peak_kib(&self) -> u64 {
        let status = fs::read_to_string(Path::new("/proc").join(self.child.id().to_string()).join("status"));
        let peak = status
            .unwrap_or_default()
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:")?.trim().trim_end_matches(" kB").parse().ok());
        // Only Linux tells.
        peak.unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves a directory until it is killed.
#[tokio::main]
async fn serve_dir(directory: &str) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let greeting = format!("listening on http://{}\n", listener.local_addr().unwrap());
    std::io::stderr().write_all(greeting.as_bytes()).unwrap();
    axum::serve(listener, Router::new().fallback_service(ServeDir::new(directory))).await.unwrap();
}
