//! The byte pipe to a guest inside a container.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bollard::{container::LogOutput, errors::Error as Fault};
use bytes::{Buf, Bytes};
use futures::Stream;
use tokio::{
    io::{AsyncRead, AsyncWrite, Join, ReadBuf, join},
    process::{Child as Process, ChildStdin, ChildStdout},
};

use crate::pipe::Pipe;

/// By which way the guest is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The socket, and where that cannot be reached the relay.
    Either,
    /// The guest's socket, in a directory that both sides see: the fast way.
    Socket,
    /// A second process inside that copies between its own streams and the socket: the
    /// way through an engine on another machine, or a sandbox that shares no sockets.
    Relay,
}

type Output = Pin<Box<dyn Stream<Item = Result<LogOutput, Fault>> + Send>>;

/// A process that an engine runs inside, as a pipe: what it prints is read, what is
/// written it reads.
pub(crate) struct Attached {
    output: Output,
    input: Pin<Box<dyn AsyncWrite + Send>>,
    /// What was printed and nobody has read yet.
    left: Bytes,
}

impl Attached {
    pub(super) fn new(output: Output, input: Pin<Box<dyn AsyncWrite + Send>>) -> Self {
        Self { output, input, left: Bytes::new() }
    }
}

impl AsyncRead for Attached {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.left.is_empty() {
            match ready!(self.output.as_mut().poll_next(context)) {
                None => return Poll::Ready(Ok(())),
                Some(Err(fault)) => return Poll::Ready(Err(io::Error::other(fault))),
                Some(Ok(LogOutput::StdOut { message } | LogOutput::Console { message })) => {
                    self.left = message;
                }
                // What it complains about is no part of the talk.
                Some(Ok(LogOutput::StdErr { .. } | LogOutput::StdIn { .. })) => {}
            }
        }
        let count = self.left.len().min(to.remaining());
        to.put_slice(self.left.get(..count).unwrap_or_default());
        self.left.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Attached {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.input.as_mut().poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.input.as_mut().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.input.as_mut().poll_shutdown(context)
    }
}

/// A program of this machine as a pipe, which is killed when that is dropped.
pub(crate) type Child = Pipe<Join<ChildStdout, ChildStdin>, Process>;

impl Child {
    /// A program that was started with both streams piped.
    pub(super) fn of(mut child: Process) -> Option<Self> {
        let (output, input) = (child.stdout.take()?, child.stdin.take()?);
        Some(Self::new(join(output, input), child))
    }
}
