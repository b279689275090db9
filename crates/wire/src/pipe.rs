//! The pipe under all streams: few and large reads and writes.
//!
//! The multiplexer reads and writes headers of twelve bytes, and flushes after each
//! frame. Here a read takes all that is there, and what is written waits until the
//! multiplexer has nothing more to say, so that a request is one system call and
//! its answer another.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes in both directions, such as a socket or two pipes.
pub trait Duplex: AsyncRead + AsyncWrite + Send + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + 'static> Duplex for T {}

/// How much is read or gathered at a time: what the kernel takes at once.
const ROOM: usize = 64 << 10;

/// The pipe; its clones are the same pipe.
#[derive(Clone)]
pub(crate) struct Pipe(Arc<Mutex<Inner>>);

struct Inner {
    io: Pin<Box<dyn Duplex>>,
    /// Where reads go; from `taken` to `filled`, nobody has had it yet.
    read: Vec<u8>,
    taken: usize,
    filled: usize,
    /// What is to be written; up to `gone` it has been.
    written: Vec<u8>,
    gone: usize,
    arrived: u64,
    cut: bool,
}

impl Pipe {
    pub(crate) fn new(io: Pin<Box<dyn Duplex>>) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            io,
            read: vec![0; ROOM],
            taken: 0,
            filled: 0,
            written: Vec::with_capacity(ROOM),
            gone: 0,
            arrived: 0,
            cut: false,
        })))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many bytes have come so far.
    pub(crate) fn arrived(&self) -> u64 {
        self.inner().arrived
    }

    /// Makes every later read and write fail.
    pub(crate) fn cut(&self) {
        self.inner().cut = true;
    }

    /// Hands what waits to the system, as much as it takes.
    pub(crate) fn poll_write_out(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner().poll_write_out(context)
    }
}

impl Inner {
    fn poll_write_out(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        while self.gone < self.written.len() {
            let rest = self.written.get(self.gone..).unwrap_or_default();
            let count = ready!(self.io.as_mut().poll_write(context, rest))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.gone += count;
        }
        self.written.clear();
        self.gone = 0;
        self.io.as_mut().poll_flush(context)
    }

    /// Takes bytes to be written: copies few, and hands many to the system together
    /// with what waits.
    fn poll_take(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check()?;
        loop {
            let waiting = self.written.get(self.gone..).unwrap_or_default();
            if waiting.len() + bytes.len() <= ROOM {
                self.written.drain(..self.gone);
                self.gone = 0;
                self.written.extend_from_slice(bytes);
                return Poll::Ready(Ok(bytes.len()));
            }
            let parts = [IoSlice::new(waiting), IoSlice::new(bytes)];
            let count = ready!(self.io.as_mut().poll_write_vectored(context, &parts))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            let waited = self.written.len() - self.gone;
            if count < waited {
                self.gone += count;
                continue;
            }
            self.written.clear();
            self.gone = 0;
            if count > waited {
                return Poll::Ready(Ok(count - waited));
            }
        }
    }

    fn poll_give(&mut self, context: &mut Context<'_>, to: &mut [u8]) -> Poll<io::Result<usize>> {
        self.check()?;
        if self.taken == self.filled {
            let straight = to.len() >= ROOM;
            let mut room = ReadBuf::new(if straight { &mut *to } else { &mut self.read });
            ready!(self.io.as_mut().poll_read(context, &mut room))?;
            let count = room.filled().len();
            self.arrived += count as u64;
            if straight {
                return Poll::Ready(Ok(count));
            }
            self.taken = 0;
            self.filled = count;
        }
        let left = self.read.get(self.taken..self.filled).unwrap_or_default();
        let count = left.len().min(to.len());
        if let (Some(to), Some(left)) = (to.get_mut(..count), left.get(..count)) {
            to.copy_from_slice(left);
        }
        self.taken += count;
        Poll::Ready(Ok(count))
    }

    fn check(&self) -> io::Result<()> {
        if self.cut { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
    }
}

impl futures::AsyncRead for Pipe {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        self.inner().poll_give(context, to)
    }
}

impl futures::AsyncWrite for Pipe {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.inner().poll_take(context, bytes)
    }

    /// Does nothing: whoever drives the multiplexer writes out once it is done.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut inner = self.inner();
        ready!(inner.poll_write_out(context))?;
        inner.io.as_mut().poll_shutdown(context)
    }
}
