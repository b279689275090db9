//! What one process printed, both streams in the order in which they came.
//!
//! The newest bytes are in memory, older ones in blocks of the [`Store`]; the
//! oldest are dropped when there are too many. Within a block the bytes of one
//! stream in a row are a record: two bytes that say the stream and the length, and
//! then the bytes. So a position is found by its block and a walk over the
//! records of that one block, and the memory for it does not grow with what is
//! printed.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;
use garth_contract::{Code, Detail, Error, Piece, Result, Stream};

use super::store::{BLOCK, Block, Store};

/// What is in memory of a process that has ended is at most this; the rest is in
/// the store. Most commands print less and never touch it.
const RESTING: usize = 8 << 10;

/// The bytes in front of a record.
const HEADER: usize = 2;
/// The most bytes in a record: 15 bits for one less.
const RECORD: usize = 1 << 15;

/// The output of one process.
#[derive(Debug)]
pub(super) struct Spool {
    store: Arc<Store>,
    most: usize,
    blocks: VecDeque<Stored>,
    recent: Recent,
    total: u64,
}

/// A block in the store.
#[derive(Clone, Debug)]
struct Stored {
    start: u64,
    block: Arc<Block>,
    length: usize,
}

/// The records that are not yet in the store.
#[derive(Debug, Default)]
struct Recent {
    start: u64,
    records: Vec<u8>,
    /// Where the last record begins, and whose it is.
    last: Option<(usize, Stream)>,
}

/// A part of the output that is still to be read from where it is.
#[derive(Debug)]
pub(super) struct Part {
    /// The position of its first byte.
    pub(super) start: u64,
    /// How many bytes were asked for before it and are dropped.
    pub(super) missing: u64,
    /// How many bytes there are in all.
    pub(super) total: u64,
    stored: Vec<Stored>,
    recent: Option<(u64, Vec<u8>)>,
    most: usize,
}

impl Spool {
    /// An empty one that keeps about so many bytes.
    pub(super) fn new(store: Arc<Store>, bytes: u64) -> Self {
        let blocks = usize::try_from(bytes).unwrap_or(usize::MAX) / BLOCK;
        // The records in memory count as one.
        let most = blocks.saturating_sub(1).max(1);
        Self { store, most, blocks: VecDeque::new(), recent: Recent::default(), total: 0 }
    }

