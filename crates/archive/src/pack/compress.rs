//! Compresses an archive on a thread of its own, with others beside it.

use std::{io::Write, num::NonZero, thread};

use bytes::Bytes;
use garth_contract::{Code, Error, Result};
use tokio::sync::mpsc::{Receiver, Sender};
use zstd::stream::write::Encoder;

use super::Piece;

/// One below what `zstd` itself takes: a third less work for some percent more bytes.
const LEVEL: i32 = 2;
/// More threads than this help little, and each takes memory.
const MOST_THREADS: usize = 4;

/// Compresses what comes until its end; what goes wrong goes out as an error.
pub(super) fn compress(mut from: Receiver<Piece>, to: &Sender<Result<Bytes>>) {
    let failed = |_| Error::new(Code::Internal, "the archive could not be compressed");
    let mut compressed = || {
        let mut encoder = Encoder::new(Vec::new(), LEVEL).map_err(failed)?;
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        let threads = u32::try_from(threads).unwrap_or(1);
        encoder.multithread(threads).map_err(failed)?;
        encoder.include_checksum(true).map_err(failed)?;
        loop {
            let Some(piece) = from.blocking_recv() else {
                // Whoever packs is gone without a word.
                return Err(Error::of(Code::Internal));
            };
            match piece {
                Piece::Bytes(bytes) => encoder.write_all(&bytes).map_err(failed)?,
                Piece::Failed(error) => return Err(error),
                Piece::End => return encoder.finish().map_err(failed),
            }
            let ready = std::mem::take(encoder.get_mut());
            if !ready.is_empty() && to.blocking_send(Ok(ready.into())).is_err() {
                return Ok(Vec::new());
            }
        }
    };
    let last = compressed().map(Bytes::from);
    // Nobody listens any more, or this is the last word.
    let _ = to.blocking_send(last);
}
