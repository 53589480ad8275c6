//! Accepts connections and serves them, and stops in good order.
//!
//! `axum::serve` has no timers: a client that sends half a request head would hold its connection for ever. So this
//! is a loop of its own over hyper's connections: a cap on how many are open, times (`patience.rs`) for the head of
//! a request, for the next request and for taking the answer, and a drain with a deadline. Connections speak HTTP/1.1,
//! or HTTP/2 if they begin with it.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use futures_util::FutureExt;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

use super::App;
use super::metrics::Metrics;
use super::patience::{Patient, Times};
use super::rate::Peer;
use crate::config::Limits;

/// How long the loop rests when the system has no room for another connection.
const REST: Duration = Duration::from_millis(100);

/// Serves `router` on `listener` until `stop` is ready, then drains: `/readyz` says 503, no new connection is accepted
/// (after the delay that the settings may name), and what runs may go on for the grace time.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    app: &App,
    limits: &Limits,
    stop: impl Future<Output = ()>,
) {
    let connections = Connections::new(router, app.metrics.clone(), limits);
    let accept_delay = Duration::from_millis(limits.shutdown_delay_ms);
    tokio::select! {
        () = connections.accept_all(&listener) => {}
        () = async {
            stop.await;
            app.drain();
            tracing::info!("stopping: what runs is finished, and nothing new is accepted");
            sleep(accept_delay).await;
        } => {}
    }
    // Those that the system has accepted for us have been told that they are welcome.
    while let Some(Ok((stream, peer, place))) = connections.accept(&listener).now_or_never() {
        connections.spawn(stream, peer, place);
    }
    drop(listener);

    let grace = Duration::from_millis(limits.shutdown_grace_ms);
    let drained = timeout(grace, async {
        // Connections that have nothing to do stay until the others are done, so that whoever holds one can still
        // ask how the server is.
        app.idle().await;
        connections.close().await;
    });
    match drained.await {
        Ok(()) => tracing::info!("stopped: every request was answered"),
        Err(_) => tracing::warn!("stopped: some requests took longer than the grace time and were cut off"),
    }
}

/// The largest head of a request, in bytes.
const MAX_HEAD: usize = 32 * 1024;

/// The most requests that may be under way on one connection of HTTP/2.
const MAX_STREAMS: u32 = 100;

/// How HTTP/2 begins, as far as no request of HTTP/1 does.
const HTTP2: &[u8] = b"PRI";

/// The open connections.
struct Connections {
    router: Router,
    metrics: Metrics,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    times: Times,
    write_timeout: Duration,
    room: Arc<Semaphore>,
    graceful: GracefulShutdown,
    closing: CancellationToken,
}

impl Connections {
    fn new(router: Router, metrics: Metrics, limits: &Limits) -> Self {
        let times = Times {
            head: Duration::from_millis(limits.header_timeout_ms),
            idle: Duration::from_millis(limits.idle_timeout_ms),
        };
        let mut http1 = http1::Builder::new();
        // The stream has timers of its own; this one makes hyper look at the stream when a connection becomes idle.
        http1.timer(TokioTimer::new()).header_read_timeout(times.head + times.idle).max_header_size(MAX_HEAD);
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            .keep_alive_interval(Duration::from_secs(20))
            .max_header_list_size(MAX_HEAD as u32)
            .max_concurrent_streams(MAX_STREAMS);
        Self {
            router,
            metrics,
            http1,
            http2,
            times,
            write_timeout: Duration::from_millis(limits.write_timeout_ms),
            room: Arc::new(Semaphore::new(limits.max_connections.get().min(Semaphore::MAX_PERMITS))),
            graceful: GracefulShutdown::new(),
            closing: CancellationToken::new(),
        }
    }

    /// Accepts for ever.
    async fn accept_all(&self, listener: &TcpListener) {
        loop {
            match self.accept(listener).await {
                Ok((stream, peer, place)) => self.spawn(stream, peer, place),
                Err(error) => {
                    // Out of file descriptors, say. The connection stays in the system's queue, so trying again at
                    // once would spin.
                    tracing::warn!(%error, "could not accept a connection");
                    sleep(REST).await;
                }
            }
        }
    }

    async fn accept(&self, listener: &TcpListener) -> io::Result<(TcpStream, Peer, OwnedSemaphorePermit)> {
        let place = Arc::clone(&self.room).acquire_owned().await.expect("the semaphore is never closed");
        let (stream, peer) = listener.accept().await?;
        stream.set_nodelay(true)?;
        Ok((stream, Peer(peer), place))
    }

    fn spawn(&self, stream: TcpStream, peer: Peer, place: OwnedSemaphorePermit) {
        let (router, http1, http2) = (self.router.clone(), self.http1.clone(), self.http2.clone());
        let open = self.metrics.open_connection();
        let (watcher, closing) = (self.graceful.watcher(), self.closing.clone());
        let (times, write_timeout) = (self.times, self.write_timeout);
        tokio::spawn(async move {
            let protocol = timeout(times.head, protocol(&stream));
            let Some(Ok(Some(is_http1))) = closing.run_until_cancelled(protocol).await else { return };
            let mut stream = Box::pin(TimeoutStream::new(stream));
            // A client that stops reading is dropped, and what its answer holds with it.
            stream.as_mut().set_write_timeout_pinned(Some(write_timeout));
            let (stream, service) = Patient::new(stream, peer, router, times, is_http1);
            let stream = TokioIo::new(stream);
            let ended = if is_http1 {
                watcher.watch(http1.serve_connection(stream, service)).await
            } else {
                watcher.watch(http2.serve_connection(stream, service)).await
            };
            if let Err(error) = ended {
                // A client that leaves or breaks the protocol is its own affair.
                tracing::debug!(%error, "a connection ended early");
            }
            drop((open, place));
        });
    }

    /// Closes idle connections now and the others after the answer that is under way.
    async fn close(self) {
        self.closing.cancel();
        self.graceful.shutdown().await;
    }
}

/// Whether the client speaks HTTP/1 and not HTTP/2, by its first bytes; `None` when it leaves before them.
async fn protocol(stream: &TcpStream) -> Option<bool> {
    /// The pause before looking again for bytes that come one by one.
    const PAUSE: Duration = Duration::from_millis(10);
    let mut begin = [0; HTTP2.len()];
    loop {
        match stream.peek(&mut begin).await {
            Err(_) | Ok(0) => return None,
            Ok(count) if begin[..count] != HTTP2[..count] => return Some(true),
            Ok(count) if count == HTTP2.len() => return Some(false),
            Ok(_) => sleep(PAUSE).await,
        }
    }
}
