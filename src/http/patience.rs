//! How long a connection waits for its client.
//!
//! hyper has one timer for the head of a request, which also runs while a connection is idle between two of them. A
//! browser may leave a connection idle for a minute; a client that takes a minute for one head is after something else.
//! So the timers are here, under hyper: [`Patient`] is the stream, and fails a read that takes too long; [`Service`]
//! tells it when a request has come and when its answer is gone.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::Response;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http_body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::rate::Peer;

/// The bytes of what a client of HTTP/2 sends first (RFC 9113, section 3.4).
const PREFACE: usize = 24;

/// How long a client may take for what.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// From the first byte of a request's head to its last.
    pub head: Duration,
    /// From one request to the next.
    pub idle: Duration,
}

/// What a connection is about, as its service tells.
#[derive(Default, Debug)]
struct Phase {
    /// Requests whose answer isn't gone.
    active: AtomicUsize,
    /// Requests that have come.
    come: AtomicUsize,
}

/// A stream whose reads fail when the client takes too long.
#[derive(Debug)]
pub struct Patient<S> {
    stream: Pin<Box<S>>,
    phase: Arc<Phase>,
    times: Times,
    /// Whether heads come one after the other, so that bytes between two requests are the beginning of one.
    is_http1: bool,
    /// How many bytes are missing from what HTTP/2 begins with.
    preface: usize,
    /// How many requests had come at the last look.
    come: usize,
    /// What is waited for, and until when.
    wait: Option<(Wait, Pin<Box<Sleep>>)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wait {
    Head,
    Idle,
}

impl<S> Patient<S> {
    /// The stream of a client that has just sent its first byte, and the service that answers it.
    pub fn new(
        stream: Pin<Box<S>>,
        peer: Peer,
        router: Router,
        times: Times,
        is_http1: bool,
    ) -> (Self, Service) {
        let phase = Arc::<Phase>::default();
        let wait = Some((Wait::Head, Box::pin(sleep_until(Instant::now() + times.head))));
        let preface = if is_http1 { 0 } else { PREFACE };
        let service = Service { router, peer, phase: Arc::clone(&phase) };
        (Self { stream, phase, times, is_http1, preface, come: 0, wait }, service)
    }

    /// Waits for this, from now on if it didn't before. Fails when that has taken too long.
    fn wait(&mut self, what: Wait, context: &mut Context<'_>) -> Poll<io::Error> {
        if self.wait.as_ref().is_none_or(|(before, _)| *before != what) {
            let time = match what {
                Wait::Head => self.times.head,
                Wait::Idle => self.times.idle,
            };
            self.wait = Some((what, Box::pin(sleep_until(Instant::now() + time))));
        }
        match &mut self.wait {
            Some((_, sleep)) => sleep.as_mut().poll(context).map(|()| io::ErrorKind::TimedOut.into()),
            None => Poll::Pending,
        }
    }
}

impl<S: AsyncRead> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let come = self.phase.come.load(Ordering::Acquire);
        if come != self.come || self.phase.active.load(Ordering::Acquire) > 0 {
            // A head is complete; what follows is another matter.
            self.come = come;
            self.wait = None;
        }
        let before = out.filled().len();
        let read = self.stream.as_mut().poll_read(context, out);
        if self.phase.active.load(Ordering::Acquire) > 0 {
            return read;
        }
        match read {
            Poll::Pending => {
                let what = match self.wait {
                    Some((Wait::Head, _)) => Wait::Head,
                    _ => Wait::Idle,
                };
                let error = ready!(self.wait(what, context));
                Poll::Ready(Err(error))
            }
            Poll::Ready(Ok(())) if out.filled().len() > before && self.is_http1 => {
                // The beginning of a head, or more of it. It may be late, but it has come.
                let _ = self.wait(Wait::Head, context);
                Poll::Ready(Ok(()))
            }
            read => {
                let count = out.filled().len() - before;
                if !self.is_http1 && self.preface > 0 {
                    self.preface = self.preface.saturating_sub(count);
                    if self.preface == 0 {
                        self.wait = None;
                    }
                }
                read
            }
        }
    }
}

impl<S: AsyncWrite> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// The router, for the requests of one connection.
#[derive(Clone, Debug)]
pub struct Service {
    router: Router,
    peer: Peer,
    phase: Arc<Phase>,
}

/// A request whose answer isn't gone.
#[derive(Debug)]
struct Active(Arc<Phase>);

impl Drop for Active {
    fn drop(&mut self) {
        self.0.active.fetch_sub(1, Ordering::AcqRel);
    }
}

impl<B> hyper::service::Service<axum::http::Request<B>> for Service
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<axum::BoxError>,
{
    type Response = Response<Answer>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn call(&self, request: axum::http::Request<B>) -> Self::Future {
        self.phase.active.fetch_add(1, Ordering::AcqRel);
        self.phase.come.fetch_add(1, Ordering::AcqRel);
        let active = Active(Arc::clone(&self.phase));
        let mut request: Request = request.map(Body::new);
        request.extensions_mut().insert(self.peer);
        let answer = tower::ServiceExt::oneshot(self.router.clone(), request);
        async move {
            let response = answer.await?;
            Ok(response.map(|body| Answer { body, _active: active }))
        }
        .boxed()
    }
}

/// The body of an answer, until it is gone.
#[derive(Debug)]
pub struct Answer {
    body: Body,
    _active: Active,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
