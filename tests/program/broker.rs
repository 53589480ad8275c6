//! Jobs that machines share through a broker: a real `nats-server`, real servers and workers, killed for real.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use crate::process::{Serving, client, done, program};
use async_nats::jetstream::consumer::{Info, PullConsumer};
use async_nats::jetstream::{self, Message, kv};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// The number of solutions by the board's size, as published.
static SOLUTIONS: LazyLock<Value> = LazyLock::new(|| {
    let vectors: Value = serde_json::from_str(include_str!("../data/queens.json")).unwrap();
    vectors["total_solutions_A000170"]["values"].clone()
});

/// A broker with a store of its own, killed when dropped.
struct Broker {
    process: Child,
    port: u16,
    store: tempfile::TempDir,
    /// What asks it directly.
    runtime: Runtime,
}

/// A worker, killed when dropped.
struct Worker(Child);

impl Broker {
    fn start() -> Self {
        let store = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self { process: Self::run(port, &store), port, store, runtime: Runtime::new().unwrap() }
    }

    fn run(port: u16, store: &tempfile::TempDir) -> Child {
        let mut command = Command::new("nats-server");
        command.args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"]).arg(store.path());
        let process =
            command.stderr(Stdio::null()).spawn().expect("Debian's package nats-server is installed");
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
        process
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn restart(&mut self) {
        self.process = Self::run(self.port, &self.store);
    }

    /// The program, told of this broker. Half a second of silence costs a worker its part.
    fn program(&self, arguments: &[&str]) -> Command {
        let mut command = program(arguments);
        command.env("NATS_URL", format!("nats://127.0.0.1:{}", self.port)).env("NATS_ACK_WAIT_MS", "500");
        command
    }

    /// A server that does no parts itself, once it is ready for jobs.
    fn serve(&self) -> Serving {
        let serving = Serving::start(self.program(&["--port", "0", "--job-workers", "0"]));
        while serving.get("/readyz").unwrap().status() != 200 {
            std::thread::sleep(Duration::from_millis(10));
        }
        serving
    }

    /// A worker on one thread, once it is there.
    fn work(&self) -> Worker {
        self.work_with(&[])
    }

    fn work_with(&self, more: &[(&str, &str)]) -> Worker {
        let mut command = self.program(&["worker", "--job-workers", "1"]);
        let mut worker = command.envs(more.iter().copied()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(worker.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("connected to the broker") {
            line.clear();
            assert_ne!(log.read_line(&mut line).unwrap(), 0, "the worker ended");
        }
        // Its log must have somewhere to go.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Worker(worker)
    }

    fn jetstream(&self) -> jetstream::Context {
        let url = format!("nats://127.0.0.1:{}", self.port);
        let _inside = self.runtime.enter();
        jetstream::new(self.runtime.block_on(async_nats::connect(url)).unwrap())
    }

    fn consumer(&self) -> PullConsumer {
        self.runtime.block_on(self.jetstream().get_consumer_from_stream("workers", "SHARDS")).unwrap()
    }

    fn info(&self) -> Info {
        self.runtime.block_on(self.consumer().get_info()).unwrap()
    }

    fn bucket(&self, name: &str) -> Bucket<'_> {
        Bucket {
            store: self.runtime.block_on(self.jetstream().get_key_value(name)).unwrap(),
            runtime: &self.runtime,
        }
    }

    /// Takes so many parts, as a worker that says nothing about them.
    fn take(&self, parts: usize) -> Vec<Message> {
        let consumer = self.consumer();
        self.runtime.block_on(async {
            let batch =
                consumer.batch().max_messages(parts).expires(Duration::from_secs(10)).messages().await;
            batch.unwrap().map(Result::unwrap).collect().await
        })
    }

    /// How many parts wait or are being done.
    fn parts(&self) -> u64 {
        let jetstream = self.jetstream();
        self.runtime
            .block_on(async { jetstream.get_stream("SHARDS").await.unwrap().cached_info().state.messages })
    }
}

/// One of the broker's buckets.
struct Bucket<'a> {
    store: kv::Store,
    runtime: &'a Runtime,
}

impl Bucket<'_> {
    fn read(&self, key: &str) -> Value {
        serde_json::from_slice(&self.runtime.block_on(self.store.get(key)).unwrap().unwrap()).unwrap()
    }