    /// How many bytes were printed.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Whether giving up its stored blocks would free any.
    pub(super) fn is_stored(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Adds what a stream brought; `make_room` frees blocks of others, if it can.
    pub(super) fn add(&mut self, stream: Stream, mut bytes: &[u8], make_room: &dyn Fn() -> bool) {
        while !bytes.is_empty() {
            let taken = self.recent.add(stream, bytes);
            self.total += taken as u64;
            bytes = bytes.get(taken..).unwrap_or_default();
            if taken == 0 {
                self.put_away(make_room);
            }
        }
    }

    /// Frees what memory it can; nothing more is added.
    pub(super) fn rest(&mut self, make_room: &dyn Fn() -> bool) {
        if self.recent.records.len() > RESTING {
            self.put_away(make_room);
        }
        self.recent.records.shrink_to_fit();
    }

    /// Drops all that is in the store.
    pub(super) fn drop_stored(&mut self) {
        self.blocks.clear();
    }

    /// Moves the recent records to the store, where the oldest may have to go.
    fn put_away(&mut self, make_room: &dyn Fn() -> bool) {
        let recent = std::mem::replace(
            &mut self.recent,
            Recent { start: self.total, records: Vec::new(), last: None },
        );
        if self.blocks.len() >= self.most {
            self.blocks.pop_front();
        }
        let block = loop {
            if let Some(block) = self.store.put(&recent.records) {
                break Some(block);
            }
            if !make_room() && self.blocks.pop_front().is_none() {
                break None;
            }
        };
        match block {
            Some(block) => {
                let length = recent.records.len();
                self.blocks.push_back(Stored {
                    start: recent.start,
                    block: Arc::new(block),
                    length,
                });
            }
            // What is kept has no gaps, so all that was before is given up too.
            None => self.blocks.clear(),
        }
        // The memory of the block is used again.
        self.recent.records = recent.records;
        self.recent.records.clear();
    }

    /// The part from a position on, of at most so many bytes.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a position beyond what was printed.
    pub(super) fn part(&self, from: u64, most: usize) -> Result<Part> {
        if from > self.total {
            let message = format!("position {from} is beyond what was printed");
            let limit = Detail::Limit { limit: self.total, actual: from };
            return Err(Error::new(Code::InvalidParams, message).with(limit));
        }
        let oldest = self.blocks.front().map_or(self.recent.start, |stored| stored.start);
        let start = from.max(oldest);
        let end = start.saturating_add(most as u64);
        let after = self.blocks.partition_point(|stored| stored.start <= start);
        let stored = self.blocks.range(after.saturating_sub(1)..);
        let wanted = |stored: &&Stored| stored.start < end && start < self.recent.start;
        let stored = stored.take_while(wanted).cloned().collect();
        let recent = (end > self.recent.start && start < self.total)
            .then(|| (self.recent.start, self.recent.records.clone()));
        let (missing, total) = (start - from, self.total);
        Ok(Part { start, missing, total, stored, recent, most })
    }
}

impl Recent {
    /// Takes as many bytes as there is room for in a block.
    fn add(&mut self, stream: Stream, bytes: &[u8]) -> usize {
        let room = BLOCK.saturating_sub(self.records.len());
        match self.last {
            Some((at, of)) if of == stream => {
                let length = self.records.len() - at - HEADER;
                let taken = bytes.len().min(room).min(RECORD - length);
                if taken > 0 {
                    self.append(at, stream, bytes.get(..taken).unwrap_or_default());
                    return taken;
                }
            }
            Some(_) | None => {}
        }
        let taken = bytes.len().min(room.saturating_sub(HEADER)).min(RECORD);
        if taken > 0 {
            let at = self.records.len();
            self.records.extend_from_slice(&[0; HEADER]);
            self.append(at, stream, bytes.get(..taken).unwrap_or_default());
        }
        taken
    }

    /// Adds bytes to the record that begins at `at`, the last.
    fn append(&mut self, at: usize, stream: Stream, bytes: &[u8]) {
        self.records.extend_from_slice(bytes);
        let length = self.records.len() - at - HEADER;
        let header = header(stream, length);
        if let Some(place) = self.records.get_mut(at..at + HEADER) {
            place.copy_from_slice(&header);
        }
        self.last = Some((at, stream));
    }
}

fn header(stream: Stream, length: usize) -> [u8; HEADER] {
    let stream = match stream {
        Stream::Stdout => 0,
        Stream::Stderr => 1 << 15,
    };
    (u16::try_from(length.saturating_sub(1)).unwrap_or(0) | stream).to_le_bytes()
}

/// Splits the first record off.
fn record(records: &[u8]) -> Option<(Stream, &[u8], &[u8])> {
    let (header, rest) = records.split_first_chunk::<HEADER>()?;
    let header = u16::from_le_bytes(*header);
    let stream = if header >> 15 == 0 { Stream::Stdout } else { Stream::Stderr };
    let (bytes, rest) = rest.split_at_checked(usize::from(header & 0x7fff) + 1)?;
    Some((stream, bytes, rest))
}

impl Part {
    /// Whether there is nothing in it yet.
    pub(super) fn is_empty(&self) -> bool {
        self.start == self.total
    }

    /// Whether it has to be read from the store, which may take a moment.
    pub(super) fn is_stored(&self) -> bool {
        !self.stored.is_empty()
    }

