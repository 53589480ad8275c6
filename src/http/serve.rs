//! Accepts connections and serves them, and stops in good order.
//!
//! `axum::serve` has no timers: a client that sends half a request head would hold its connection for ever. So this
//! is a loop of its own over hyper-util's connections: a cap on how many are open, a time for the head of a request
//! and for taking the answer, and a drain with a deadline.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

use super::App;
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
    let connections = Connections::new(router, limits);
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

/// The open connections.
struct Connections {
    router: Router,
    builder: Arc<auto::Builder<TokioExecutor>>,
    header_timeout: Duration,
    write_timeout: Duration,
    room: Arc<Semaphore>,
    graceful: GracefulShutdown,
    closing: CancellationToken,
}

impl Connections {
    fn new(router: Router, limits: &Limits) -> Self {
        let header_timeout = Duration::from_millis(limits.header_timeout_ms);
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(header_timeout);
        builder.http2().timer(TokioTimer::new()).keep_alive_interval(Duration::from_secs(20));
        Self {
            router,
            builder: Arc::new(builder),
            header_timeout,
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
                Ok((stream, place)) => self.spawn(stream, place),
                Err(error) => {
                    // Out of file descriptors, say. The connection stays in the system's queue, so trying again at
                    // once would spin.
                    tracing::warn!(%error, "could not accept a connection");
                    sleep(REST).await;
                }
            }
        }
    }

    async fn accept(&self, listener: &TcpListener) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
        let place = Arc::clone(&self.room).acquire_owned().await.expect("the semaphore is never closed");
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        Ok((stream, place))
    }

    fn spawn(&self, stream: TcpStream, place: OwnedSemaphorePermit) {
        let service = TowerToHyperService::new(self.router.clone());
        let builder = Arc::clone(&self.builder);
        let (watcher, closing) = (self.graceful.watcher(), self.closing.clone());
        let (header_timeout, write_timeout) = (self.header_timeout, self.write_timeout);
        tokio::spawn(async move {
            if closing.run_until_cancelled(speaks(&stream, header_timeout)).await == Some(true) {
                let mut stream = Box::pin(TimeoutStream::new(stream));
                // A client that stops reading is dropped, and what its answer holds with it.
                stream.as_mut().set_write_timeout_pinned(Some(write_timeout));
                serve_connection(&builder, stream, service, watcher).await;
            }
            drop(place);
        });
    }

    /// Closes idle connections now and the others after the answer that is under way.
    async fn close(self) {
        self.closing.cancel();
        self.graceful.shutdown().await;
    }
}

/// Whether the client sends anything within the time for a head. (The builder finds out whether it speaks HTTP/1 or 2
/// before any of its timers run.)
async fn speaks(stream: &TcpStream, within: Duration) -> bool {
    matches!(timeout(within, stream.peek(&mut [0])).await, Ok(Ok(1..)))
}

async fn serve_connection(
    builder: &auto::Builder<TokioExecutor>,
    stream: Pin<Box<TimeoutStream<TcpStream>>>,
    service: TowerToHyperService<Router>,
    watcher: Watcher,
) {
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    if let Err(error) = watcher.watch(connection).await {
        // A client that leaves or breaks the protocol is its own affair.
        tracing::debug!(%error, "a connection ended early");
    }
}
