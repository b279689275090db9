//! One stream: whole messages in both directions, and word of the other's end.
//!
//! All of it is polled, since on the asking side whoever waits also moves the pipe.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes, BytesMut};
use futures::{AsyncRead, AsyncWrite};
use yamux::Stream;

use crate::{Fault, MOST_HEAD, Packet, codec::PREAMBLE};

/// How much is read at a time while it is not known how much is to come.
const STEP: usize = 8 << 10;

/// How much room is made ahead for bytes that were announced and have not come.
const AHEAD: usize = 256 << 10;

/// How much may come that nobody has asked for: a word about a running call.
const MOST_UNASKED: usize = 64;

/// A message as it came, not yet understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub(crate) head: Bytes,
    pub(crate) body: Bytes,
}

/// One stream between the asking and the answering side.
#[derive(Debug)]
pub struct Talk {
    stream: Stream,
    /// What came and belongs to no message yet.
    inbox: BytesMut,
    /// The message of which the head has come and the body is coming.
    coming: Option<Coming>,
    ended: bool,
}

#[derive(Debug)]
struct Coming {
    head: Bytes,
    body: Vec<u8>,
    length: usize,
}

impl Talk {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, inbox: BytesMut::new(), coming: None, ended: false }
    }

    /// Sends what is left of a message.
    ///
    /// # Errors
    /// `Gone`.
    pub fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        packet: &mut Packet,
    ) -> Poll<Result<(), Fault>> {
        while let Some(bytes) = packet.next() {
            let count = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
            packet.advance(count);
        }
        Poll::Ready(Ok(()))
    }

    /// Receives the next message, whose body may have so many bytes.
    ///
    /// Memory is taken as bytes come, never for a length that was only named.
    ///
    /// # Errors
    /// `Gone` at the end of the stream, `Malformed` for a message over its bounds.
    pub fn poll_receive(
        &mut self,
        context: &mut Context<'_>,
        most_body: u64,
    ) -> Poll<Result<Frame, Fault>> {
        loop {
            if let Some(coming) = &mut self.coming {
                let wanted = coming.length - coming.body.len();
                if wanted == 0 {
                    let (head, body) =
                        (std::mem::take(&mut coming.head), std::mem::take(&mut coming.body));
                    self.coming = None;
                    return Poll::Ready(Ok(Frame { head, body: body.into() }));
                }
                let ready = self.inbox.split_to(wanted.min(self.inbox.len()));
                coming.body.extend_from_slice(&ready);
                if coming.body.len() < coming.length {
                    ready!(self.poll_body(context))?;
                }
                continue;
            }
            match self.preamble()? {
                Some((head, body)) if self.inbox.len() >= PREAMBLE + head => {
                    if body > most_body {
                        return Poll::Ready(Err(Fault::Malformed("its body is too long")));
                    }
                    self.inbox.advance(PREAMBLE);
                    let head = self.inbox.split_to(head).freeze();
                    let length = usize::try_from(body).map_err(|_| Fault::Gone)?;
                    self.coming = Some(Coming { head, body: Vec::new(), length });
                }
                Some((head, _)) => {
                    let missing = PREAMBLE + head - self.inbox.len();
                    ready!(self.poll_fill(context, missing.clamp(STEP, AHEAD)))?;
                }
                None => ready!(self.poll_fill(context, STEP))?,
            }
        }
    }

    /// Waits for the beginning of the next message: how long its body will be.
    ///
    /// # Errors
    /// `Gone` at the end of the stream, `Malformed` for a head over its bound.
    pub fn poll_length(&mut self, context: &mut Context<'_>) -> Poll<Result<u64, Fault>> {
        loop {
            if let Some((_, body)) = self.preamble()? {
                return Poll::Ready(Ok(body));
            }
            ready!(self.poll_fill(context, STEP))?;
        }
    }

    /// The lengths of head and body, once they have come.
    fn preamble(&self) -> Result<Option<(usize, u64)>, Fault> {
        let Some((head, rest)) = self.inbox.split_first_chunk::<4>() else { return Ok(None) };
        let Some(body) = rest.first_chunk::<8>() else { return Ok(None) };
        let head = usize::try_from(u32::from_le_bytes(*head)).unwrap_or(usize::MAX);
        if head > MOST_HEAD {
            return Err(Fault::Malformed("its head is too long"));
        }
        Ok(Some((head, u64::from_le_bytes(*body))))
    }

    /// Waits for the other side to give this stream up.
    ///
    /// What comes instead is kept for the next message, within bounds; more of it is
    /// no way to use a stream, and counts as its end.
    pub fn poll_gone(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.ended || self.inbox.len() > MOST_UNASKED {
                return Poll::Ready(());
            }
            if ready!(self.poll_fill(context, MOST_UNASKED)).is_err() {
                return Poll::Ready(());
            }
        }
    }

    /// Says that no more will be said.
    pub fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.stream).poll_close(context).map(|_| ())
    }

    /// Throws away what comes until the other side has closed its end as well.
    pub fn poll_drain(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while !self.ended {
            self.inbox.clear();
            if ready!(self.poll_fill(context, AHEAD)).is_err() {
                break;
            }
        }
        Poll::Ready(())
    }

    /// Reads what is there into the inbox; at the end of the stream that is `Gone`.
    fn poll_fill(&mut self, context: &mut Context<'_>, most: usize) -> Poll<Result<(), Fault>> {
        let before = self.inbox.len();
        self.inbox.resize(before + most, 0);
        let room = self.inbox.get_mut(before..).unwrap_or_default();
        let count = Pin::new(&mut self.stream).poll_read(context, room);
        let read = match &count {
            Poll::Ready(Ok(count)) => *count,
            Poll::Ready(Err(_)) | Poll::Pending => 0,
        };
        self.inbox.truncate(before + read);
        self.arrived(&ready!(count))
    }

    /// Reads what is there into the body that is coming.
    fn poll_body(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        let Some(coming) = &mut self.coming else { return Poll::Ready(Ok(())) };
        let before = coming.body.len();
        let most = (coming.length - before).min(AHEAD);
        coming.body.resize(before + most, 0);
        let room = coming.body.get_mut(before..).unwrap_or_default();
        let count = Pin::new(&mut self.stream).poll_read(context, room);
        let read = match &count {
            Poll::Ready(Ok(count)) => *count,
            Poll::Ready(Err(_)) | Poll::Pending => 0,
        };
        coming.body.truncate(before + read);
        self.arrived(&ready!(count))
    }

    fn arrived(&mut self, count: &io::Result<usize>) -> Poll<Result<(), Fault>> {
        match count {
            Ok(1..) => Poll::Ready(Ok(())),
            Ok(0) | Err(_) => {
                self.ended = true;
                Poll::Ready(Err(Fault::Gone))
            }
        }
    }
}
