//! What a WebSocket is spoken on.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::{Buf, Bytes};
use hyper::upgrade::{Parts, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use crate::serve::http::patient::Patient;

/// A connection that is no longer HTTP's.
pub(super) enum Stream {
    /// As it came from the network, and what was read of it with its last request.
    Bare { before: Bytes, stream: TcpStream },
    /// With something in between, such as TLS.
    Wrapped(TokioIo<Upgraded>),
}

/// A connection that no thread has yet.
pub(super) enum Loose {
    Bare { before: Bytes, stream: std::net::TcpStream },
    Wrapped(Upgraded),
}

impl Loose {
    /// Takes a connection from the thread that has it, where that can be done.
    pub(super) fn of(upgraded: Upgraded) -> io::Result<Self> {
        match upgraded.downcast::<TokioIo<Patient<TcpStream>>>() {
            Ok(Parts { io, read_buf, .. }) => {
                let stream = io.into_inner().into_inner().into_std()?;
                Ok(Self::Bare { before: read_buf, stream })
            }
            Err(upgraded) => Ok(Self::Wrapped(upgraded)),
        }
    }

    /// Whether nothing is in between.
    pub(super) fn is_bare(&self) -> bool {
        match self {
            Self::Bare { .. } => true,
            Self::Wrapped(_) => false,
        }
    }

    /// Gives it to the thread that calls.
    pub(super) fn settle(self) -> io::Result<Stream> {
        Ok(match self {
            Self::Bare { before, stream } => {
                Stream::Bare { before, stream: TcpStream::from_std(stream)? }
            }
            Self::Wrapped(upgraded) => Stream::Wrapped(TokioIo::new(upgraded)),
        })
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Bare { before, .. } if !before.is_empty() => {
                let count = before.len().min(buffer.remaining());
                buffer.put_slice(before.get(..count).unwrap_or_default());
                before.advance(count);
                Poll::Ready(Ok(()))
            }
            Self::Bare { stream, .. } => Pin::new(stream).poll_read(context, buffer),
            Self::Wrapped(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Bare { stream, .. } => Pin::new(stream).poll_write(context, bytes),
            Self::Wrapped(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Bare { stream, .. } => Pin::new(stream).poll_flush(context),
            Self::Wrapped(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Bare { stream, .. } => Pin::new(stream).poll_shutdown(context),
            Self::Wrapped(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
