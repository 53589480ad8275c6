//! Every setting of the program: a flag, an environment variable, a default and a help text for each, checked once
//! at start.

use std::net::{IpAddr, SocketAddr};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};
use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};
use tracing_subscriber::EnvFilter;

use crate::board::Size;
use crate::engine::jobs::nats::link::Settings;
use crate::engine::jobs::{self, Place};

/// Solves the three classic chessboard puzzles over HTTP: tromino tilings, knight's tours and n queens.
///
/// Each setting is a flag or an environment variable; the flag wins.
#[derive(Parser, Clone, Debug)]
#[command(name = "chessboard-solver", version, max_term_width = 100)]
pub struct Config {
    /// What to do instead of serving.
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for the help text of the whole program")]
    pub listen: Listen,

    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for the help text of the whole program")]
    pub limits: Limits,

    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for the help text of the whole program")]
    pub access: Access,

    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for the help text of the whole program")]
    pub jobs: JobSettings,

    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for the help text of the whole program")]
    pub log: Log,
}

/// Other things that the program can do.
#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// Asks a server on HOST and PORT whether it is alive; exits with 0 if so, else with 1.
    Healthcheck,
    /// Does parts of jobs that servers share through NATS_URL, and serves nobody.
    Worker,
}

// A doc comment on a flattened struct would become the help text of the program, hence `//` on those below.

// Where the server listens.
#[derive(Args, Clone, Debug)]
#[expect(missing_docs, reason = "clap would take it for the help text of the whole program")]
pub struct Listen {
    /// The address to listen on
    #[arg(
        long,
        env,
        hide_env_values = true,
        global = true,
        default_value = "127.0.0.1",
        value_name = "ADDRESS"
    )]
    pub host: IpAddr,

    /// The port to listen on; 0 takes any that is free
    #[arg(long, env, hide_env_values = true, global = true, default_value_t = 8080)]
    pub port: u16,
}

// What a request may take, and how many there may be at once.
#[derive(Args, Clone, Debug)]
#[expect(missing_docs, reason = "clap would take it for the help text of the whole program")]
pub struct Limits {
    /// The longest that a request may take, in milliseconds
    #[arg(long, env, hide_env_values = true, default_value_t = 30_000, value_name = "MS",
          value_parser = value_parser!(u64).range(1..=86_400_000))]
    pub solve_timeout_ms: u64,

    /// The largest board, in squares
    #[arg(long, env, hide_env_values = true, default_value_t = 1_048_576, value_name = "SQUARES",
          value_parser = value_parser!(u64).range(1..=Size::MAX_SQUARES))]
    pub max_squares: u64,

    /// Threads that solve [default: the CPUs that the process may use]
    #[arg(long, env, hide_env_values = true, value_name = "THREADS")]
    pub solver_threads: Option<NonZeroUsize>,

    /// Requests that may wait for a solver thread; those beyond are refused with 503
    #[arg(long, env, hide_env_values = true, default_value_t = 64, value_name = "REQUESTS")]
    pub solve_queue: usize,

    /// Memory that counting knight's tours may take, in bytes, for each such request; larger boards are refused
    #[arg(long, env, hide_env_values = true, default_value_t = 2_147_483_648, value_name = "BYTES")]
    pub count_memory_bytes: u64,

    /// Recent answers kept in memory, in bytes; 0 for none
    #[arg(long, env, hide_env_values = true, default_value_t = 67_108_864, value_name = "BYTES")]
    pub cache_bytes: u64,

    /// Connections that may be open at once; those beyond wait to be accepted
    #[arg(long, env, hide_env_values = true, default_value = "4096", value_name = "CONNECTIONS")]
    pub max_connections: NonZeroUsize,

    /// How long a client may take to send the head of a request, in milliseconds
    #[arg(long, env, hide_env_values = true, default_value_t = 10_000, value_name = "MS",
          value_parser = value_parser!(u64).range(1..=86_400_000))]
    pub header_timeout_ms: u64,

    /// How long a client may take to send the body of a request, in milliseconds
    #[arg(long, env, hide_env_values = true, default_value_t = 30_000, value_name = "MS",
          value_parser = value_parser!(u64).range(1..=86_400_000))]
    pub body_timeout_ms: u64,

    /// How long a connection may wait for the next request, in milliseconds
    #[arg(long, env, hide_env_values = true, default_value_t = 60_000, value_name = "MS",
          value_parser = value_parser!(u64).range(1..=86_400_000))]
    pub idle_timeout_ms: u64,

    /// How long a client may take to read the next piece of an answer, in milliseconds
    #[arg(long, env, hide_env_values = true, default_value_t = 30_000, value_name = "MS",
          value_parser = value_parser!(u64).range(1..=86_400_000))]
    pub write_timeout_ms: u64,

    /// How long running requests may go on after a signal to stop, in milliseconds
    #[arg(long, env, hide_env_values = true, default_value_t = 30_000, value_name = "MS")]
    pub shutdown_grace_ms: u64,

    /// How long to go on accepting connections after a signal to stop, with /readyz answering 503, in
    /// milliseconds: for load balancers that take time to notice
    #[arg(long, env, hide_env_values = true, default_value_t = 0, value_name = "MS")]
    pub shutdown_delay_ms: u64,
}

