//! The chessboard-solver program: command line, log, runtime, serve, drain. Everything else is in the library.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use chessboard_solver::config::{Command, Config, Limits, Listen};
use chessboard_solver::engine::jobs::Place;
use chessboard_solver::engine::jobs::nats::link::Link;
use chessboard_solver::engine::jobs::nats::worker::Workers;
use chessboard_solver::http::jobs::reader;
use chessboard_solver::http::{App, Bounds, params::grouped, router, serve::serve};
use chessboard_solver::telemetry;
use clap::Parser;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// How long the solver threads have to notice that nobody waits for them.
const LAST_CALL: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let config = Config::parse();
    if let Some(Command::Healthcheck) = config.command {
        return match healthcheck(&config.listen) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&format!("unhealthy: {error}")),
        };
    }
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("cannot start the runtime: {error}")),
    };
    let telemetry = match telemetry::start(&config.log, runtime.handle()) {
        Ok(telemetry) => telemetry,
        Err(error) => return fail(&error),
    };
    let result = match config.command {
        Some(Command::Worker) => runtime.block_on(work(&config)),
        _ => runtime.block_on(run(&config)),
    };
    telemetry.stop();
    runtime.shutdown_timeout(LAST_CALL);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// Serves until a signal, then drains.
async fn run(config: &Config) -> Result<(), String> {
    let address = config.listen.address();
    let listener =
        TcpListener::bind(address).await.map_err(|error| format!("cannot listen on {address}: {error}"))?;
    let address = listener.local_addr().map_err(|error| format!("cannot tell the address: {error}"))?;
    let stop = stop_signal().map_err(|error| format!("cannot listen to signals: {error}"))?;

    let app = App::start(&config.limits, &config.jobs).await?;
    tracing::info!("{}", greeting(address, &config.limits));
    serve(listener, router(app.clone(), &config.access), &app, &config.limits, stop).await;
    app.jobs().stop().await;
    Ok(())
}

/// Does parts of jobs for others until a signal.
async fn work(config: &Config) -> Result<(), String> {
    let stop = stop_signal().map_err(|error| format!("cannot listen to signals: {error}"))?;
    let Place::Broker(settings) = config.jobs.place() else {
        return Err("a worker needs a broker: set NATS_URL, such as nats://localhost:4222".to_owned());
    };
    let threads = config.jobs.limits(&config.limits).threads;
    if threads == 0 {
        return Err("a worker needs a thread at least, but JOB_WORKERS is 0".to_owned());
    }
    let link = Arc::new(Link::open(settings).await?);
    let workers = Workers::start(&link, reader(Bounds::of(&config.limits)), threads)?;
    tracing::info!("working on {threads} threads");
    stop.await;
    tracing::info!("stopping: parts that are half done are given back");
    workers.stop().await;
    Ok(())
}

/// Where the server listens and how it is limited, as a line.
fn greeting(address: SocketAddr, limits: &Limits) -> String {
    format!(
        "listening on http://{address}: boards of at most {} squares, answers within {} s, {} solver threads and a queue of {}",
        grouped(limits.max_squares),
        limits.solve_timeout().as_secs_f64(),
        limits.threads(),
        limits.solve_queue,
    )
}

/// Ready on SIGTERM or Ctrl-C. A second signal ends the process at once.
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            std::process::exit(1);
        });
    })
}

/// Asks the server on the configured address whether it is alive.
fn healthcheck(listen: &Listen) -> Result<(), String> {
    const PATIENCE: Duration = Duration::from_secs(3);
    // A server that listens on every address is asked on the loopback one.
    let host = match listen.host {
        IpAddr::V4(host) if host.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(host) if host.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        host => host,
    };
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect_timeout(&SocketAddr::new(host, listen.port), PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.take(4096).read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = ask().map_err(|error| error.to_string())?;
    if answer.starts_with("HTTP/1.1 200 ") {
        Ok(())
    } else {
        Err(answer.lines().next().unwrap_or("an empty answer").to_owned())
    }
}

// Before the log is there, and after a failure that ends the program, a line on standard error is all there is.
#[expect(clippy::print_stderr)]
fn fail(message: &str) -> ExitCode {
    eprintln!("chessboard-solver: {message}");
    ExitCode::FAILURE
}
