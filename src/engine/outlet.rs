//! Where a solver puts an answer that goes out while it is still being found.
//!
//! The solver is a thread and the reader a connection that may be slow. Between them is a pipe of fixed size. A solver
//! whose pipe is full gives its permit back until there is room, so that a reader who stops reading holds up nobody else.
//!
//! What is written can be read at once: nothing waits for a buffer to fill, and no line for the next one. But a solver
//! that finds millions of lines a second must not wake its reader for each. So the reader takes all there is, and after
//! that rests for a moment unless there is plenty again; a line that comes after the rest goes out by itself.

use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep, sleep};

use super::CancelOnDrop;
use super::lane::Permit;

/// How many bytes may be on their way from a solver to its reader. (A single line may be longer.)
const PIPE: usize = 128 * 1024;

/// With so many bytes in the pipe its reader doesn't rest.
const PLENTY: usize = PIPE / 2;

/// How long a reader rests that has taken all there was.
const REST: Duration = Duration::from_millis(1);

#[derive(Debug)]
struct Pipe {
    state: Mutex<State>,
    /// Told when the reader has taken something, or is gone.
    room: Condvar,
}

#[derive(Default, Debug)]
struct State {
    bytes: Vec<u8>,
    /// How to wake the reader, when it waits.
    reader: Option<Waker>,
    /// Whether the reader waits for plenty alone, since it wakes by itself otherwise.
    resting: bool,
    /// Whether the solver is done.
    complete: bool,
    /// Whether the reader is gone.
    abandoned: bool,
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of the pipe that a solver writes to. Belongs into its thread.
#[derive(Debug)]
pub struct Outlet {
    pipe: Arc<Pipe>,
    runtime: Handle,
    /// Always there but while the solver waits for its reader.
    permit: Option<Permit>,
}

impl Outlet {
    /// Both ends of a new pipe, for a solver that holds this permit and stops at this flag.
    pub(super) fn new(permit: Permit, cancel: CancelOnDrop) -> (Self, Reading) {
        let pipe = Arc::new(Pipe { state: Mutex::default(), room: Condvar::new() });
        let rest = Box::pin(sleep(Duration::ZERO));
        (
            Self { pipe: Arc::clone(&pipe), runtime: Handle::current(), permit: Some(permit) },
            Reading { pipe, rest, _cancel: cancel },
        )
    }

    /// Writes all of `bytes`, and waits without a permit while the pipe is full. `Break` when the reader is gone.
    pub fn write(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        let is_full = |state: &mut State| {
            !state.abandoned && !state.bytes.is_empty() && state.bytes.len() + bytes.len() > PIPE
        };
        let mut state = self.pipe.lock();
        if is_full(&mut state) {
            let place = self.permit.take().map(Permit::pause);
            drop(self.pipe.room.wait_while(state, is_full));
            if let Some(place) = place {
                self.permit = Some(self.runtime.block_on(place.start()));
            }
            state = self.pipe.lock();
        }
        if state.abandoned {
            return ControlFlow::Break(());
        }
        state.bytes.extend_from_slice(bytes);
        let waits = !state.resting || state.bytes.len() >= PLENTY;
        let reader = waits.then(|| state.reader.take()).flatten();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        let mut state = self.pipe.lock();
        state.complete = true;
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}

/// The end of the pipe that is read. It ends when the solver is done; dropping it stops the solver.
#[derive(Debug)]
pub struct Reading {
    pipe: Arc<Pipe>,
    /// Over when the reader has rested.
    rest: Pin<Box<Sleep>>,
    _cancel: CancelOnDrop,
}

impl Stream for Reading {
    type Item = Bytes;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Self { pipe, rest, .. } = self.get_mut();
        let mut state = pipe.lock();
        if state.bytes.is_empty() && state.complete {
            return Poll::Ready(None);
        }
        let in_no_hurry = state.bytes.len() < PLENTY && !state.complete;
        let rests =
            in_no_hurry && Instant::now() < rest.deadline() && rest.as_mut().poll(context).is_pending();
        if state.bytes.is_empty() || rests {
            state.resting = rests;
            state.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        // The next lines will be as many, more or less.
        let next = Vec::with_capacity(state.bytes.len());
        let bytes = std::mem::replace(&mut state.bytes, next);
        drop(state);
        pipe.room.notify_one();
        rest.as_mut().reset(Instant::now() + REST);
        Poll::Ready(Some(bytes.into()))
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.pipe.lock().abandoned = true;
        self.pipe.room.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::super::lane::Lane;
    use super::*;
    use crate::puzzles::CancelFlag;
    use futures_util::StreamExt;
    use std::num::NonZeroUsize;

    async fn pipe(lane: &Lane) -> (Outlet, Reading) {
        let permit = lane.enter().unwrap().start().await;
        Outlet::new(permit, CancelOnDrop(CancelFlag::new()))
    }

    fn lane() -> Lane {
        Lane::new(NonZeroUsize::MIN, 1)
    }

    #[tokio::test]
    async fn a_line_needs_no_other_line_to_go_out() {
        let lane = lane();
        let (mut outlet, mut reading) = pipe(&lane).await;
        // Each of these is the last one for as long as nobody reads it; most come while the reader rests.
        for number in 0..100 {
            let line = format!("{number}\n");
            assert!(outlet.write(line.as_bytes()).is_continue());
            assert_eq!(reading.next().await.unwrap(), line);
        }
        drop(outlet);
        assert_eq!(reading.next().await, None);
        assert_eq!(reading.next().await, None);
    }

    #[tokio::test]
    async fn a_line_that_comes_while_the_reader_waits_wakes_it() {
        let lane = lane();
        let (mut outlet, mut reading) = pipe(&lane).await;
        let reader = tokio::spawn(async move {
            let mut lines = Vec::new();
            while let Some(bytes) = reading.next().await {
                lines.extend(bytes);
            }
            lines
        });
        for _ in 0..3 {
            tokio::time::sleep(5 * REST).await;
            assert!(outlet.write(b"line\n").is_continue());
        }
        drop(outlet);
        assert_eq!(reader.await.unwrap(), b"line\nline\nline\n");
    }

    #[tokio::test]
    async fn a_solver_with_a_full_pipe_waits_without_a_permit_and_loses_nothing() {
        let lane = lane();
        let (mut outlet, mut reading) = pipe(&lane).await;
        let line = [b'x'; 1000];
        let lines = 3 * PIPE / line.len();
        let solver = tokio::task::spawn_blocking(move || {
            assert!((0..lines).all(|_| outlet.write(&line).is_continue()));
            // Longer than the pipe.
            outlet.write(&[b'y'; 2 * PIPE]).is_continue()
        });
        // It comes as soon as the pipe is full.
        let other = lane.enter().unwrap().start().await;
        drop(other);
        let mut read = Vec::new();
        while let Some(bytes) = reading.next().await {
            read.extend(bytes);
        }
        assert!(solver.await.unwrap());
        assert_eq!(read.len(), lines * line.len() + 2 * PIPE);
    }

    #[tokio::test]
    async fn a_solver_learns_that_its_reader_is_gone_even_while_it_waits() {
        let lane = lane();
        let (mut outlet, reading) = pipe(&lane).await;
        let solver = tokio::task::spawn_blocking(move || {
            while outlet.write(&[b'x'; 1000]).is_continue() {}
            outlet.write(b"x").is_break()
        });
        drop(lane.enter().unwrap().start().await);
        drop(reading);
        assert!(solver.await.unwrap());
    }
}