// Where jobs are kept and done, and how many there may be.
#[derive(Args, Clone, Debug)]
#[expect(missing_docs, reason = "clap would take it for the help text of the whole program")]
pub struct JobSettings {
    /// The directory in which jobs are kept, so that they survive a restart [default: none, they are kept in memory]
    #[arg(long, env, hide_env_values = true, global = true, value_name = "DIRECTORY")]
    pub data_dir: Option<PathBuf>,

    /// The broker through which machines share jobs: nats://host:port, several separated by commas
    #[arg(long, env, hide_env_values = true, global = true, value_name = "URL", conflicts_with = "data_dir")]
    pub nats_url: Option<String>,

    /// On how many servers of the broker jobs are kept
    #[arg(long, env, hide_env_values = true, global = true, default_value_t = 1, value_name = "SERVERS",
          value_parser = value_parser!(u8).range(1..=5))]
    pub nats_replicas: u8,

    /// How long a worker may keep silent about a part before the broker gives it to another, in milliseconds
    #[arg(long, env, hide_env_values = true, global = true, default_value_t = 30_000, value_name = "MS",
          value_parser = value_parser!(u64).range(100..=86_400_000))]
    pub nats_ack_wait_ms: u64,

    /// Threads that do the parts of jobs, at the lowest priority; 0 leaves them to workers [default:
    /// SOLVER_THREADS]
    #[arg(long, env, hide_env_values = true, global = true, value_name = "THREADS")]
    pub job_workers: Option<usize>,

    /// Jobs that may be waiting or running; those beyond are refused with 503
    #[arg(long, env, hide_env_values = true, default_value_t = 100, value_name = "JOBS")]
    pub job_queue: usize,

    /// The longest that a job may take, in milliseconds: a week
    #[arg(long, env, hide_env_values = true, default_value_t = 604_800_000, value_name = "MS",
          value_parser = value_parser!(u64).range(1..=31_536_000_000))]
    pub job_timeout_ms: u64,

    /// How long a job is kept after its end, in milliseconds: a day
    #[arg(long, env, hide_env_values = true, default_value_t = 86_400_000, value_name = "MS",
          value_parser = value_parser!(u64).range(1..=31_536_000_000))]
    pub job_ttl_ms: u64,

    /// Jobs that are kept after their end; beyond, those that ended first are forgotten
    #[arg(long, env, hide_env_values = true, default_value_t = 1_000, value_name = "JOBS")]
    pub jobs_kept: usize,

    /// Answers of jobs that are kept, in bytes; beyond, jobs that ended first are forgotten
    #[arg(long, env, hide_env_values = true, default_value_t = 268_435_456, value_name = "BYTES")]
    pub jobs_kept_bytes: usize,
}

// Who may call.
#[derive(Args, Clone, Debug)]
#[expect(missing_docs, reason = "clap would take it for the help text of the whole program")]
pub struct Access {
    /// The origins whose pages may call from a browser, separated by commas: such as `https://example.org`; `*` for any
    #[arg(long, env, hide_env_values = true, default_value = "*", value_name = "ORIGINS", value_parser = origins)]
    pub cors_origins: Origins,

    /// Requests for puzzles and jobs that each client may send in a second, and at once [default: any number]
    #[arg(long, env, hide_env_values = true, value_name = "REQUESTS")]
    pub rate_limit: Option<NonZeroU32>,

    /// The header in which a proxy in front of this server names the client, such as X-Forwarded-For; only its last
    /// address counts [default: none, the client is whoever connects]
    #[arg(long, env, hide_env_values = true, value_name = "HEADER")]
    pub client_header: Option<HeaderName>,
}

/// Origins whose pages may call from a browser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origins {
    /// Any.
    Any,
    /// These.
    These(Vec<HeaderValue>),
}

