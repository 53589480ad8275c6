//! Jobs that are kept in a directory survive the end of the process, however it ends.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::{Serving, client, done, program};
use serde_json::Value;

/// A program that keeps its jobs in this directory.
fn keeping(directory: &Path, more: &[&str]) -> Command {
    let directory = directory.to_str().unwrap();
    program(&[&["--port", "0", "--data-dir", directory], more].concat())
}

fn serve(directory: &Path) -> Serving {
    Serving::start(keeping(directory, &[]))
}

#[test]
fn a_process_killed_again_and_again_counts_every_part_once() {
    let directory = tempfile::tempdir().unwrap();
    let serving = serve(directory.path());
    let job = serving.begin("/queens?size=18&count=true&limit=0&board=false");
    let mut least = 0;
    let mut kills = 0;
    let mut serving = Some(serving);
    // At moments that look random: shorter and longer than a part, and than a restart.
    for millis in [350, 120, 20, 700, 5, 230, 410, 60, 150, 290].into_iter().cycle() {
        std::thread::sleep(Duration::from_millis(millis));
        let now = serving.as_ref().unwrap().job(&job);
        assert!(done(&now) >= least, "parts that were done are done again: {least}, then {now}");
        least = done(&now);
        if now["status"] == "succeeded" {
            assert_eq!(now["result"]["solution_count"], 666_090_624);
            assert_eq!(now["result"]["fundamental_count"], 83_263_591);
            break;
        }
        serving.take().unwrap().kill();
        kills += 1;
        serving = Some(serve(directory.path()));
    }
    assert!(kills > 3, "{kills}");
}

#[test]
fn every_job_is_as_it_was_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let serving = serve(directory.path());
    let requests =
        ["/queens?size=12&count=true", "/tromino?size=8&holes=0,0", "/knight-tour?size=8&timeout_ms=60000"];
    let mut jobs: Vec<String> = requests.iter().map(|path| serving.begin(path)).collect();
    jobs.iter().for_each(|job| drop(serving.end(job)));
    let cancelled = serving.begin("/queens?size=21&count=true");
    let client = client();
    let url = format!("http://{}{cancelled}", serving.address);
    assert_eq!(client.delete(url).send().unwrap().status(), 204);
    let late = serving.begin("/queens?size=21&count=true&timeout_ms=50");
    serving.end(&late);
    jobs.extend([cancelled, late]);
    let before: Vec<Value> = jobs.iter().map(|job| serving.job(job)).collect();
    assert_eq!(
        before.iter().map(|job| job["status"].as_str().unwrap()).collect::<Vec<_>>(),
        ["succeeded", "succeeded", "succeeded", "cancelled", "failed"]
    );
    serving.kill();

    let serving = serve(directory.path());
    let after: Vec<Value> = jobs.iter().map(|job| serving.job(job)).collect();
    assert_eq!(before, after);
}

#[test]
fn a_job_goes_on_after_an_orderly_stop() {
    let directory = tempfile::tempdir().unwrap();
    let serving = serve(directory.path());
    let job = serving.begin("/queens?size=18&count=true&limit=0");
    let shared = serving.begin("/queens?size=18&count=true&limit=0");
    let before = done(&serving.until(&job, |job| done(job) > 5));
    serving.signal("-TERM");
    let (code, log) = serving.finish();
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("ERROR"), "{log}");
    let serving = serve(directory.path());
    assert!(done(&serving.job(&job)) >= before);
    for job in [job, shared] {
        assert_eq!(serving.end(&job)["result"]["solution_count"], 666_090_624);
    }
}

#[test]
fn without_a_directory_jobs_end_with_the_process() {
    let serving = Serving::start(program(&["--port", "0"]));
    let job = serving.begin("/queens?size=8&seed=1");
    serving.end(&job);
    serving.kill();
    let serving = Serving::start(program(&["--port", "0"]));
    assert_eq!(serving.get(&job).unwrap().status(), 404);
}

#[test]
fn a_job_whose_time_passes_while_no_server_runs_has_failed() {
    let directory = tempfile::tempdir().unwrap();
    let serving = serve(directory.path());
    let job = serving.begin("/queens?size=22&count=true&timeout_ms=1500");
    serving.until(&job, |job| job["status"] == "running");
    serving.kill();
    std::thread::sleep(Duration::from_millis(1600));
    let serving = serve(directory.path());
    assert_eq!(serving.end(&job)["problem"]["status"], 504);
}

#[test]
fn a_job_that_is_gone_stays_gone() {
    let directory = tempfile::tempdir().unwrap();
    let serving = Serving::start(keeping(directory.path(), &["--jobs-kept", "1"]));
    let first = serving.begin("/queens?size=8&seed=1");
    serving.end(&first);
    let second = serving.begin("/queens?size=8&seed=2");
    serving.end(&second);
    while serving.get(&first).unwrap().status() != 410 {
        std::thread::sleep(Duration::from_millis(10));
    }
    serving.kill();
    let serving = serve(directory.path());
    assert_eq!(serving.get(&first).unwrap().status(), 410);
    assert_eq!(serving.get(&second).unwrap().status(), 200);
}

#[test]
fn a_store_that_is_damaged_foreign_or_in_use_is_refused_at_start_and_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let serving = serve(directory.path());
    let refused = keeping(directory.path(), &[]).output().unwrap();
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(message.contains("is used by another server"), "{message}");
    serving.kill();

    let path = directory.path().join("jobs.redb");
    let whole = std::fs::read(&path).unwrap();
    let mut damaged = whole.clone();
    damaged[..64].fill(7);
    for bytes in [&damaged[..], b"not a database at all", &whole[..whole.len() / 3]] {
        std::fs::write(&path, bytes).unwrap();
        let refused = keeping(directory.path(), &[]).output().unwrap();
        let message = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1));
        assert!(message.contains("jobs.redb is damaged, or not a file of jobs"), "{message}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
    let refused = program(&["--port", "0", "--data-dir", "/dev/null/jobs"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("cannot keep jobs: /dev/null/jobs"));
}
