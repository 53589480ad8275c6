//! What the service costs around its solvers, and how it behaves when it is busy.
//!
//! - **throughput**: small solves of each puzzle, all different, against a handler behind the very same layers that
//!   gives the same bytes without reading or solving anything, and against a bare axum handler;
//! - **latency**: small solves at a steady rate, while every thread for heavy solves counts, and while none does;
//! - **deadlines**: how long after its deadline a request is answered, and its thread is free;
//! - **start**: from starting the program to its first answer.
//!
//! `cargo bench --bench service` runs all of it in about six minutes, or only the parts that are named. Servers are
//! processes of their own and take turns; what is printed are medians. Throughput is measured by `wrk`, which Debian has
//! as a package: a client that takes much less of the processors than the server does. With `--json FILE` the figures are
//! written there as well.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints its figures")]

mod server;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::any;
use chessboard_solver::config::Config;
use chessboard_solver::http::{App, layered, serve::serve};
use clap::Parser;
use serde_json::{Value, json};
use server::{SETTINGS, Server, figures_file, median, millis};
use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;

/// The arguments with which this program is another server instead.
const LAYERED: &str = "serve-layered";
const BARE: &str = "serve-bare";

/// A part of this benchmark, with what it has measured.
type Part = fn() -> Value;

/// The small request of this number.
type Small = fn(u32) -> String;

/// The puzzles and their small requests.
const SMALL: [(&str, Small); 3] = [
    ("tromino", |i| format!("/tromino?size=8&holes={},{}", i / 8 % 8, i % 8)),
    ("knight-tour", |i| format!("/knight-tour?size=8&start={},{}", i / 8 % 8, i % 8)),
    ("queens", |i| format!("/queens?size=8&queens={},{}", i / 8 % 8, i % 8)),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [kind, body] = &arguments[..]
        && [LAYERED, BARE].contains(&kind.as_str())
    {
        return fixed(kind, fs::read(body).unwrap());
    }
    let parts: [(&str, Part); 4] =
        [("throughput", throughput), ("latency", latency), ("deadlines", deadlines), ("start", start)];
    let named = |name| arguments.iter().any(|argument| argument == name);
    let all = !parts.iter().any(|(name, _)| named(name));
    let measured: BTreeMap<_, _> =
        parts.iter().filter(|(name, _)| all || named(name)).map(|(name, part)| (name, part())).collect();
    if let Some(file) = figures_file() {
        fs::write(file, json!(measured).to_string()).unwrap();
    }
}

/// Small solves against the same bytes without a solve.
fn throughput() -> Value {
    const ROUNDS: usize = 5;
    let folder = tempfile::tempdir().unwrap();
    let mut rows = Vec::new();
    println!("Small solves a second, p50 and p99 in ms, medians of {ROUNDS} rounds of a second:");
    println!(
        "{:<13}{:>12} {:>24} {:>24} {:>24} {:>8}",
        "", "connections", "this server", "same layers", "bare axum", "share"
    );
    for (puzzle, path) in SMALL {
        let script = folder.path().join("paths.lua");
        let paths = (0..64).fold(String::new(), |mut paths, i| {
            write!(paths, "{:?},", path(i)).unwrap();
            paths
        });
        let next = "i = 0\nrequest = function() i = i % 64 + 1 return wrk.format(nil, paths[i]) end\n";
        fs::write(&script, format!("paths = {{{paths}}}\n{next}")).unwrap();
        let ours = Server::ours(&[]);
        let body = folder.path().join("body.json");
        fs::write(&body, ours.get(&path(9)).1).unwrap();
        let others = [LAYERED, BARE].map(|kind| Server::other(kind, &body));
        let servers = [&ours, &others[0], &others[1]];
        for connections in [1, 8, 64] {
            let mut runs = [const { Vec::new() }; 3];
            for _ in 0..ROUNDS {
                for (server, runs) in servers.iter().zip(&mut runs) {
                    runs.push(wrk(&server.address, &script, connections));
                }
            }
            let [ours, layered, bare] =
                runs.map(|runs| [0, 1, 2].map(|figure| median(runs.iter().map(|run| run[figure]).collect())));
            let share = ours[0] / layered[0];
            let show = |[rate, p50, p99]: [f64; 3]| format!("{rate:8.0}/s {p50:6.3} {p99:6.3}");
            println!(
                "{puzzle:<13}{connections:>12} {:>24} {:>24} {:>24} {:>7.0}%",
                show(ours),
                show(layered),
                show(bare),
                share * 100.0
            );
            rows.push(json!({
                "puzzle": puzzle, "connections": connections, "ours": ours, "layered": layered, "bare": bare,
                "share": share,
            }));
        }
    }
    json!(rows)
}

/// A second of requests: how many a second, and the p50 and p99 of their times in milliseconds.
fn wrk(address: &str, script: &Path, connections: u32) -> [f64; 3] {
    let connections = format!("-c{connections}");
    let output = Command::new("wrk")
        .args(["-t1", &connections, "-d1", "--latency", "-s"])
        .arg(script)
        .arg(format!("http://{address}/"))
        .output()
        .expect("wrk is installed");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("Non-2xx") && !text.contains("Socket errors"), "{text}");
    let figure = |name: &str| {
        let (_, rest) = text.split_once(name).unwrap_or_else(|| panic!("{name} in {text}"));
        rest.split_whitespace().next().unwrap().to_owned()
    };
    let millis = |text: &str| {
        let digits = text.trim_end_matches(char::is_alphabetic);
        let unit = match &text[digits.len()..] {
            "us" => 1e-3,
            "ms" => 1.0,
            "s" => 1e3,
            unit => panic!("{unit}"),
        };
        digits.parse::<f64>().unwrap() * unit
    };
    [figure("Requests/sec:").parse().unwrap(), millis(&figure("  50% ")), millis(&figure("  99% "))]
}