    fn write(&self, key: &str, value: &Value) {
        let bytes = serde_json::to_vec(value).unwrap();
        self.runtime.block_on(self.store.put(key, bytes.into())).unwrap();
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Worker {
    fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.0.id().to_string()]).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn assert_counted(job: &Value, size: u32) {
    assert_eq!(job["status"], "succeeded", "{job}");
    assert_eq!(job["result"]["solution_count"], SOLUTIONS[size.to_string()], "{job}");
    assert_eq!(job["progress"]["done"], job["progress"]["total"]);
}

fn delete(serving: &Serving, path: &str) -> reqwest::StatusCode {
    let client = client();
    client.delete(format!("http://{}{path}", serving.address)).send().unwrap().status()
}

const COUNT_18: &str = "/queens?size=18&count=true&limit=0&board=false";

#[test]
fn two_servers_and_three_workers_answer_for_one_another() {
    let broker = Broker::start();
    let servers = [broker.serve(), broker.serve()];
    let _workers = [broker.work(), broker.work(), broker.work()];
    for (size, server) in [(12, 0), (14, 1), (16, 0)] {
        let job = servers[server].begin(&format!("/queens?size={size}&count=true"));
        assert_counted(&servers[1 - server].end(&job), size);
        assert_eq!(servers[0].job(&job), servers[1].job(&job));
    }
    for path in [
        "/tromino?size=9&count=true&seed=1",
        "/knight-tour?rows=5&cols=6&count=true&start=0,0",
        "/queens?size=13&blocked=0,0&blocked=6,6&count=true&unique=true",
        "/queens?size=3&count=true",
    ] {
        let job = servers[0].begin(path);
        let expected: Value = servers[0].get(path).unwrap().json().unwrap();
        assert_eq!(servers[1].end(&job)["result"], expected, "{path}");
    }
    let url = format!("http://{}/queens?size=11&count=true&limit=0", servers[1].address);
    let client = client();
    let answer = client.get(url).header("prefer", "respond-async, wait=20").send().unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.json::<Value>().unwrap()["solution_count"], 2680);
    assert_eq!(servers[0].get("/jobs/3f0a6f6e-2b7e-4b0e-9c55-6c6f6a1d8a51").unwrap().status(), 404);
}

#[test]
fn a_worker_killed_in_the_middle_loses_nothing() {
    let broker = Broker::start();
    let server = broker.serve();
    let job = server.begin(COUNT_18);
    for parts in [3, 20, 40] {
        let worker = broker.work();
        server.until(&job, |job| done(job) >= parts);
        drop(worker);
    }
    let _worker = broker.work();
    assert_counted(&server.end(&job), 18);
}

#[test]
fn a_worker_that_dies_between_the_result_and_the_acknowledgement_has_counted_once() {
    let broker = Broker::start();
    let server = broker.serve();
    let job = server.begin("/queens?size=12&count=true");
    // A worker that does the first parts right, says what they count, and is never heard of again.
    let parts = broker.take(5);
    let problem = chessboard_solver::puzzles::queens::Problem::new(12, &Default::default()).unwrap();
    let budget = chessboard_solver::puzzles::Budget::unlimited();
    let plan = chessboard_solver::puzzles::queens::plan(&problem, &budget).unwrap().unwrap();
    let results = broker.bucket("RESULTS");
    for message in &parts {
        let key = message.subject.strip_prefix("shards.").unwrap();
        let number = key.rsplit('.').next().unwrap().parse().unwrap();
        let counted = plan.count(number, &budget).unwrap();
        results.write(key, &json!(counted));
    }
    server.until(&job, |job| done(job) == 5);
    let _worker = broker.work();
    assert_counted(&server.end(&job), 12);
}

#[test]
fn parts_that_are_all_delivered_more_than_once_count_once() {
    let broker = Broker::start();
    let server = broker.serve();
    for size in [12, 14] {
        let job = server.begin(&format!("/queens?size={size}&count=true"));
        let total = server.job(&job)["progress"]["total"].as_u64().unwrap() as usize;
        // Everybody's first delivery goes to somebody who does nothing about it.
        let taken = broker.take(total - 1);
        assert_eq!(taken.len(), total - 1);
        let workers = [broker.work(), broker.work()];
        assert_counted(&server.end(&job), size);
        drop(workers);
    }
}

