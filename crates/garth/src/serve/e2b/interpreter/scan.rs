//! Takes apart what a kernel prints: text, and the records between it.
//!
//! A record is JSON in frames, each of which begins with a mark that nobody prints by
//! accident: the mark, `+` or `.` for more or the last, four digits of the length, and so
//! many bytes. The kernel runs an agent's code and is not believed: what is no such frame
//! is text.

use memchr::memmem;

/// The first byte of a mark.
const FIRST: u8 = 0x1e;
/// What stands behind the mark: whether there is more, and the length.
const HEAD: usize = 5;
/// The largest record; a kernel of ours makes none that is larger.
const MOST_RECORD: usize = 8 << 20;

/// Something that a kernel said.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// What was printed.
    Text(String),
    /// A record.
    Record(Vec<u8>),
}

/// One stream of a kernel.
pub(super) struct Scan {
    mark: Vec<u8>,
    /// What came and may be part of a frame.
    waiting: Vec<u8>,
    /// What came of a character.
    partial: Vec<u8>,
    /// What came of a record.
    record: Vec<u8>,
}

impl Scan {
    /// A stream whose mark is this text.
    pub(super) fn new(mark: &str) -> Self {
        let mark = [&[FIRST], mark.as_bytes()].concat();
        Self { mark, waiting: Vec::new(), partial: Vec::new(), record: Vec::new() }
    }

    /// Takes what came, and gives what is whole.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Heard> {
        self.waiting.extend_from_slice(bytes);
        let mut heard = Vec::new();
        loop {
            let Some(at) = memmem::find(&self.waiting, &self.mark) else {
                let rest = self.waiting.len() - self.begun();
                self.text(rest, &mut heard);
                return heard;
            };
            self.text(at, &mut heard);
            let Some(frame) = self.waiting.get(self.mark.len()..) else { return heard };
            let Some((head, rest)) = frame.split_at_checked(HEAD) else { return heard };
            let Some((last, length)) = read(head) else {
                // No frame: the mark was printed by a cell.
                self.text(self.mark.len(), &mut heard);
                continue;
            };
            let Some(payload) = rest.get(..length) else { return heard };
            if self.record.len() + length <= MOST_RECORD {
                self.record.extend_from_slice(payload);
            }
            self.waiting.drain(..self.mark.len() + HEAD + length);
            if last {
                heard.push(Heard::Record(std::mem::take(&mut self.record)));
            }
        }
    }

    /// Forgets what came of a record, when some of what was printed is lost.
    pub(super) fn lose(&mut self) {
        self.waiting.clear();
        self.record.clear();
    }

    /// How many of the last bytes may be the begin of a mark.
    fn begun(&self) -> usize {
        let most = self.mark.len().saturating_sub(1).min(self.waiting.len());
        let ends = |count: &usize| {
            self.mark.get(..*count).is_some_and(|start| self.waiting.ends_with(start))
        };
        (1..=most).rev().find(ends).unwrap_or(0)
    }

    /// Gives so many of the first bytes as text; a character that is not whole waits.
    fn text(&mut self, count: usize, heard: &mut Vec<Heard>) {
        self.partial.extend(self.waiting.drain(..count));
        let whole = self.partial.len() - unfinished(&self.partial);
        let bytes: Vec<u8> = self.partial.drain(..whole).collect();
        if !bytes.is_empty() {
            heard.push(Heard::Text(String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
}

/// Whether this is the last frame of a record, and how long it is.
fn read(head: &[u8]) -> Option<(bool, usize)> {
    let (first, digits) = head.split_first()?;
    let last = match first {
        b'.' => true,
        b'+' => false,
        _ => return None,
    };
    let digits = std::str::from_utf8(digits).ok()?;
    Some((last, usize::from_str_radix(digits, 16).ok()?))
}

/// How many of the last bytes are the begin of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.iter().rev().take(3).position(|byte| byte & 0xc0 != 0x80);
    let Some(back) = last.map(|at| at + 1) else { return 0 };
    let lead = bytes.len().checked_sub(back).and_then(|at| bytes.get(at)).copied().unwrap_or(0);
    let length = match lead {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    if length > back { back } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = "0123456789abcdef";

    fn frame(more: char, payload: &str) -> Vec<u8> {
        format!("\x1e{MARK}{more}{:04x}{payload}", payload.len()).into_bytes()
    }

    fn all(bytes: &[u8], step: usize) -> (String, Vec<String>) {
        let (mut scan, mut text, mut records) = (Scan::new(MARK), String::new(), Vec::new());
        for piece in bytes.chunks(step) {
            for heard in scan.take(piece) {
                match heard {
                    Heard::Text(more) => text.push_str(&more),
                    Heard::Record(record) => records.push(String::from_utf8(record).unwrap()),
                }
            }
        }
        (text, records)
    }

    #[test]
    fn records_are_taken_from_between_the_text_however_it_is_cut() {
        let mut bytes = "before ä".as_bytes().to_vec();
        bytes.extend(frame('+', "one "));
        bytes.extend(b"between");
        bytes.extend(frame('.', "record"));
        bytes.extend("\x1e0123 no mark, €".as_bytes());
        bytes.extend(frame('.', "{}"));
        for step in 1..bytes.len() {
            let (text, records) = all(&bytes, step);
            assert_eq!(text, "before äbetween\x1e0123 no mark, €", "{step}");
            assert_eq!(records, ["one record", "{}"], "{step}");
        }
    }

    #[test]
    fn a_mark_that_a_cell_prints_is_text() {
        let printed = format!("\x1e{MARK}?what\x1e{MARK}.zzzz!");
        assert_eq!(all(printed.as_bytes(), 3), (printed, Vec::new()));
    }

    #[test]
    fn what_is_no_text_is_told_as_such_and_holds_nothing_up() {
        assert_eq!(all(b"a\xff\xc3", 1).0, "a\u{fffd}");
        assert_eq!(all(b"\x80\x80\x80\x80x", 5).0, "\u{fffd}\u{fffd}\u{fffd}\u{fffd}x");
    }
}
