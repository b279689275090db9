//! A connection whose client must go on reading: one that takes nothing of what is
//! written to it, for too long, is given up.

use std::{
    future::Future,
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

/// How long a client may take nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection.
pub(crate) struct Patient<S> {
    stream: S,
    /// Runs while a write waits.
    over: Pin<Box<Sleep>>,
    waits: bool,
    patience: Duration,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S) -> Self {
        Self::within(stream, PATIENCE)
    }

    /// The connection alone, for whoever has a patience of its own.
    pub(crate) fn into_inner(self) -> S {
        self.stream
    }

    fn within(stream: S, patience: Duration) -> Self {
        Self { stream, over: Box::pin(tokio::time::sleep(patience)), waits: false, patience }
    }

    fn judge<T>(
        &mut self,
        polled: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.waits = false;
            return polled;
        }
        if !self.waits {
            self.waits = true;
            self.over.as_mut().reset(Instant::now() + self.patience);
        }
        match self.over.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(polled, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.judge(polled, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(polled, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        self.judge(polled, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn a_client_that_takes_nothing_is_given_up() {
        let (ours, mut theirs) = duplex(16);
        let mut patient = Patient::within(ours, Duration::from_millis(20));
        let error = patient.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(theirs.read(&mut [0; 16]).await.is_ok());
    }

    #[tokio::test]
    async fn a_client_that_reads_is_not() {
        let (ours, mut theirs) = duplex(16);
        let reading = tokio::spawn(async move { theirs.read_exact(&mut [0; 64]).await.map(drop) });
        Patient::within(ours, PATIENCE).write_all(&[0; 64]).await.unwrap();
        reading.await.unwrap().unwrap();
    }
}
