//! What a byte is, for all that is counted: one row of a table, read once for each byte.

/// How many bytes of each kind a text of a few of them has, in one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Made(pub(super) u64);

/// How many there are in a text, which has no more bytes than eight bits count.
pub(crate) fn made_of(text: &[u8]) -> Made {
    Made(text.iter().map(|byte| row(*byte).made).sum())
}

/// Where each kind is counted.
const DIGITS: u64 = 0;
const LOWER: u64 = 8;
const UPPER: u64 = 16;
const LOW_LINES: u64 = 24;
const EQUALS: u64 = 32;
/// What is neither a letter or a digit nor one of the marks that join words.
const UNPLAIN: u64 = 40;
/// What machines put into no key.
const UNKEYED: u64 = 48;
/// What no name has.
const ODD: u64 = 56;

impl Made {
    pub(crate) fn digits(self) -> usize {
        self.count(DIGITS)
    }

    pub(crate) fn lower(self) -> usize {
        self.count(LOWER)
    }

    pub(crate) fn upper(self) -> usize {
        self.count(UPPER)
    }

    /// Letters and digits.
    pub(crate) fn joined(self) -> usize {
        self.digits() + self.lower() + self.upper()
    }

    pub(crate) fn low_lines(self) -> usize {
        self.count(LOW_LINES)
    }

    pub(crate) fn equals(self) -> usize {
        self.count(EQUALS)
    }

    pub(crate) fn unplain(self) -> usize {
        self.count(UNPLAIN)
    }

    pub(crate) fn unkeyed(self) -> usize {
        self.count(UNKEYED)
    }

    pub(super) fn odd(self) -> usize {
        self.count(ODD)
    }

    fn count(self, place: u64) -> usize {
        usize::try_from(self.0 >> place & 0xff).unwrap_or(usize::MAX)
    }
}

/// What is known of a byte.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Row {
    /// What it adds to what a text is made of.
    pub(super) made: u64,
    /// What it is to words and numbers.
    pub(super) kind: u8,
    /// What it is to those who speak.
    pub(super) sound: u8,
}

pub(super) const MARK: u8 = 0;
pub(super) const DIGIT: u8 = 1;
pub(super) const SMALL: u8 = 2;
pub(super) const CAPITAL: u8 = 3;

/// A letter or none, a consonant or none, small or a capital: a bit each.
pub(super) const LETTER: u8 = 1;
pub(super) const CONSONANT: u8 = 1 << 1;
pub(super) const RAISED: u8 = 1 << 2;

/// The row of a byte.
#[inline(always)]
pub(super) fn row(byte: u8) -> Row {
    // The index is below the length, so nothing is checked here.
    ROWS.get(usize::from(byte)).copied().unwrap_or_default()
}

static ROWS: [Row; 256] = rows();

#[expect(clippy::indexing_slicing, reason = "a byte is below the length of the table")]
const fn rows() -> [Row; 256] {
    let mut rows = [Row { made: 0, kind: MARK, sound: 0 }; 256];
    let mut byte = 0_u8;
    loop {
        rows[byte as usize] = row_of(byte);
        if byte == u8::MAX {
            return rows;
        }
        byte += 1;
    }
}

const fn row_of(byte: u8) -> Row {
    let (lower, upper) = (byte.is_ascii_lowercase(), byte.is_ascii_uppercase());
    let digit = byte.is_ascii_digit();
    let plain = lower || upper || digit || matches!(byte, b'-' | b'_');
    let keyed = plain || matches!(byte, b'.' | b'/' | b'+' | b'=' | b'~' | b':' | b'%' | b'!');
    let named = plain || matches!(byte, b'.' | b'/' | b':' | b' ' | b'@' | b'[' | b']');
    let made = (digit as u64) << DIGITS
        | (lower as u64) << LOWER
        | (upper as u64) << UPPER
        | ((byte == b'_') as u64) << LOW_LINES
        | ((byte == b'=') as u64) << EQUALS
        | (!plain as u64) << UNPLAIN
        | (!keyed as u64) << UNKEYED
        | (!named as u64) << ODD;
    let vowel = matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    let (kind, letter, raised) = match (digit, lower, upper) {
        (true, _, _) => (DIGIT, 0, 0),
        (_, true, _) => (SMALL, LETTER, 0),
        (_, _, true) => (CAPITAL, LETTER, RAISED),
        (false, false, false) => (MARK, 0, 0),
    };
    let consonant = if letter == LETTER && !vowel { CONSONANT } else { 0 };
    Row { made, kind, sound: letter | consonant | raised }
}
