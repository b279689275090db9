//! Buffers that go round: what was taken of an archive makes room for what comes.
//!
//! A stretch is some hundred kilobytes, and memory of that size goes back to the
//! system when it is let go and comes back page by page; for a tree of small files
//! that took as long as to copy them. So a stretch gives its buffer back, wherever
//! its bytes went, and the packing keeps no more of them than it has under way.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

/// How many buffers are kept: as many as can be under way, read or waiting.
const MOST_KEPT: usize = super::AHEAD + super::WAITING;
/// A buffer has room for most stretches, so that it fits wherever it is taken next.
pub(super) const LEAST_ROOM: usize = 1 << 20;
/// A buffer that grew beyond this is not kept: one odd stretch would be had for ever.
const MOST_ROOM: usize = 2 << 20;

/// The buffers of one packing that nobody uses.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    unused: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Room {
    /// An empty buffer with room for so many bytes.
    pub(super) fn take(&self, size: usize) -> Vec<u8> {
        // One that is too small is let go: to let it grow would copy what it had.
        let buffer = self.unused().pop().filter(|buffer| buffer.capacity() >= size);
        buffer.unwrap_or_else(|| Vec::with_capacity(size.max(LEAST_ROOM)))
    }

    /// Makes bytes of a buffer, which comes back once nobody has them any more.
    pub(super) fn lend(&self, buffer: Vec<u8>) -> Bytes {
        Bytes::from_owner(Lent { buffer, room: self.clone() })
    }

    fn put(&self, mut buffer: Vec<u8>) {
        let mut unused = self.unused();
        if unused.len() < MOST_KEPT && buffer.capacity() <= MOST_ROOM {
            buffer.clear();
            unused.push(buffer);
        }
    }

    fn unused(&self) -> std::sync::MutexGuard<'_, Vec<Vec<u8>>> {
        self.unused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A buffer under way.
struct Lent {
    buffer: Vec<u8>,
    room: Room,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.buffer
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.room.put(std::mem::take(&mut self.buffer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_empty_when_its_bytes_are_gone() {
        let room = Room::default();
        let mut buffer = room.take(1000);
        buffer.extend_from_slice(b"of before");
        let at = buffer.as_ptr();
        let bytes = room.lend(buffer);
        let part = bytes.slice(3..);
        drop(bytes);
        let other = room.take(1000);
        assert_ne!(other.as_ptr(), at, "somebody has a part of it");
        drop(part);
        let again = room.take(1000);
        assert_eq!((again.as_ptr(), again.len()), (at, 0));
    }

    #[test]
    fn no_more_is_kept_than_is_under_way() {
        let room = Room::default();
        let lent: Vec<_> = (0..100).map(|_| room.lend(room.take(10))).collect();
        drop(lent);
        assert_eq!(room.unused().len(), MOST_KEPT);
        drop(room.lend(Vec::with_capacity(MOST_ROOM + 1)));
        room.unused().clear();
        drop(room.lend(Vec::with_capacity(MOST_ROOM + 1)));
        assert_eq!(room.unused().len(), 0, "an odd one is not kept");
    }
}