#[test]
fn a_slow_worker_keeps_its_part_as_long_as_it_tells_of_it() {
    let broker = Broker::start();
    let server = broker.serve();
    let (idle, _worker) = (broker.work(), broker.work());
    // One part, which takes several times as long as a worker may keep silent.
    let job = server.begin("/knight-tour?rows=6&cols=6&count=true");
    let job = server.end(&job);
    assert_eq!(job["result"]["tour_count"], "6637920");
    let info = broker.info();
    assert_eq!(info.delivered.consumer_sequence, 1, "it was delivered once");
    drop(idle);
}

#[test]
fn a_worker_that_no_longer_tells_of_its_part_loses_it_and_may_come_back() {
    let broker = Broker::start();
    let server = broker.serve();
    let job = server.begin(COUNT_18);
    let silent = broker.work();
    server.until(&job, |job| done(job) >= 3);
    silent.signal("-STOP");
    let other = broker.work();
    let far = done(&server.job(&job));
    server.until(&job, |job| done(job) >= far + 20);
    silent.signal("-CONT");
    assert_counted(&server.end(&job), 18);
    drop(other);
}

#[test]
fn a_worker_that_is_told_to_stop_gives_its_part_back() {
    let broker = Broker::start();
    let server = broker.serve();
    let job = server.begin(COUNT_18);
    let mut worker = broker.work_with(&[("NATS_ACK_WAIT_MS", "60000")]);
    server.until(&job, |job| done(job) >= 3);
    worker.signal("-TERM");
    assert_eq!(worker.0.wait().unwrap().code(), Some(0));
    let _other = broker.work();
    assert_counted(&server.end(&job), 18);
    assert_eq!(broker.info().num_redelivered, 0, "nothing had to be taken from it");
}

#[test]
fn the_broker_may_be_killed_and_come_back() {
    let mut broker = Broker::start();
    let server = broker.serve();
    let _workers = [broker.work(), broker.work()];
    let job = server.begin(COUNT_18);
    let before = done(&server.until(&job, |job| done(job) >= 5));
    broker.kill();
    while server.get("/readyz").unwrap().status() == 200 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let answer = server.get("/readyz").unwrap();
    assert_eq!(answer.status(), 503);
    assert!(answer.text().unwrap().contains("can't be reached"));
    // What needs no broker goes on.
    assert_eq!(server.get("/queens?size=12").unwrap().status(), 200);
    let answer = server.get(&job).unwrap();
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));

    broker.restart();
    while server.get("/readyz").unwrap().status() != 200 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let job = server.end(&job);
    assert!(done(&job) >= before);
    assert_counted(&job, 18);
}

#[test]
fn a_server_and_its_workers_may_start_before_the_broker() {
    let mut broker = Broker::start();
    broker.kill();
    let server = Serving::start(broker.program(&["--port", "0", "--job-workers", "1"]));
    assert_eq!(server.get("/readyz").unwrap().status(), 503);
    assert_eq!(server.get("/queens?size=8").unwrap().status(), 200);
    broker.restart();
    while server.get("/readyz").unwrap().status() != 200 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let job = server.begin("/queens?size=12&count=true");
    assert_counted(&server.end(&job), 12);
}

#[test]
fn all_servers_may_go_and_another_takes_over() {
    let broker = Broker::start();
    let server = broker.serve();
    let _worker = broker.work();
    let job = server.begin(COUNT_18);
    let before = done(&server.until(&job, |job| done(job) >= 5));
    server.kill();
    let server = broker.serve();
    let job = server.end(&job);
    assert!(done(&job) >= before);
    assert_counted(&job, 18);
}