    /// Reads it.
    pub(super) fn read(&self) -> Result<Vec<Piece>> {
        let mut gathered = Gathered { at: self.start, left: self.most, pieces: Vec::new() };
        let mut buffer = Vec::new();
        for stored in &self.stored {
            buffer.resize(stored.length, 0);
            stored.block.read(&mut buffer)?;
            gathered.take(stored.start, &buffer);
        }
        if let Some((start, records)) = &self.recent {
            gathered.take(*start, records);
        }
        let pieces = gathered.pieces.into_iter();
        Ok(pieces.map(|(stream, bytes)| Piece { stream, bytes: Bytes::from(bytes) }).collect())
    }
}

/// Pieces in the making.
struct Gathered {
    at: u64,
    left: usize,
    pieces: Vec<(Stream, Vec<u8>)>,
}

impl Gathered {
    /// Takes what is wanted of records whose first byte is at a position.
    fn take(&mut self, mut position: u64, mut records: &[u8]) {
        while let Some((stream, bytes, rest)) = record(records) {
            records = rest;
            let skip = usize::try_from(self.at.saturating_sub(position)).unwrap_or(usize::MAX);
            position += bytes.len() as u64;
            let wanted = bytes.get(skip..).unwrap_or_default();
            let wanted = wanted.get(..self.left).unwrap_or(wanted);
            if wanted.is_empty() {
                continue;
            }
            self.at += wanted.len() as u64;
            self.left -= wanted.len();
            match self.pieces.last_mut() {
                Some((last, piece)) if *last == stream => piece.extend_from_slice(wanted),
                Some(_) | None => self.pieces.push((stream, wanted.to_vec())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spool(blocks: usize, each: usize) -> (tempfile::TempDir, Spool) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("spool"), (blocks * BLOCK) as u64).unwrap();
        (dir, Spool::new(store, (each * BLOCK) as u64))
    }

    fn read(spool: &Spool, from: u64) -> (u64, Vec<u8>) {
        let part = spool.part(from, usize::MAX).unwrap();
        let pieces = part.read().unwrap();
        (part.missing, pieces.iter().flat_map(|piece| piece.bytes.to_vec()).collect())
    }

    #[test]
    fn without_room_only_the_newest_is_kept() {
        let (_dir, mut spool) = spool(0, 8);
        let bytes: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        for piece in bytes.chunks(10_000) {
            spool.add(Stream::Stdout, piece, &|| false);
        }
        let (missing, kept) = read(&spool, 0);
        assert!(kept.len() <= BLOCK && !kept.is_empty());
        let missing = usize::try_from(missing).unwrap();
        assert_eq!(missing + kept.len(), bytes.len());
        assert_eq!(kept, bytes[missing..]);
    }

    #[test]
    fn room_that_others_make_is_used() {
        let (_dir, mut spool) = spool(1, 8);
        let taken = std::sync::Mutex::new(spool.store.put(b"of another"));
        let make_room = || taken.lock().unwrap().take().is_some();
        spool.add(Stream::Stdout, &vec![b'x'; 100_000], &make_room);
        assert_eq!(read(&spool, 0), (0, vec![b'x'; 100_000]));
    }

    #[test]
    fn streams_that_take_turns_are_told_apart_across_blocks() {
        let (_dir, mut spool) = spool(100, 100);
        let mut expected = Vec::new();
        for at in 0..50_000_u32 {
            let stream = if at % 2 == 0 { Stream::Stdout } else { Stream::Stderr };
            let text = format!("{at};");
            expected.push((stream, text.clone().into_bytes()));
            spool.add(stream, text.as_bytes(), &|| false);
        }
        let pieces = spool.part(0, usize::MAX).unwrap().read().unwrap();
        let pieces: Vec<_> =
            pieces.into_iter().map(|piece| (piece.stream, piece.bytes.to_vec())).collect();
        assert_eq!(pieces, expected);
    }

    #[test]
    fn what_rests_takes_little_memory_and_can_be_read() {
        let (_dir, mut spool) = spool(4, 4);
        spool.add(Stream::Stderr, &[b'x'; 60_000], &|| false);
        spool.rest(&|| false);
        assert_eq!((spool.recent.records.capacity(), spool.blocks.len()), (0, 1));
        assert_eq!(read(&spool, 59_990), (0, vec![b'x'; 10]));
    }
}