fn origins(text: &str) -> Result<Origins, String> {
    if text.trim() == "*" {
        return Ok(Origins::Any);
    }
    let origin = |text: &str| {
        let text = text.trim();
        let (scheme, host) = text.split_once("://").unwrap_or_default();
        let plain = ["http", "https"].contains(&scheme) && !host.is_empty() && !host.contains('/');
        let value = HeaderValue::try_from(text).ok().filter(|_| plain);
        value.ok_or_else(|| format!("{text:?} is not an origin such as https://example.org, or *"))
    };
    text.split(',').map(origin).collect::<Result<_, _>>().map(Origins::These)
}

// How the program logs, to standard error.
#[derive(Args, Clone, Debug)]
#[expect(missing_docs, reason = "clap would take it for the help text of the whole program")]
pub struct Log {
    /// How log lines look
    #[arg(long, env, hide_env_values = true, default_value = "text", value_name = "FORMAT")]
    pub log_format: LogFormat,

    /// What is logged, as directives of tracing: info, or debug, or warn,chessboard_solver=debug
    #[arg(long, env = "RUST_LOG", hide_env_values = true, default_value = "info", value_name = "DIRECTIVES",
          value_parser = directives)]
    pub rust_log: String,
}

/// How log lines look.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

fn directives(text: &str) -> Result<String, String> {
    match EnvFilter::builder().parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

impl Listen {
    /// The address to bind.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        SocketAddr::new(self.host, self.port)
    }
}

impl JobSettings {
    /// How much there may be of everything that belongs to jobs.
    #[must_use]
    pub fn limits(&self, limits: &Limits) -> jobs::Limits {
        jobs::Limits {
            queue: self.job_queue,
            kept: self.jobs_kept,
            kept_bytes: self.jobs_kept_bytes,
            time_to_live: Duration::from_millis(self.job_ttl_ms),
            longest: Duration::from_millis(self.job_timeout_ms),
            threads: self.job_workers.unwrap_or_else(|| limits.threads().get()),
        }
    }

    /// Where jobs are kept.
    #[must_use]
    pub fn place(&self) -> Place {
        if let Some(url) = &self.nats_url {
            return Place::Broker(Settings {
                url: url.clone(),
                replicas: self.nats_replicas.into(),
                ack_wait: Duration::from_millis(self.nats_ack_wait_ms),
                max_age: Duration::from_millis(self.job_timeout_ms.saturating_add(self.job_ttl_ms)),
            });
        }
        self.data_dir.clone().map_or(Place::Memory, Place::Directory)
    }
}

impl Limits {
    /// The longest that a request may take.
    #[must_use]
    pub const fn solve_timeout(&self) -> Duration {
        Duration::from_millis(self.solve_timeout_ms)
    }

    /// The number of solver threads: the setting, else as many as the process has CPUs by affinity and cgroup quota.
    #[must_use]
    pub fn threads(&self) -> NonZeroUsize {
        self.solver_threads
            .unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Config::command().debug_assert();
    }

    #[test]
    fn a_worker_takes_its_settings_before_and_after_its_name() {
        let url = ["--nats-url", "nats://localhost:4222", "--job-workers", "2"];
        for words in [[&["worker"], &url[..]].concat(), [&url[..], &["worker"]].concat()] {
            let config = Config::try_parse_from([&["chessboard-solver"], &words[..]].concat()).unwrap();
            assert!(matches!(config.command, Some(Command::Worker)));
            assert!(matches!(config.jobs.place(), Place::Broker(_)));
            assert_eq!(config.jobs.limits(&config.limits).threads, 2);
        }
    }

    #[test]
    fn every_setting_is_a_flag_and_an_environment_variable_of_the_same_name() {
        let command = Config::command();
        for arg in command.get_arguments().filter(|arg| !["help", "version"].contains(&arg.get_id().as_str()))
        {
            let flag = arg.get_long().expect("a flag").replace('-', "_").to_uppercase();
            assert_eq!(arg.get_env().and_then(|name| name.to_str()), Some(flag.as_str()));
            assert!(arg.get_help().is_some());
        }
    }

    #[test]
    fn a_bad_setting_is_refused_with_its_name() {
        for (flag, value) in [
            ("--port", "65536"),
            ("--host", "nowhere"),
            ("--solve-timeout-ms", "0"),
            ("--max-squares", "0"),
            ("--max-squares", "1073741825"),
            ("--solver-threads", "0"),
            ("--log-format", "xml"),
            ("--cors-origins", "example.org"),
            ("--cors-origins", "https://a.example/,https://b.example"),
            ("--rust-log", "a=b=c"),
        ] {
            let error = Config::try_parse_from(["chessboard-solver", flag, value]).unwrap_err().to_string();
            assert!(error.contains(flag) && error.contains(value), "{error}");
        }
    }
}
