//! What a client prefers (RFC 7240): not to wait for an answer that takes long.

use std::time::Duration;

use axum::http::HeaderMap;

/// The wish for a job instead of an answer that isn't there in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Preference {
    /// How long the client waits for the answer before it takes a job.
    pub wait: Duration,
}

impl Preference {
    /// The wish that these headers express, if any: `Prefer: respond-async`, with or without `wait=SECONDS`. What can't
    /// be understood is ignored, as the RFC wants it; of a preference that comes twice the first counts.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut is_async = false;
        let mut wait = None;
        let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
        for preference in values.flat_map(|value| value.split(',')) {
            // What follows a semicolon are parameters, of which these preferences have none.
            let preference = preference.split(';').next().unwrap_or_default();
            let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
            let (name, value) = (name.trim(), value.trim().trim_matches('"'));
            if name.eq_ignore_ascii_case("respond-async") {
                is_async = true;
            } else if name.eq_ignore_ascii_case("wait") && wait.is_none() {
                wait = value.parse().ok().map(Duration::from_secs);
            }
        }
        is_async.then(|| Self { wait: wait.unwrap_or_default() })
    }

    /// What the answer says of it in `Preference-Applied`.
    #[must_use]
    pub fn applied(&self) -> String {
        match self.wait.as_secs() {
            0 => "respond-async".to_owned(),
            seconds => format!("respond-async, wait={seconds}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn wait(values: &[&str]) -> Option<u64> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("prefer", HeaderValue::from_str(value).unwrap());
        }
        Preference::of(&headers).map(|preference| preference.wait.as_secs())
    }

    #[test]
    fn a_client_may_prefer_not_to_wait_or_to_wait_so_long() {
        assert_eq!(wait(&["respond-async"]), Some(0));
        for both in [
            &["respond-async, wait=10"][..],
            &["wait=10", "Respond-Async"],
            &["return=minimal, respond-async ; x=y , WAIT = \"10\" "],
            &["respond-async, wait=10, wait=20"],
        ] {
            assert_eq!(wait(both), Some(10), "{both:?}");
        }
    }

    #[test]
    fn anything_else_is_no_such_wish() {
        for other in [&[][..], &["wait=10"], &["return=minimal"], &["respond-asynchronously"], &[""]] {
            assert_eq!(wait(other), None, "{other:?}");
        }
        assert_eq!(wait(&["respond-async, wait=soon"]), Some(0));
        assert_eq!(wait(&["respond-async, wait=-1"]), Some(0));
    }
}
