//! A forward scan for a window of lines over a text that comes in chunks.
//!
//! The caller feeds chunks in order and keeps what it is told to keep. It may
//! stop as soon as the scan is done: that is what makes the first lines of a
//! huge file cost no more than those of a small one.

use std::ops::Range;

use memchr::memchr_iter;

use super::Span;

/// A search for the lines after `skip`, at most `take` of them.
#[derive(Clone, Debug)]
pub struct Scan {
    skip: usize,
    end: usize,
    /// The lines whose ending was seen, up to the end of the window.
    ended: usize,
    /// The bytes seen so far stop inside a line.
    open: bool,
    more: bool,
}

/// What one chunk contributed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fed {
    /// The part of the chunk that belongs to the window.
    pub wanted: Range<usize>,
    /// Whether everything about the window is known; feeding more is useless.
    pub done: bool,
}

impl Scan {
    /// Starts before the first byte of a text.
    pub fn new(skip: usize, take: usize) -> Self {
        Self { skip, end: skip.saturating_add(take), ended: 0, open: false, more: false }
    }

    /// Looks at the next chunk.
    pub fn feed(&mut self, chunk: &[u8]) -> Fed {
        if self.more || chunk.is_empty() {
            return Fed { wanted: 0..0, done: self.more };
        }
        let start = self.advance(chunk, 0, self.skip);
        let stop = self.advance(chunk, start, self.end);
        if self.ended == self.end && stop < chunk.len() {
            self.more = true;
            self.open = false;
        } else {
            self.open = chunk.last() != Some(&b'\n');
        }
        Fed { wanted: start..stop, done: self.more }
    }

    /// Ends the scan: either it was done or the text has no more bytes.
    pub fn finish(self) -> Span {
        let seen = self.ended + usize::from(self.open);
        Span {
            first: self.skip.saturating_add(1),
            lines: seen.saturating_sub(self.skip),
            more: self.more,
            total: (!self.more).then_some(seen),
        }
    }

    /// Moves past endings until `goal` lines have ended; returns the offset
    /// right after the last ending passed, or the end of the chunk.
    fn advance(&mut self, chunk: &[u8], from: usize, goal: usize) -> usize {
        if self.ended >= goal {
            return from;
        }
        for at in memchr_iter(b'\n', chunk.get(from..).unwrap_or_default()) {
            self.ended += 1;
            if self.ended == goal {
                return from + at + 1;
            }
        }
        chunk.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::{split, window};

    fn in_chunks(text: &[u8], size: usize, skip: usize, take: usize) -> (Vec<u8>, Span) {
        let mut scan = Scan::new(skip, take);
        let mut kept = Vec::new();
        for chunk in text.chunks(size) {
            let fed = scan.feed(chunk);
            kept.extend_from_slice(&chunk[fed.wanted]);
            if fed.done {
                break;
            }
        }
        (kept, scan.finish())
    }

    #[test]
    fn chunk_borders_change_nothing() {
        let text = b"one\r\ntwo\n\nthree\nfour\r\nlast";
        for size in 1..=text.len() {
            for skip in 0..8 {
                for take in 0..8 {
                    let whole = window(text, skip, take);
                    let (kept, span) = in_chunks(text, size, skip, take);
                    assert_eq!(kept, &text[whole.range], "size {size} skip {skip} take {take}");
                    assert_eq!(span, whole.span, "size {size} skip {skip} take {take}");
                }
            }
        }
    }

    #[test]
    fn the_window_is_what_walking_over_the_lines_gives() {
        let text = b"a\nb\n\nc\r\nd";
        for skip in 0..7 {
            for take in 0..7 {
                let naive: Vec<u8> = split(text)
                    .skip(skip)
                    .take(take)
                    .flat_map(|line| [line.text, line.ending].concat())
                    .collect();
                assert_eq!(in_chunks(text, 2, skip, take).0, naive, "skip {skip} take {take}");
            }
        }
    }

    #[test]
    fn the_scan_is_done_right_after_the_window() {
        let mut scan = Scan::new(0, 1);
        assert_eq!(scan.feed(b"a\n"), Fed { wanted: 0..2, done: false });
        assert_eq!(scan.feed(b"b"), Fed { wanted: 0..0, done: true });
        assert_eq!(scan.feed(b"never looked at\n"), Fed { wanted: 0..0, done: true });
    }

    #[test]
    fn huge_requests_do_not_overflow() {
        let span = window(b"a\nb", usize::MAX, usize::MAX).span;
        assert_eq!(span, Span { first: usize::MAX, lines: 0, more: false, total: Some(2) });
    }
}
