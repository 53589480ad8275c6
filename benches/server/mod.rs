//! Servers in processes of their own, for benchmarks that measure from outside.

#![allow(dead_code, reason = "each benchmark uses a part of this")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

/// The settings with which the program is measured: every answer is worked out anew. The log is as it is by default but
/// for the line of each request, since that would measure whoever reads it.
pub const SETTINGS: [&str; 6] =
    ["--port", "0", "--cache-bytes", "0", "--rust-log", "info,chessboard_solver::http=warn"];

/// A server in a process of its own, which ends with this value.
pub struct Server {
    pub address: String,
    child: Child,
    /// Open as long as the server may write to it.
    _log: BufReader<ChildStderr>,
}

impl Server {
    /// Starts the program with [`SETTINGS`] and these.
    pub fn ours(settings: &[&str]) -> Self {
        Self::start(Command::new(env!("CARGO_BIN_EXE_chessboard-solver")).args(SETTINGS).args(settings))
    }

    /// Starts this benchmark itself with these arguments, by which it knows what to serve.
    pub fn other(kind: &str, path: &Path) -> Self {
        Self::start(Command::new(std::env::current_exe().unwrap()).arg(kind).arg(path))
    }

    /// Starts a server that tells its address on standard error.
    fn start(command: &mut Command) -> Self {
        let mut child = command.env_clear().stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut greeting = String::new();
        while !greeting.contains("http://") {
            assert_ne!(log.read_line(&mut greeting).unwrap(), 0, "it ended before it listened");
        }
        let (_, rest) = greeting.split_once("http://").unwrap();
        let address = rest.split(|c: char| !(c.is_ascii_digit() || ".:".contains(c))).next().unwrap();
        Self { address: address.trim_end_matches(':').to_owned(), child, _log: log }
    }

    /// Sends a request, of which the answer can be read from what is returned.
    pub fn send(&self, path: &str, more_of_the_head: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{more_of_the_head}Connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    /// The status and the body of an answer.
    pub fn get(&self, path: &str) -> (u16, Vec<u8>) {
        let mut answer = Vec::new();
        self.send(path, "").read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        let status = std::str::from_utf8(&answer[..end]).unwrap().split(' ').nth(1).unwrap();
        (status.parse().unwrap(), answer[end + 4..].to_owned())
    }

    /// The time to the last byte of an answer in this coding, and how many bytes came, the head among them.
    pub fn fetch(&self, path: &str, coding: &str) -> (Duration, usize) {
        let mut buffer = vec![0; 256 * 1024];
        let started = Instant::now();
        let mut stream = self.send(path, &format!("Accept-Encoding: {coding}\r\n"));
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

    /// The value of a metric of ours.
    pub fn sample(&self, name: &str) -> f64 {
        let page = String::from_utf8(self.get("/metrics").1).unwrap();
        let line = page.lines().find_map(|line| line.strip_prefix("chessboard_")?.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{name}")).trim().parse().unwrap()
    }

    /// The most memory that the process ever had.
    pub fn peak_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let mut lines = status.lines();
        let peak =
            lines.find_map(|line| line.strip_prefix("VmHWM:")?.trim().trim_end_matches(" kB").parse().ok());
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

/// Where the figures are to be written as JSON, if the arguments name a file.
pub fn figures_file() -> Option<String> {
    std::env::args().skip_while(|argument| argument != "--json").nth(1)
}

/// The one in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// In milliseconds.
pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
