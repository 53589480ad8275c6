//! How the system shares the processors between threads that somebody waits for and those that have time.

/// Lets all other threads go first, from now on and for the calling thread alone. Where the system can't do that the
/// thread goes on as it is.
pub fn step_back() {
    // On Linux, niceness belongs to the thread, though POSIX says otherwise.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), LEAST) {
        tracing::debug!(%error, "a thread keeps its priority");
    }
}

/// The lowest priority there is.
#[cfg(target_os = "linux")]
const LEAST: i32 = 19;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_the_thread_that_asks_steps_back() {
        let nice = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
        let before = nice();
        let other = std::thread::spawn(move || {
            step_back();
            nice()
        });
        assert_eq!(other.join().unwrap(), LEAST);
        assert_eq!(nice(), before);
    }
}