#[test]
fn cancelling_at_any_server_stops_the_workers_unless_another_job_shares_the_work() {
    let broker = Broker::start();
    let servers = [broker.serve(), broker.serve()];
    let _worker = broker.work();
    let first = servers[0].begin("/queens?size=22&count=true");
    let second = servers[1].begin("/queens?size=22&count=true");
    servers[0].until(&first, |job| job["status"] == "running");
    assert_eq!(delete(&servers[1], &first), 204);
    assert_eq!(servers[0].job(&first)["status"], "cancelled");
    assert_eq!(servers[0].job(&second)["status"], "running", "another job shares the work");
    assert_eq!(delete(&servers[0], &second), 204);
    assert_eq!(servers[1].job(&second)["status"], "cancelled");
    // Nothing of it is left, and the worker is free.
    let job = servers[0].begin("/queens?size=12&count=true");
    assert_counted(&servers[0].end(&job), 12);
    while broker.parts() > 0 {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_part_that_fails_everywhere_ends_the_job_and_is_kept_with_its_error() {
    let broker = Broker::start();
    let server = broker.serve();
    let job = server.begin("/queens?size=13&count=true");
    // Nobody can read what is to be done any more.
    let jobs = broker.bucket("JOBS");
    let record = jobs.read(&format!("job.{}", job.strip_prefix("/jobs/").unwrap()));
    let key = format!("work.{}", record["work"].as_str().unwrap());
    let mut work = jobs.read(&key);
    work["record"]["order"]["request"] = json!("{\"size\":0}");
    jobs.write(&key, &work);
    let _workers = [broker.work(), broker.work()];
    let job = server.end(&job);
    assert_eq!(job["status"], "failed");
    assert_eq!(job["problem"]["type"], "/problems/internal-error");
    let work = jobs.read(&key);
    let error = work["error"].as_str().unwrap();
    assert!(error.starts_with("shards.") && error.contains("size must be"), "{error}");
}

#[test]
fn a_part_that_kills_every_worker_is_given_up_after_some_deliveries() {
    let broker = Broker::start();
    let server = broker.serve();
    let job = server.begin("/knight-tour?size=8&start=0,0");
    for _ in 0..5 {
        assert_eq!(broker.take(1).len(), 1);
    }
    // It doesn't get that part any more.
    let _worker = broker.work();
    let job = server.end(&job);
    assert_eq!(job["problem"]["type"], "/problems/internal-error");
    let job = server.begin("/knight-tour?size=8&start=0,0");
    assert_eq!(server.end(&job)["status"], "succeeded");
}

#[test]
fn a_part_that_nobody_has_any_more_is_put_in_again() {
    let broker = Broker::start();
    let server = broker.serve();
    let job = server.begin("/queens?size=12&count=true");
    // A worker that says it is done, and isn't.
    for message in broker.take(3) {
        broker.runtime.block_on(message.double_ack()).unwrap();
    }
    let _worker = broker.work();
    assert_counted(&server.end(&job), 12);
}

#[test]
fn a_short_job_is_not_stuck_behind_a_long_one_and_one_that_takes_too_long_ends() {
    let broker = Broker::start();
    let server = broker.serve();
    let _worker = broker.work();
    let long = server.begin("/queens?size=20&count=true");
    server.until(&long, |job| done(job) > 2);
    let short = server.begin("/queens?size=12&count=true");
    let late = server.begin("/queens?size=21&count=true&timeout_ms=1000");
    assert_counted(&server.end(&short), 12);
    assert_eq!(server.end(&late)["problem"]["status"], 504);
    assert_eq!(server.job(&long)["status"], "running");
    assert_eq!(delete(&server, &long), 204);
}

#[test]
fn work_that_nobody_could_do_is_refused_at_start() {
    for (arguments, why) in [
        (
            &["--job-workers", "0"][..],
            "JOB_WORKERS=0 leaves jobs to workers, which need a broker: set NATS_URL",
        ),
        (&["worker"], "a worker needs a broker: set NATS_URL"),
        (&["worker", "--nats-url", "nats://127.0.0.1:1", "--job-workers", "0"], "a worker needs a thread"),
        (&["worker", "--nats-url", "::"], "cannot use the broker's address"),
    ] {
        let refused = crate::process::output(arguments);
        assert_eq!(refused.status.code(), Some(1));
        let message = String::from_utf8(refused.stderr).unwrap();
        assert!(message.contains(why), "{message}");
    }
}
