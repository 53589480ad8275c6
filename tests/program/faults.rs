//! What goes wrong around the program: full disks, too few file descriptors, signals in the middle.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::process::{Serving, done, program};

/// The program under a limit of the shell, such as `ulimit -n 30`.
fn limited(limit: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let script = format!("{limit} && exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_chessboard-solver")]).args(arguments).env_clear();
    command
}

#[test]
fn a_full_disk_costs_what_could_not_be_written_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let data = ["--port", "0", "--data-dir", directory.path().to_str().unwrap()];
    // Files may have four megabytes; what is beyond fails, as on a full disk.
    let serving = Serving::start(limited("trap '' XFSZ && ulimit -f 8192", &data));
    let small = serving.begin("/queens?size=8&seed=1");
    assert_eq!(serving.end(&small)["status"], "succeeded");
    // An answer of seven megabytes is there all the same, as long as the process is.
    let large = serving.begin("/tromino?rows=1000&cols=999&seed=1");
    let answer = serving.end(&large);
    assert_eq!(answer["status"], "succeeded");
    assert_eq!(serving.get("/queens?size=12").unwrap().status(), 200);
    let another = serving.begin("/queens?size=8&seed=2");
    serving.end(&another);
    serving.signal("-TERM");
    let (code, log) = serving.finish();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("could not be taken down"), "{log}");

    // With room again it is found again.
    let serving = Serving::start(program(&data));
    assert_eq!(serving.end(&small)["status"], "succeeded");
    assert_eq!(serving.end(&large)["result"], answer["result"]);
}

#[test]
fn a_server_without_file_descriptors_for_more_clients_waits_for_some_and_goes_on() {
    let serving = Serving::start(limited("ulimit -n 40", &["--port", "0"]));
    let clients: Vec<_> = (0..100).map(|_| TcpStream::connect(&serving.address).unwrap()).collect();
    std::thread::sleep(Duration::from_millis(500));
    drop(clients);
    assert_eq!(serving.get("/queens?size=8").unwrap().status(), 200);
    serving.signal("-TERM");
    let (code, log) = serving.finish();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("could not accept a connection"), "{log}");
}

#[test]
fn a_signal_under_load_drops_no_request_that_was_accepted() {
    let serving = Serving::start(program(&["--port", "0", "--shutdown-delay-ms", "300"]));
    let (answered, dropped, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let address = &serving.address;
    let request = "GET /queens?size=14 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let Ok(mut stream) = TcpStream::connect(address) else { break };
                    let mut answer = String::new();
                    let asked = stream.write_all(request.as_bytes());
                    let read = asked.and_then(|()| stream.read_to_string(&mut answer));
                    let complete =
                        read.is_ok() && answer.starts_with("HTTP/1.1 200") && answer.ends_with("}\n");
                    let count = if complete { &answered } else { &dropped };
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(Duration::from_millis(500));
        serving.signal("-TERM");
        std::thread::sleep(Duration::from_millis(200));
        // From here on nobody comes any more, as behind a load balancer that has noticed.
        stop.store(true, Ordering::Relaxed);
    });
    let (code, log) = serving.finish();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(dropped.into_inner(), 0);
    assert!(answered.into_inner() > 8);
    assert!(log.contains("every request was answered"), "{log}");
}

#[test]
fn jobs_that_a_signal_meets_in_the_middle_go_on_after_the_restart() {
    let directory = tempfile::tempdir().unwrap();
    let data = ["--port", "0", "--data-dir", directory.path().to_str().unwrap()];
    let serving = Serving::start(program(&data));
    let jobs: Vec<String> = (0..5)
        .map(|column| serving.begin(&format!("/queens?size=17&count=true&queens=0,{column}")))
        .collect();
    serving.until(&jobs[0], |job| done(job) > 0);
    serving.signal("-TERM");
    assert_eq!(serving.finish().0, Some(0));
    let serving = Serving::start(program(&data));
    for job in jobs {
        assert_eq!(serving.end(&job)["status"], "succeeded");
    }
}
