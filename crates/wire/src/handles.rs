//! File handles as a pipe of bytes: a socket, two pipes, a serial port.
//!
//! A runtime's own socket asks the kernel to be told whenever there is room to
//! write, and is told each time the other side reads: a thread is woken for nothing
//! with every message. Here the kernel is asked only when there was no room.

use std::{
    io::{self, IoSlice},
    os::fd::OwnedFd,
    pin::Pin,
    task::{Context, Poll, ready},
};

use rustix::{
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::{Errno, read, writev},
    net::{Shutdown, shutdown},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::unix::pipe::{Receiver, Sender},
};

/// Two handles, to read from and to write to.
#[derive(Debug)]
pub struct Handles {
    input: Receiver,
    /// The input once more, where the runtime's word for it does not hold.
    in_pieces: Option<OwnedFd>,
    output: OwnedFd,
    /// There while there is no room to write.
    full: Option<Sender>,
}

impl Handles {
    /// A pipe of two handles, which from now on never block.
    ///
    /// # Errors
    /// When one cannot wait for them: they are files, or closed.
    pub fn new(input: OwnedFd, output: OwnedFd) -> io::Result<Self> {
        for end in [&input, &output] {
            fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK)?;
        }
        // Unchecked, since all that counts is that one can wait for it.
        let input = Receiver::from_owned_fd_unchecked(input)?;
        Ok(Self { input, in_pieces: None, output, full: None })
    }

    /// A pipe of one handle that goes both ways.
    ///
    /// # Errors
    /// As for [`Handles::new`].
    pub fn both_ways(socket: OwnedFd) -> io::Result<Self> {
        Self::new(socket.try_clone()?, socket)
    }

    /// A pipe of one handle that goes both ways and whose reads may give less than there
    /// is, as those of a virtual machine's serial port do: one of its buffers each.
    ///
    /// A runtime takes a short read for the last one and would wait for more to come,
    /// which has come already.
    ///
    /// # Errors
    /// As for [`Handles::new`].
    pub fn in_pieces(port: OwnedFd) -> io::Result<Self> {
        let again = port.try_clone()?;
        Ok(Self { in_pieces: Some(again), ..Self::both_ways(port)? })
    }
}

impl AsyncRead for Handles {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(input) = &self.in_pieces {
            match read(input, to.initialize_unfilled()) {
                Ok(count) => {
                    to.advance(count);
                    return Poll::Ready(Ok(()));
                }
                // Then there is nothing, and the runtime says when there is.
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(errno) => return Poll::Ready(Err(errno.into())),
            }
        }
        Pin::new(&mut self.input).poll_read(context, to)
    }
}

impl AsyncWrite for Handles {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        loop {
            if let Some(full) = &mut self.full {
                let count = ready!(Pin::new(full).poll_write_vectored(context, parts))?;
                if count == parts.iter().map(|part| part.len()).sum() {
                    self.full = None;
                }
                return Poll::Ready(Ok(count));
            }
            match writev(&self.output, parts) {
                Ok(count) => return Poll::Ready(Ok(count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let output = self.output.try_clone()?;
                    self.full = Some(Sender::from_owned_fd_unchecked(output)?);
                }
                Err(errno) => return Poll::Ready(Err(errno.into())),
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // What is no socket ends when it is dropped.
        shutdown(&self.output, Shutdown::Write).ok();
        Poll::Ready(Ok(()))
    }
}
