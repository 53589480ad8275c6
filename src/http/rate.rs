//! How often one client may ask, where the operator sets a limit.
//!
//! A client is an address: that of the connection, or, behind a proxy, the last one in the header that the operator
//! names, which is the one that the proxy itself has added. For IPv6 it is the network of 64 bits, of which one client
//! usually has all. The limit is GCRA's leaky bucket (the `governor` crate): so many requests a second, and a burst of
//! as many at once. Clients that have been quiet for long enough are forgotten.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use super::problem::Problem;

/// How often quiet clients are forgotten.
const TIDY: Duration = Duration::from_secs(60);

/// The address of the client's end of the connection, for handlers and layers.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

type Limiter = RateLimiter<IpAddr, HashMapStateStore<IpAddr>, DefaultClock>;

/// The limit for each client.
#[derive(Clone, Debug)]
pub struct Rate {
    limiter: Arc<Limiter>,
    clock: DefaultClock,
    header: Option<HeaderName>,
}

impl Rate {
    /// At most so many requests a second of each client, who is told apart by `header` if there is one.
    #[must_use]
    pub fn new(a_second: NonZeroU32, header: Option<HeaderName>) -> Self {
        let limiter = Arc::new(RateLimiter::hashmap(Quota::per_second(a_second)));
        let weak = Arc::downgrade(&limiter);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(TIDY).await;
                let Some(limiter) = weak.upgrade() else { return };
                limiter.retain_recent();
                limiter.shrink_to_fit();
            }
        });
        Self { limiter, clock: DefaultClock::default(), header }
    }
}

/// The layer that turns away clients who ask too often.
pub async fn limit(State(rate): State<Rate>, request: Request, next: Next) -> Response {
    let Some(client) = client(request.headers(), request.extensions(), rate.header.as_ref()) else {
        return next.run(request).await;
    };
    match rate.limiter.check_key(&client) {
        Ok(()) => next.run(request).await,
        Err(early) => Problem::too_many_requests(early.wait_time_from(rate.clock.now())).into_response(),
    }
}

/// The address of the client.
fn client(headers: &HeaderMap, extensions: &Extensions, header: Option<&HeaderName>) -> Option<IpAddr> {
    let told = header.and_then(|name| {
        let last = headers.get_all(name).iter().next_back()?.to_str().ok()?;
        address(last.rsplit(',').next()?.trim())
    });
    told.or_else(|| extensions.get::<Peer>().map(|Peer(peer)| peer.ip())).map(network)
}

/// The address that a proxy wrote, with or without its port.
fn address(text: &str) -> Option<IpAddr> {
    let plain = text.parse().ok();
    plain.or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// What counts as one client: the address, or the network of its first 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn a_client_is_the_last_address_that_the_named_header_has_else_that_of_the_connection() {
        let named = HeaderName::from_static("x-forwarded-for");
        let mut extensions = Extensions::new();
        extensions.insert(Peer("10.0.0.1:999".parse().unwrap()));
        let mut headers = HeaderMap::new();
        headers.append(&named, HeaderValue::from_static("1.1.1.1"));
        headers.append(&named, HeaderValue::from_static("2.2.2.2, 3.3.3.3"));
        let is = |header, address: &str| {
            assert_eq!(client(&headers, &extensions, header), address.parse().ok());
        };
        is(None, "10.0.0.1");
        is(Some(&named), "3.3.3.3");
        is(Some(&HeaderName::from_static("x-real-ip")), "10.0.0.1");
        for (value, expected) in [
            ("3.3.3.3:80", "3.3.3.3"),
            ("[2001:db8:1:2:3::4]:80", "2001:db8:1:2::"),
            ("2001:db8:1:2:ffff::9", "2001:db8:1:2::"),
            ("::ffff:3.3.3.3", "3.3.3.3"),
            ("unknown", "10.0.0.1"),
            ("", "10.0.0.1"),
        ] {
            headers.insert(&named, HeaderValue::from_static(value));
            assert_eq!(client(&headers, &extensions, Some(&named)), expected.parse().ok(), "{value}");
        }
    }
}
