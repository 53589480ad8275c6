//! The program itself: how it starts, what it refuses, and how it stops.

use std::time::{Duration, Instant};

use crate::process::{Serving, client, output, program};

#[test]
fn help_lists_every_setting_with_its_variable_and_default() {
    let help = String::from_utf8(output(&["--help"]).stdout).unwrap();
    for (flag, variable, default) in [
        ("--host", "HOST", "127.0.0.1"),
        ("--port", "PORT", "8080"),
        ("--solve-timeout-ms", "SOLVE_TIMEOUT_MS", "30000"),
        ("--max-squares", "MAX_SQUARES", "1048576"),
        ("--solver-threads", "SOLVER_THREADS", "the CPUs that the process may use"),
        ("--log-format", "LOG_FORMAT", "text"),
        ("--rust-log", "RUST_LOG", "info"),
    ] {
        assert!(help.contains(flag), "{flag} in {help}");
        assert!(help.contains(&format!("[env: {variable}]")), "{variable} in {help}");
        assert!(help.contains(&format!("[default: {default}]")), "{default} in {help}");
    }
}

#[test]
fn a_bad_setting_is_refused_at_start() {
    let refused = output(&["--port", "eighty"]);
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("'eighty' for '--port <PORT>'"), "{message}");

    let refused = program(&[]).env("MAX_SQUARES", "0").output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("--max-squares") && message.contains("1..=1073741824"), "{message}");
}

#[test]
fn an_address_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let refused = output(&["--port", &port]);
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{message}");
}

#[test]
fn a_flag_wins_over_its_variable_and_both_over_the_default() {
    let mut command = program(&["--max-squares", "64"]);
    command.env("PORT", "0").env("MAX_SQUARES", "9").env("SOLVER_THREADS", "3");
    let serving = Serving::start(command);
    assert!(serving.greeting.contains("at most 64 squares"), "{}", serving.greeting);
    assert!(serving.greeting.contains("within 30 s, 3 solver threads"), "{}", serving.greeting);
    assert_eq!(serving.get("/knight-tour?size=8").unwrap().status(), 200);
    assert_eq!(serving.get("/knight-tour?size=9").unwrap().status(), 422);
}

#[test]
fn the_log_tells_of_each_request_and_is_json_when_asked() {
    let mut command = program(&["--port", "0", "--log-format", "json"]);
    command.env("RUST_LOG", "info");
    let serving = Serving::start(command);
    serving.get("/queens?size=8").unwrap();
    serving.signal("-TERM");
    let (code, log) = serving.finish();
    assert_eq!(code, Some(0));
    let lines: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answered = lines.iter().find(|line| line["message"] == "answered").expect("a line for the request");
    assert_eq!(answered["status"], 200);
    let span = &answered["span"];
    assert_eq!(
        (&span["puzzle"], &span["size"], &span["outcome"]),
        (&"queens".into(), &"8 × 8".into(), &"solved".into())
    );
    assert!(
        span["id"].is_string() && span["solve_ms"].is_number() && answered["ms"].is_number(),
        "{answered}"
    );
}

#[test]
fn the_log_is_as_quiet_as_told() {
    let mut command = program(&["--port", "0"]);
    command.env("RUST_LOG", "info,chessboard_solver::http=warn");
    let serving = Serving::start(command);
    serving.get("/queens?size=8").unwrap();
    serving.signal("-INT");
    assert_eq!(serving.finish(), (Some(0), String::new()));
}

#[test]
fn a_signal_lets_what_runs_finish_and_takes_nothing_new() {
    let serving = Serving::start(program(&["--port", "0"]));
    let kept = client();
    let url = |path: &str| format!("http://{}{path}", serving.address);
    assert_eq!(kept.get(url("/readyz")).send().unwrap().text().unwrap(), "ready\n");

    let slow = std::thread::spawn({
        let url = url("/queens?size=20&count=true&timeout_ms=2000");
        move || client().get(url).send().unwrap().status()
    });
    std::thread::sleep(Duration::from_millis(500));
    serving.signal("-TERM");
    std::thread::sleep(Duration::from_millis(300));

    // The connection that is open already still hears how things are; a new one is refused.
    assert_eq!(kept.get(url("/readyz")).send().unwrap().status(), 503);
    assert!(serving.get("/readyz").unwrap_err().is_connect());

    assert_eq!(slow.join().unwrap(), 504);
    let (code, log) = serving.finish();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("every request was answered"), "{log}");
}

#[test]
fn the_grace_time_ends() {
    let serving = Serving::start(program(&["--port", "0", "--shutdown-grace-ms", "200"]));
    let url = format!("http://{}/queens?size=20&count=true", serving.address);
    let slow = std::thread::spawn(move || reqwest::blocking::get(url).map(|_| ()));
    std::thread::sleep(Duration::from_millis(500));
    let signalled = Instant::now();
    serving.signal("-TERM");
    let (code, log) = serving.finish();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("cut off"), "{log}");
    assert!(
        signalled.elapsed() < Duration::from_secs(20),
        "it doesn't wait for the thirty seconds of the request"
    );
    assert!(slow.join().unwrap().is_err());
}

#[test]
fn load_balancers_get_the_time_that_they_need() {
    let serving = Serving::start(program(&["--port", "0", "--shutdown-delay-ms", "2000"]));
    serving.signal("-TERM");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(serving.get("/readyz").unwrap().status(), 503);
    assert_eq!(serving.get("/queens?size=8").unwrap().status(), 200);
    assert_eq!(serving.finish().0, Some(0));
}

#[test]
fn the_program_checks_the_health_of_another() {
    let serving = Serving::start(program(&["--port", "0"]));
    let (_, port) = serving.address.rsplit_once(':').unwrap();
    assert!(output(&["healthcheck", "--port", port]).status.success());
    let port = port.to_owned();
    serving.signal("-TERM");
    serving.finish();
    let unhealthy = output(&["healthcheck", "--port", &port]);
    assert_eq!(unhealthy.status.code(), Some(1));
    assert!(String::from_utf8(unhealthy.stderr).unwrap().starts_with("chessboard-solver: unhealthy: "));
}

#[cfg(target_os = "linux")]
#[test]
fn a_board_of_sixteen_million_squares_streams_in_next_to_no_memory() {
    let serving = Serving::start(program(&["--port", "0", "--max-squares", "16777216"]));
    serving.get("/tromino?size=512&holes=0,0").unwrap().text().unwrap();
    let before = serving.peak_kib();
    let mut board = serving.get("/tromino?size=4096&holes=1000,3").unwrap();
    let bytes = std::io::copy(&mut board, &mut std::io::sink()).unwrap();
    assert!(bytes > 140_000_000, "{bytes} bytes");
    let grown = serving.peak_kib() - before;
    assert!(grown < 8 * 1024, "the server grew by {grown} KiB");
}
