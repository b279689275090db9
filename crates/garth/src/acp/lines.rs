//! Lines of a stream, each with its end and of bounded length.

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

/// The longest message that is passed on: images and whole files travel in one.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// How much is read at a time.
const CHUNK: usize = 64 << 10;

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line with its end, or the last one, which may have none.
    Whole(Bytes),
    /// One that is too long to be kept, and was not.
    TooLong(usize),
}

/// The lines of a stream.
#[derive(Debug)]
pub(super) struct Lines<R> {
    read: R,
    buffer: BytesMut,
    /// How much of the buffer has no line's end in it.
    looked: usize,
    /// The length so far of a line that is too long.
    passed: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(read: R) -> Self {
        Self { read, buffer: BytesMut::new(), looked: 0, passed: 0 }
    }

    /// The next line; `None` at the end of the stream.
    ///
    /// # Errors
    /// Those of the stream.
    /// Cancel: what was read is kept.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let fresh = self.buffer.get(self.looked..).unwrap_or_default();
            if let Some(end) = memchr::memchr(b'\n', fresh) {
                let line = self.buffer.split_to(self.looked + end + 1);
                return Ok(Some(self.ended(line)));
            }
            self.looked = self.buffer.len();
            if self.looked > MOST_BYTES {
                self.passed += self.looked;
                self.buffer = BytesMut::new();
                self.looked = 0;
            }
            self.buffer.reserve(CHUNK);
            if self.read.read_buf(&mut self.buffer).await? == 0 {
                let rest = self.buffer.split();
                let nothing = rest.is_empty() && self.passed == 0;
                return Ok(if nothing { None } else { Some(self.ended(rest)) });
            }
        }
    }

    fn ended(&mut self, line: BytesMut) -> Line {
        self.looked = 0;
        match std::mem::take(&mut self.passed) {
            0 if line.len() <= MOST_BYTES => Line::Whole(line.freeze()),
            passed => Line::TooLong(passed + line.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(bytes: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(bytes);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn lines_keep_their_ends() {
        let whole = |text: &'static str| Line::Whole(Bytes::from_static(text.as_bytes()));
        let all = lines(b"a\r\n\n b\nlast").await;
        assert_eq!(all, [whole("a\r\n"), whole("\n"), whole(" b\n"), whole("last")]);
        assert_eq!(lines(b"").await, []);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_counted_and_the_next_one_read() {
        let mut bytes = vec![b'x'; MOST_BYTES + 5];
        bytes.extend(b"\nnext\n");
        let all = lines(&bytes).await;
        assert_eq!(
            all,
            [Line::TooLong(MOST_BYTES + 6), Line::Whole(Bytes::from_static(b"next\n"))]
        );
    }
}
