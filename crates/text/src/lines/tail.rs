//! A backward scan for the last lines of a text that comes in chunks.
//!
//! The caller feeds chunks from the end towards the front, so the last lines of
//! a file cost the same however long it is.

use memchr::memrchr_iter;

/// A search for the start of the last lines of a text.
#[derive(Clone, Debug)]
pub struct Tail {
    wanted: usize,
    /// The lines whose first byte was seen.
    begun: usize,
    fed: bool,
}

impl Tail {
    /// Starts behind the last byte of a text.
    pub fn new(wanted: usize) -> Self {
        Self { wanted, begun: 0, fed: false }
    }

    /// Looks at the chunk right before those already fed.
    ///
    /// Returns the offset in it where the wanted lines begin, once that is
    /// known. When the front of the text was fed and nothing was returned, the
    /// whole text is wanted.
    pub fn feed(&mut self, chunk: &[u8]) -> Option<usize> {
        if self.wanted == 0 {
            return Some(chunk.len());
        }
        // The very last `\n` ends the last line; it begins none.
        let ends_text = !self.fed;
        self.fed |= !chunk.is_empty();
        let last = chunk.len().saturating_sub(1);
        for at in memrchr_iter(b'\n', chunk) {
            if ends_text && at == last {
                continue;
            }
            self.begun += 1;
            if self.begun == self.wanted {
                return Some(at + 1);
            }
        }
        None
    }

    /// How many lines were found; `front` says that the whole text was fed.
    pub fn lines(&self, front: Front) -> usize {
        match front {
            Front::Reached if self.fed && self.begun < self.wanted => self.begun + 1,
            Front::Reached | Front::NotReached => self.begun,
        }
    }
}

/// Whether a backward scan has seen the first byte of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// Every byte was fed.
    Reached,
    /// There may be more before.
    NotReached,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::{count, split};

    fn last(text: &[u8], wanted: usize, size: usize) -> (usize, usize) {
        let mut tail = Tail::new(wanted);
        let mut end = text.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            if let Some(at) = tail.feed(&text[start..end]) {
                return (start + at, tail.lines(Front::NotReached));
            }
            end = start;
        }
        (0, tail.lines(Front::Reached))
    }

    #[test]
    fn the_last_lines_are_those_a_forward_walk_ends_with() {
        for text in [&b"a\nbb\r\n\nccc\n"[..], b"a\nbb\nccc", b"\n\n\n", b"x", b"", b"\n"] {
            for wanted in 0..6 {
                let skipped = count(text).saturating_sub(wanted);
                let start: usize = split(text).take(skipped).map(|line| line.width()).sum();
                for size in 1..=text.len().max(1) {
                    let found = last(text, wanted, size);
                    assert_eq!(found.0, start, "{text:?} wanted {wanted} size {size}");
                    assert_eq!(found.1, wanted.min(count(text)), "{text:?} wanted {wanted}");
                }
            }
        }
    }
}
