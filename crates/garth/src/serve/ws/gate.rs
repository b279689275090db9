//! A stream that lets little in until it is known who is at the other end.
//!
//! The protocol's own bound on frames is set once, for callers that were let in; this
//! one stands before it, so that strangers cannot make us keep more than this. It reads
//! along how long frames are said to be, since room is made for what is announced.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use garth_gateway::{Latest, Moment};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The longest frame of a stranger, in bytes.
const MOST_FRAME: u64 = 64 << 10;
/// The most bytes that a stranger can send: such a frame and what is around it.
const MOST: usize = (64 << 10) + 64;

/// Whether whoever is at the other end was let in, and how much it took so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Door(Arc<Sides>);

#[derive(Debug, Default)]
struct Sides {
    open: AtomicBool,
    taken: AtomicU64,
    arrived: Latest,
}

impl Door {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Lets everything through from now on.
    pub(crate) fn open(&self) {
        self.0.open.store(true, Ordering::Relaxed);
    }

    /// How many bytes were taken by whoever is at the other end.
    pub(crate) fn taken(&self) -> u64 {
        self.0.taken.load(Ordering::Relaxed)
    }

    /// When all that was read was here.
    pub(crate) fn arrived(&self) -> Moment {
        self.0.arrived.get()
    }

    fn is_open(&self) -> bool {
        self.0.open.load(Ordering::Relaxed)
    }
}

/// The stream behind a door.
pub(crate) struct Gate<S> {
    stream: S,
    door: Door,
    passed: usize,
    lengths: Lengths,
}

impl<S> Gate<S> {
    pub(crate) fn new(stream: S, door: Door) -> Self {
        Self { stream, door, passed: 0, lengths: Lengths::default() }
    }
}

/// Tells whether a stream failed because a stranger sent too much.
pub(crate) fn was_too_much(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::FileTooLarge
}

fn too_much() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "too much from a stranger")
}

/// Follows the frames of a stream as far as their lengths.
#[derive(Default)]
struct Lengths {
    /// The head of the next frame, as far as it came.
    head: Vec<u8>,
    /// How much of the frame before is still to come.
    left: u64,
}

impl Lengths {
    /// Follows these bytes; tells whether every frame is short enough.
    fn follow(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            let skip = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
            if skip > 0 {
                self.left -= skip as u64;
                bytes = bytes.get(skip..).unwrap_or_default();
                continue;
            }
            let Some((first, rest)) = bytes.split_first() else { return true };
            self.head.push(*first);
            bytes = rest;
            if let Some(length) = length(&self.head) {
                if length > MOST_FRAME {
                    return false;
                }
                self.left = length;
                self.head.clear();
            }
        }
        true
    }
}

/// The length that the whole head of a frame announces (RFC 6455, 5.2).
fn length(head: &[u8]) -> Option<u64> {
    let second = head.get(1)?;
    let short = second & 0x7f;
    let extended = match short {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    let mask = if second & 0x80 == 0 { 0 } else { 4 };
    if head.len() < 2 + extended + mask {
        return None;
    }
    if extended == 0 {
        return Some(short.into());
    }
    let digits = head.get(2..2 + extended)?;
    Some(digits.iter().fold(0, |length, digit| (length << 8) | u64::from(*digit)))
}

impl<S: AsyncRead + Unpin> AsyncRead for Gate<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.door.is_open() {
            let read = Pin::new(&mut self.stream).poll_read(context, buffer);
            if read.is_ready() {
                self.door.0.arrived.raise(Moment::now());
            }
            return read;
        }
        let left = MOST.saturating_sub(self.passed);
        if left == 0 {
            return Poll::Ready(Err(too_much()));
        }
        // Copied once more, which strangers do not send enough of to matter.
        let mut small = [0; 4 << 10];
        let most = left.min(buffer.remaining()).min(small.len());
        let mut part = ReadBuf::new(small.get_mut(..most).unwrap_or_default());
        let polled = Pin::new(&mut self.stream).poll_read(context, &mut part);
        let came = part.filled();
        self.passed += came.len();
        // A read that fails gives nothing.
        if !self.lengths.follow(came) {
            return Poll::Ready(Err(too_much()));
        }
        buffer.put_slice(came);
        self.door.0.arrived.raise(Moment::now());
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gate<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = written {
            self.door.0.taken.fetch_add(count as u64, Ordering::Relaxed);
        }
        written
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
        // Frames without content.
        let sent = [0x82, 0].repeat(MOST * 3 / 2);
        let (door, mut got) = (Door::new(), Vec::new());
        let mut gate = Gate::new(&sent[..], door.clone());
        assert!(gate.read_to_end(&mut got).await.is_err());
        assert_eq!(got.len(), MOST);
        door.open();
        gate.read_to_end(&mut got).await.unwrap();
        assert_eq!(got, sent);
    }

    #[tokio::test]
    async fn a_stranger_cannot_announce_a_long_frame() {
        for (head, passes) in [
            (&[0x81, 0x7d][..], true),
            (&[0x81, 0xfe, 0xff, 0xff, 1, 2, 3, 4], true),
            (&[0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4], true),
            (&[0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2, 3, 4], false),
            (&[0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4], false),
            (&[0x81, 0x83, 1, 2, 3, 4, 5, 6, 7, 0x81, 0x7f, 0, 0, 0, 0, 1, 0, 0, 0], false),
        ] {
            let mut got = Vec::new();
            let read = Gate::new(head, Door::new()).read_to_end(&mut got).await;
            assert_eq!(read.is_ok(), passes, "{head:?}");
        }
    }
}
