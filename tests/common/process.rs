//! Runs the program itself, as a process that can be killed.

#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};
use std::thread::JoinHandle;

/// The program with nothing set.
pub fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chessboard-solver"));
    command.args(arguments).env_clear();
    command
}

pub fn output(arguments: &[&str]) -> Output {
    program(arguments).output().unwrap()
}

/// A client that uses no proxy.
pub fn client() -> reqwest::blocking::Client {
    reqwest::blocking::Client::builder().no_proxy().build().unwrap()
}

/// A program that serves, killed when dropped.
pub struct Serving {
    pub child: Child,
    pub address: String,
    pub greeting: String,
    /// Reads what it logs from then on: a program whose log nobody takes would wait for ever.
    log: Option<JoinHandle<String>>,
}

impl Serving {
    /// Starts it, and waits until it listens.
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut greeting = String::new();
        while !greeting.contains("listening on") {
            greeting.clear();
            assert_ne!(log.read_line(&mut greeting).unwrap(), 0, "the program ended before it listened");
        }
        let (_, rest) =
            greeting.split_once("http://").unwrap_or_else(|| panic!("{greeting:?} has no address"));
        let end = rest.find(": ").unwrap();
        let address = rest[..end].to_owned();
        let log = std::thread::spawn(move || {
            let mut text = String::new();
            log.read_to_string(&mut text).unwrap();
            text
        });
        Self { child, address, greeting, log: Some(log) }
    }

    pub fn get(&self, path: &str) -> Result<reqwest::blocking::Response, reqwest::Error> {
        client().get(format!("http://{}{path}", self.address)).send()
    }

    /// The most memory that the process ever had, in KiB; only Linux tells.
    pub fn peak_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().trim_end_matches(" kB").parse().unwrap()
    }

    pub fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for the end: the exit code and the rest of the log.
    pub fn finish(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
        (code, self.log.take().unwrap().join().unwrap())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Serving {
    /// Begins a job by this request, and gives its path.
    pub fn begin(&self, path: &str) -> String {
        let url = format!("http://{}{path}", self.address);
        let answer = client().get(url).header("prefer", "respond-async").send().unwrap();
        assert_eq!(answer.status(), 202, "{path}");
        answer.headers()["location"].to_str().unwrap().to_owned()
    }

    /// The job at this path.
    pub fn job(&self, path: &str) -> serde_json::Value {
        serde_json::from_str(&self.get(path).unwrap().text().unwrap()).unwrap()
    }

    /// The job at this path once `is_so`.
    pub fn until(&self, path: &str, is_so: impl Fn(&serde_json::Value) -> bool) -> serde_json::Value {
        loop {
            let job = self.job(path);
            if is_so(&job) {
                return job;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// The job at this path once it has ended.
    pub fn end(&self, path: &str) -> serde_json::Value {
        self.until(path, |job| !["queued", "running"].contains(&job["status"].as_str().unwrap()))
    }

    /// Ends it at once, as a machine that fails does.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// How many parts of a job are done.
pub fn done(job: &serde_json::Value) -> u64 {
    job["progress"]["done"].as_u64().unwrap()
}
