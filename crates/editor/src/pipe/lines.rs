//! Lines out of a stream of bytes, none longer than a bound.

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is read at once.
const CHUNK: usize = 64 << 10;
/// How much of a line that is too long is kept, to see whose answer it was.
const HEAD: usize = 4 << 10;

/// What was met in the stream.
pub(super) enum Met {
    /// A line without its end.
    Line(Vec<u8>),
    /// The front of a line that is longer than the bound. It is told as soon as that
    /// is known; the rest of it is passed over.
    TooLong(Vec<u8>),
}

/// The lines of a stream.
pub(super) struct Lines<R> {
    reader: R,
    most: usize,
    chunk: Box<[u8]>,
    /// What of the chunk was read and not looked at.
    left: std::ops::Range<usize>,
    line: Vec<u8>,
    passing: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R, most: usize) -> Self {
        let chunk = vec![0; CHUNK].into_boxed_slice();
        Self { reader, most, chunk, left: 0..0, line: Vec::new(), passing: false }
    }

    /// The next line; `None` at the end of the stream. A last line without an end is
    /// none: whoever sent it is gone in the middle of it.
    pub(super) async fn next(&mut self) -> Option<Met> {
        loop {
            if let Some(met) = self.take() {
                return Some(met);
            }
            match self.reader.read(&mut self.chunk).await {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.left = 0..count,
            }
        }
    }

    /// Looks at what was read, up to the end of a line.
    fn take(&mut self) -> Option<Met> {
        while !self.left.is_empty() {
            let chunk = self.chunk.get(self.left.clone()).unwrap_or_default();
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let piece = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            self.left.start += piece.len() + usize::from(end.is_some());
            if self.passing {
                self.passing = end.is_none();
                continue;
            }
            self.line.extend_from_slice(piece);
            if self.line.len() > self.most {
                self.passing = end.is_none();
                let mut head = std::mem::take(&mut self.line);
                head.truncate(HEAD);
                head.shrink_to_fit();
                return Some(Met::TooLong(head));
            }
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                if !line.iter().all(u8::is_ascii_whitespace) {
                    return Some(Met::Line(line));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn met(stream: &[u8], most: usize) -> Vec<(char, String)> {
        let mut lines = Lines::new(stream, most);
        let mut met = Vec::new();
        while let Some(next) = lines.next().await {
            let (kind, bytes) = match next {
                Met::Line(line) => ('=', line),
                Met::TooLong(head) => ('>', head),
            };
            met.push((kind, String::from_utf8(bytes).unwrap()));
        }
        met
    }

    #[tokio::test]
    async fn lines_come_one_by_one_and_a_torn_one_does_not() {
        let want = [('=', "a".to_owned()), ('=', "b c".to_owned())];
        assert_eq!(met(b"a\n\n  \r\nb c\nd", 9).await, want);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_told_once_and_those_after_it_come() {
        let long = "x".repeat(3 * CHUNK);
        let stream = format!("a\n{long}\nb\n12345\n");
        let met = met(stream.as_bytes(), 5).await;
        let kinds: String = met.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, "=>==");
        assert_eq!(met[1].1.len(), HEAD);
        assert_eq!(met[3].1, "12345");
    }
}
