//! The beginning and the end of a stream, kept while it passes.

use bytes::Bytes;
use garth_contract::{Keep, Kept};

/// What a report will hold of one stream; its memory is bounded by what is to be kept.
#[derive(Debug)]
pub(super) struct Excerpt {
    keep: Keep,
    head: Vec<u8>,
    /// The newest bytes after the head; up to twice what is kept, so that moving
    /// them costs little.
    tail: Vec<u8>,
    total: u64,
}

impl Excerpt {
    pub(super) fn new(keep: Keep) -> Self {
        let keep = Keep { head: keep.head.min(Keep::MOST), tail: keep.tail.min(Keep::MOST) };
        Self { keep, head: Vec::new(), tail: Vec::new(), total: 0 }
    }

    /// Takes what the stream brought.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.keep.head.saturating_sub(self.head.len()).min(bytes.len());
        let (head, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.head.extend_from_slice(head);
        let newest = rest.get(rest.len().saturating_sub(self.keep.tail)..).unwrap_or_default();
        if self.tail.len() + newest.len() > 2 * self.keep.tail {
            self.cut();
        }
        self.tail.extend_from_slice(newest);
    }

    /// What is kept of it in the end.
    pub(super) fn finish(mut self) -> Kept {
        self.cut();
        if self.total <= (self.head.len() + self.tail.len()) as u64 {
            self.head.append(&mut self.tail);
        }
        Kept { head: Bytes::from(self.head), tail: Bytes::from(self.tail), total: self.total }
    }

    fn cut(&mut self) {
        let over = self.tail.len().saturating_sub(self.keep.tail);
        self.tail.drain(..over);
    }
}
