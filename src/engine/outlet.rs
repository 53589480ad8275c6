//! Where a solver puts an answer that goes out while it is still being found.
//!
//! The solver is a thread and the reader a connection that may be slow. Between them is a pipe of fixed size. What is
//! written can be read at once, so nothing waits for a buffer to fill; and a solver whose pipe is full gives its permit
//! back until there is room, so that a reader who stops reading holds up nobody else.

use std::io;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use tokio::io::{AsyncRead, AsyncWriteExt, DuplexStream, ReadBuf, duplex};
use tokio::runtime::Handle;

use super::CancelOnDrop;
use super::lane::Permit;

/// How many bytes may be on their way from a solver to its reader.
const PIPE: usize = 64 * 1024;

/// The end of the pipe that a solver writes to. Belongs into its thread.
#[derive(Debug)]
pub struct Outlet {
    pipe: DuplexStream,
    runtime: Handle,
    /// Always there but while the solver waits for its reader.
    permit: Option<Permit>,
}

impl Outlet {
    /// Both ends of a new pipe, for a solver that holds this permit and stops at this flag.
    pub(super) fn new(permit: Permit, cancel: CancelOnDrop) -> (Self, Reading) {
        let (pipe, reader) = duplex(PIPE);
        (
            Self { pipe, runtime: Handle::current(), permit: Some(permit) },
            Reading { pipe: reader, _cancel: cancel },
        )
    }

    /// Writes all of `bytes`, and waits without a permit while the pipe is full. `Break` when the reader is gone.
    pub fn write(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        let written = match self.pipe.write(bytes).now_or_never() {
            Some(Ok(written)) => written,
            Some(Err(_)) => return ControlFlow::Break(()),
            None => 0,
        };
        if written < bytes.len() {
            let place = self.permit.take().map(Permit::pause);
            let sent = self.runtime.block_on(self.pipe.write_all(&bytes[written..]));
            if let Some(place) = place {
                self.permit = Some(self.runtime.block_on(place.start()));
            }
            if sent.is_err() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// The end of the pipe that is read. It ends when the solver is done; dropping it stops the solver.
#[derive(Debug)]
pub struct Reading {
    pipe: DuplexStream,
    _cancel: CancelOnDrop,
}

impl AsyncRead for Reading {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_read(context, out)
    }
}
