//! A zip file laid aside, since its directory stands at its end.
//!
//! It lies in a stage that never lands, cut into files of bounded size.

use bytes::Bytes;
use garth_contract::{Code, Error, Part, Result, Stage, Stamp, WsPath};

use crate::restore::{Input, damaged};

/// How much goes into one file; less than what a workspace lets a file have.
const PIECE: u64 = 1 << 20;
/// How much is read at a time.
const WINDOW: u64 = 256 << 10;

/// An archive that can be read anywhere.
pub(super) struct Spool {
    stage: Box<dyn Stage>,
    pub(super) length: u64,
}

/// What was read last, so that going on costs nothing.
#[derive(Debug, Default)]
pub(super) struct Window {
    start: u64,
    bytes: Bytes,
}

impl Spool {
    /// Lays an archive aside.
    pub(super) async fn fill(stage: Box<dyn Stage>, mut input: Input) -> Result<Self> {
        let mut spool = Self { stage, length: 0 };
        match spool.take_all(&mut input).await {
            Ok(()) => Ok(spool),
            Err(error) => {
                spool.discard().await;
                Err(error)
            }
        }
    }

    async fn take_all(&mut self, input: &mut Input) -> Result<()> {
        let stamp = Stamp { mode: None, modified: None };
        while let Some(mut bytes) = input.next().await? {
            let mut parts = Vec::new();
            while !bytes.is_empty() {
                let within = self.length % PIECE;
                if within == 0 {
                    parts.push(Part::File { path: piece(self.length)?, stamp });
                }
                let room = usize::try_from(PIECE - within).unwrap_or(usize::MAX);
                let bytes = bytes.split_to(room.min(bytes.len()));
                self.length += bytes.len() as u64;
                parts.push(Part::Bytes(bytes));
            }
            let message = "the archive cannot be laid aside in the workspace";
            self.stage.add(parts).await.map_err(|error| Error::new(error.code(), message))?;
        }
        Ok(())
    }

    /// Exactly the bytes of a range.
    ///
    /// # Errors
    /// `INVALID_PARAMS` when the archive has no such bytes.
    pub(super) async fn exact(
        &mut self,
        window: &mut Window,
        start: u64,
        length: u64,
    ) -> Result<Bytes> {
        let beyond = || damaged("something of it lies behind its end");
        let end = start.checked_add(length).filter(|end| *end <= self.length).ok_or_else(beyond)?;
        if let Some(bytes) = window.get(start, length) {
            return Ok(bytes);
        }
        let mut gathered = Vec::new();
        let mut at = start;
        while at < end {
            let bytes = self.some(window, at, end - at).await?;
            if bytes.len() as u64 == length {
                return Ok(bytes);
            }
            at += bytes.len() as u64;
            gathered.extend_from_slice(&bytes);
        }
        Ok(gathered.into())
    }

    /// Some of the bytes from a place on, at least one.
    pub(super) async fn some(
        &mut self,
        window: &mut Window,
        start: u64,
        most: u64,
    ) -> Result<Bytes> {
        if let Some(bytes) = window.from(start, most) {
            return Ok(bytes);
        }
        let within = start % PIECE;
        let bytes = self.stage.read_back(&piece(start)?, within, WINDOW).await?;
        *window = Window { start, bytes };
        window.from(start, most).ok_or_else(|| Error::of(Code::Internal))
    }

    pub(super) async fn discard(self) {
        self.stage.discard().await;
    }
}

impl Window {
    fn get(&self, start: u64, length: u64) -> Option<Bytes> {
        let from = usize::try_from(start.checked_sub(self.start)?).ok()?;
        let to = from.checked_add(usize::try_from(length).ok()?)?;
        (to <= self.bytes.len()).then(|| self.bytes.slice(from..to))
    }

    fn from(&self, start: u64, most: u64) -> Option<Bytes> {
        let from = usize::try_from(start.checked_sub(self.start)?).ok()?;
        let left = self.bytes.len().checked_sub(from).filter(|left| *left > 0)?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Some(self.bytes.slice(from..from + left.min(most)))
    }
}

/// The file that holds a place of the archive.
fn piece(place: u64) -> Result<WsPath> {
    WsPath::from_bytes(format!("piece-{}", place / PIECE).as_bytes())
}