/// Small solves at a steady rate, beside counts on every thread and beside nothing.
fn latency() -> Value {
    const ROUNDS: usize = 3;
    const SECONDS: u32 = 20;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let ours = Server::ours(&[]);
    println!(
        "\nA thousand small solves a second, p50 and p99 in ms, medians of {ROUNDS} rounds of {SECONDS} s:"
    );
    let mut runs = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        runs[0].push(runtime.block_on(steady(&ours.address, SECONDS)));
        // Twice as many as there are threads, so that each thread has one all the time.
        let threads = std::thread::available_parallelism().unwrap().get();
        let counts: Vec<_> = (0..2 * threads)
            .map(|i| ours.send(&format!("/queens?size=21&count=true&queens=0,{i}&timeout_ms=60000"), ""))
            .collect();
        while ours.sample("engine_busy{lane=\"heavy\"}") < threads as f64 {
            std::thread::sleep(Duration::from_millis(1));
        }
        runs[1].push(runtime.block_on(steady(&ours.address, SECONDS)));
        assert!(ours.sample("engine_busy{lane=\"heavy\"}") >= threads as f64, "they count to the end");
        drop(counts);
        while ours.sample("engine_busy{lane=\"heavy\"}") > 0.0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let [idle, busy] =
        runs.map(|runs| [0, 1].map(|figure| median(runs.iter().map(|run: &[f64; 2]| run[figure]).collect())));
    let factor = busy[1] / idle[1];
    println!("  idle                   {:8.3} {:8.3}", idle[0], idle[1]);
    println!("  every thread counting  {:8.3} {:8.3}", busy[0], busy[1]);
    println!("  factor of p99          {factor:17.2}");
    json!({"idle": idle, "busy": busy, "factor": factor})
}

/// Sends a request every millisecond, whether or not the ones before were answered. Returns p50 and p99 of the times from
/// when each was due, in milliseconds.
async fn steady(address: &str, seconds: u32) -> [f64; 2] {
    let client = Arc::new(reqwest::Client::builder().no_proxy().build().unwrap());
    let mut ticks = tokio::time::interval(Duration::from_millis(1));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut requests = Vec::new();
    for i in 0..seconds * 1000 {
        let due = ticks.tick().await;
        let url = format!("http://{address}{}", SMALL[i as usize % 3].1(i / 3));
        let client = Arc::clone(&client);
        requests.push(tokio::spawn(async move {
            let answer = client.get(url).send().await.unwrap();
            assert_eq!(answer.status(), 200);
            answer.bytes().await.unwrap();
            millis(due.elapsed())
        }));
    }
    let mut times = Vec::new();
    for request in requests {
        times.push(request.await.unwrap());
    }
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[times.len() * 99 / 100]]
}

/// What happens at the end of the time for a request.
fn deadlines() -> Value {
    const RUNS: usize = 15;
    const MILLIS: u64 = 300;
    let ours = Server::ours(&["--solver-threads", "1", "--solve-queue", "0"]);
    println!("\nAfter the deadline of {MILLIS} ms, in ms, medians of {RUNS} runs (and the longest):");
    println!("{:<48}{:>18}{:>18}", "", "answer", "thread is free");
    let mut rows = Vec::new();
    for path in [
        "/queens?size=21&count=true",
        "/queens?size=20&blocked=0,0&count=true",
        "/tromino?size=20&holes=9,9&count=true",
        "/knight-tour?size=8&leaper=1,4",
        "/knight-tour?size=6&count=true",
    ] {
        let (mut answers, mut frees) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let started = Instant::now();
            let (status, _) = ours.get(&format!("{path}&timeout_ms={MILLIS}"));
            let deadline = started + Duration::from_millis(MILLIS);
            assert_eq!(status, 504, "{path}");
            answers.push(millis(deadline.elapsed()));
            while ours.sample("engine_busy{lane=\"heavy\"}") > 0.0 {}
            frees.push(millis(deadline.elapsed()));
        }
        let longest = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
        let (answer, free) =
            ([median(answers.clone()), longest(&answers)], [median(frees.clone()), longest(&frees)]);
        let show = |[median, longest]: [f64; 2]| format!("{median:.1} ({longest:.1})");
        println!("{path:<48}{:>18}{:>18}", show(answer), show(free));
        rows.push(json!({"path": path, "answer": answer, "free": free}));
    }
    json!(rows)
}

/// From nothing to an answer.
fn start() -> Value {
    const RUNS: usize = 21;
    let times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            let ours = Server::ours(&[]);
            assert_eq!(ours.get("/queens?size=8").0, 200);
            millis(started.elapsed())
        })
        .collect();
    let time = median(times);
    println!("\nFrom starting the program to its first answer: {time:.1} ms, median of {RUNS}.");
    json!(time)
}

/// Serves these bytes until it is killed.
#[tokio::main]
async fn fixed(kind: &str, body: Vec<u8>) {
    let body = bytes::Bytes::from(body);
    let routes =
        Router::new().fallback(any(move || async move { ([(CONTENT_TYPE, "application/json")], body) }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let greeting = format!("listening on http://{}\n", listener.local_addr().unwrap());
    std::io::stderr().write_all(greeting.as_bytes()).unwrap();
    if kind == BARE {
        return axum::serve(listener, routes).await.unwrap();
    }
    let Config { limits, access, jobs, .. } = Config::parse_from(["layered"].iter().chain(&SETTINGS));
    let app = App::start(&limits, &jobs).await.unwrap();
    serve(listener, layered(routes, app.clone(), &access), &app, &limits, std::future::pending()).await;
}
