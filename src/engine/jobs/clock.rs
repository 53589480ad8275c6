//! The times of jobs: dates that outlive the process, and estimates of what is left.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Now, in milliseconds since 1970.
#[must_use]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    millis(since)
}

/// A length of time in whole milliseconds, the most there are for one that is longer.
#[must_use]
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Judges the time that is left by the parts that were done since it was started.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    since: Instant,
    done: usize,
}

impl Pace {
    /// Starts now, with `done` parts done already: by somebody else, or before a restart.
    #[must_use]
    pub fn start(done: usize) -> Self {
        Self { since: Instant::now(), done }
    }

    /// The seconds until all of `total` parts are done, of which `done` are; `None` before two in a hundred.
    #[must_use]
    pub fn seconds_left(&self, done: usize, total: usize) -> Option<u64> {
        left(self.since.elapsed(), done.saturating_sub(self.done), done, total)
    }
}

/// The seconds for the rest of `total` parts, when `done` are and `lately` of them took `time`.
fn left(time: Duration, lately: usize, done: usize, total: usize) -> Option<u64> {
    let known = total > 0 && lately > 0 && done.saturating_mul(50) >= total;
    known.then(|| {
        let rest = total.saturating_sub(done) as f64;
        (time.as_secs_f64() / lately as f64 * rest).ceil() as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_from_two_parts_in_a_hundred_on() {
        let minute = Duration::from_secs(60);
        assert_eq!(left(minute, 1, 1, 100), None);
        assert_eq!(left(minute, 2, 2, 100), Some(98 * 30));
        assert_eq!(left(minute, 50, 50, 100), Some(60));
        assert_eq!(left(minute, 100, 100, 100), Some(0));
        assert_eq!(left(minute, 0, 50, 100), None, "nothing was done since the restart");
        assert_eq!(
            left(minute, 10, 60, 100),
            Some(240),
            "what was done before the restart took its own time"
        );
        assert_eq!(left(minute, 0, 0, 0), None);
    }
}
