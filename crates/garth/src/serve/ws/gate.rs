//! A stream that lets little in until it is known who is at the other end.
//!
//! The protocol's own bound on frames is set once, for callers that were let in; this
//! one stands before it, so that strangers cannot make us keep more than this.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The most bytes that a stranger can send: a frame of 64 KiB and what is around it.
const MOST: usize = (64 << 10) + 64;

/// Whether whoever is at the other end was let in.
#[derive(Clone, Debug)]
pub(crate) struct Door(Arc<AtomicBool>);

impl Door {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicBool::new(false)))
    }

    /// Lets everything through from now on.
    pub(crate) fn open(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_open(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The stream behind a door.
pub(crate) struct Gate<S> {
    stream: S,
    door: Door,
    passed: usize,
}

impl<S> Gate<S> {
    pub(crate) fn new(stream: S, door: Door) -> Self {
        Self { stream, door, passed: 0 }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gate<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.door.is_open() {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        let left = MOST.saturating_sub(self.passed);
        if left == 0 {
            return Poll::Ready(Err(io::Error::other("too much from a stranger")));
        }
        // Copied once more, which strangers do not send enough of to matter.
        let mut small = [0; 4 << 10];
        let most = left.min(buffer.remaining()).min(small.len());
        let mut part = ReadBuf::new(small.get_mut(..most).unwrap_or_default());
        let polled = Pin::new(&mut self.stream).poll_read(context, &mut part);
        buffer.put_slice(part.filled());
        self.passed += part.filled().len();
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gate<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn a_stranger_can_send_little_and_who_was_let_in_everything() {
        let sent = vec![7; MOST * 3];
        let (door, mut got) = (Door::new(), Vec::new());
        let mut gate = Gate::new(&sent[..], door.clone());
        assert!(gate.read_to_end(&mut got).await.is_err());
        assert_eq!(got.len(), MOST);
        door.open();
        gate.read_to_end(&mut got).await.unwrap();
        assert_eq!(got, sent);
    }
}
