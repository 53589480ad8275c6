//! More is asked than can be served, and the clock of the machine is put forward and back.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::process::{Serving, client, done, program};

/// How many boards are asked for until memory is looked at.
const SERVED: usize = 60;

/// A board that takes a thread for some time and memory for its half megabyte, another one for each number.
fn board(number: usize) -> String {
    format!("/tromino?size=300&seed={number}")
}

impl Serving {
    /// Lets the peak of its memory begin anew.
    fn forget_peak(&self) {
        fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5").unwrap();
    }

    /// So many clients ask again and again, until [`SERVED`] answers have come and `refusals` refusals for each, or a
    /// minute is over. Returns how many of each there were.
    fn load(&self, clients: usize, refusals: usize) -> (usize, usize) {
        let (asked, served, refused) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let started = Instant::now();
        let goes_on = || {
            let served = served.load(Ordering::Relaxed);
            let is_enough = served >= SERVED && refused.load(Ordering::Relaxed) >= served * refusals;
            !is_enough && started.elapsed() < Duration::from_secs(60)
        };
        std::thread::scope(|scope| {
            for _ in 0..clients {
                scope.spawn(|| {
                    let client = client();
                    while goes_on() {
                        let path = board(asked.fetch_add(1, Ordering::Relaxed));
                        let answer = client.get(format!("http://{}{path}", self.address)).send().unwrap();
                        match answer.status().as_u16() {
                            200 => {
                                assert!(answer.bytes().unwrap().ends_with(b"}\n"));
                                served.fetch_add(1, Ordering::Relaxed);
                            }
                            503 => {
                                let seconds = answer.headers()["retry-after"].to_str().unwrap();
                                assert!(seconds.parse::<u32>().unwrap() > 0);
                                refused.fetch_add(1, Ordering::Relaxed);
                            }
                            status => panic!("{status}"),
                        }
                    }
                });
            }
        });
        (served.into_inner(), refused.into_inner())
    }
}

#[test]
fn ten_times_the_load_that_can_be_served_takes_no_more_memory_and_leaves_nothing_behind() {
    let flags = ["--port", "0", "--solver-threads", "1", "--solve-queue", "4", "--cache-bytes", "0"];
    let serving =
        Serving::start(program(&[&flags[..], &["--rust-log", "info,chessboard_solver::http=warn"]].concat()));
    assert_eq!(serving.load(4, 0).1, 0, "so many can be served");
    let usual = serving.peak_kib();

    serving.forget_peak();
    let (served, refused) = serving.load(64, 9);
    assert!(served >= SERVED && refused >= 9 * served, "{refused} were refused, {served} served");
    let peak = serving.peak_kib();
    assert!(peak < 2 * usual + 16 * 1024, "{peak} KiB, usually {usual}");

    // At once, on the first try.
    assert_eq!(serving.get(&board(0)).unwrap().status(), 200);
}

/// Shifts the clock of programs that run by this file, such as `+1d`. Clocks that only go forward stay as they are.
fn shift(file: &Path, by: &str) {
    // Renamed, since a program that reads half a file takes it for another time.
    let new = file.with_extension("new");
    fs::write(&new, by).unwrap();
    fs::rename(new, file).unwrap();
}

#[test]
fn a_clock_that_jumps_ends_no_job_and_no_request() {
    let library = ["x86_64", "aarch64"]
        .map(|machine| format!("/usr/lib/{machine}-linux-gnu/faketime/libfaketimeMT.so.1"))
        .into_iter()
        .find(|path| Path::new(path).exists())
        .expect("libfaketime is installed");
    let directory = tempfile::tempdir().unwrap();
    let clock = directory.path().join("clock");
    shift(&clock, "+0");
    let data = directory.path().join("data");
    let start = || {
        let mut command = program(&["--port", "0", "--data-dir", data.to_str().unwrap()]);
        command.env("LD_PRELOAD", &library).env("FAKETIME_TIMESTAMP_FILE", &clock);
        command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        Serving::start(command)
    };
    let serving = start();
    let job = serving.begin("/queens?size=18&count=true&limit=0&timeout_ms=600000");
    serving.until(&job, |job| done(job) > 0);

    // Further than any job may take and than any is kept, in both directions.
    for by in ["+3y", "-3y", "+0"] {
        shift(&clock, by);
        let other = serving.begin("/queens?size=8");
        let answer = serving.get("/queens?size=13&count=true&timeout_ms=20000").unwrap();
        assert_eq!(answer.status(), 200, "after {by}");
        assert_eq!(serving.end(&other)["status"], "succeeded", "after {by}");
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(serving.job(&job)["status"], "running", "after {by}");
    }
    shift(&clock, "-3y");
    let ended = serving.end(&job);
    assert_eq!(ended["result"]["solution_count"], 666_090_624);

    // After a restart, what has a date of another time is neither lost nor kept from going on.
    let unfinished = serving.begin("/queens?size=17&count=true&queens=0,0&timeout_ms=600000");
    serving.signal("-TERM");
    let (_, log) = serving.finish();
    let years: BTreeSet<i32> = log.lines().filter_map(|line| line.get(..4)?.parse().ok()).collect();
    assert_eq!(years.len(), 3, "the clock has jumped: {years:?}");
    let serving = start();
    assert_eq!(serving.job(&job), ended);
    assert_eq!(serving.end(&unfinished)["status"], "succeeded");
}
