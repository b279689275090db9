//! The archive as it comes in: bounded, and counted.

use std::{future::poll_fn, pin::Pin};

use bytes::Bytes;
use futures_core::Stream;
use garth_contract::{Code, Detail, Error, Result};
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

/// The bytes of an archive, in pieces of any size.
pub type Incoming = Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>;

/// The largest window that is unpacked, as a power of two: 32 MiB. `zstd` goes
/// beyond it only when told `--ultra` or `--long`; a hostile frame asks for more.
const MOST_WINDOW: u32 = 25;
/// How much is unpacked at a time.
const ROOM: usize = 256 << 10;

/// An archive that is read from front to back.
pub(crate) struct Input {
    stream: Incoming,
    bound: u64,
    taken: u64,
}

impl Input {
    pub(crate) fn new(stream: Incoming, bound: u64) -> Self {
        Self { stream, bound, taken: 0 }
    }

    /// How many bytes came so far.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// The next bytes, never none; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            let next = poll_fn(|context| self.stream.as_mut().poll_next(context)).await;
            let Some(bytes) = next.transpose()? else { return Ok(None) };
            self.taken = self.taken.saturating_add(bytes.len() as u64);
            if self.taken > self.bound {
                let limit = Detail::Limit { limit: self.bound, actual: self.taken };
                let error = Error::new(Code::FileTooLarge, "the archive is too large");
                return Err(error.with(limit));
            }
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
    }
}

/// A tape archive, compressed or not.
pub(crate) enum Unpacked {
    Plain(Input),
    Zstd(Box<Unzst>),
}

impl Unpacked {
    pub(crate) fn zstd(input: Input) -> Result<Self> {
        Ok(Self::Zstd(Box::new(Unzst::new(input)?)))
    }

    /// How many bytes of the archive itself came so far.
    pub(crate) fn taken(&self) -> u64 {
        match self {
            Self::Plain(input) => input.taken(),
            Self::Zstd(unzst) => unzst.input.taken(),
        }
    }

    /// The next bytes, never none; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>> {
        match self {
            Self::Plain(input) => input.next().await,
            Self::Zstd(unzst) => unzst.next().await,
        }
    }
}

/// Unpacks what zstd packed.
pub(crate) struct Unzst {
    input: Input,
    chunk: Bytes,
    decoder: Decoder<'static>,
    /// Whether a frame has begun and not ended.
    inside: bool,
    /// Whether more may come without more to come from.
    full: bool,
}

impl Unzst {
    fn new(input: Input) -> Result<Self> {
        let mut decoder = Decoder::new().map_err(|_| Error::of(Code::Internal))?;
        let window = zstd::zstd_safe::DParameter::WindowLogMax(MOST_WINDOW);
        decoder.set_parameter(window).map_err(|_| Error::of(Code::Internal))?;
        Ok(Self { input, chunk: Bytes::new(), decoder, inside: false, full: false })
    }

    async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            if self.chunk.is_empty() && !self.full {
                match self.input.next().await? {
                    Some(chunk) => self.chunk = chunk,
                    None if self.inside => return Err(damaged("it is cut off")),
                    None => return Ok(None),
                }
            }
            let mut room = Vec::with_capacity(ROOM);
            let (taken, hint) = {
                let mut from = InBuffer::around(&self.chunk);
                let mut to = OutBuffer::around(&mut room);
                let hint = self.decoder.run(&mut from, &mut to);
                (from.pos(), hint.map_err(|_| damaged("it is no zstd, or damaged"))?)
            };
            self.chunk = self.chunk.slice(taken..);
            self.inside = hint != 0;
            self.full = room.len() == room.capacity();
            if !room.is_empty() {
                return Ok(Some(room.into()));
            }
        }
    }
}

/// Refuses an archive that is not what it must be.
pub(crate) fn damaged(why: &str) -> Error {
    Error::new(Code::InvalidParams, format!("the archive cannot be read: {why}"))
        .hint("Pack it again; it must be a whole archive of the format that was named.")
}
