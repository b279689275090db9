//! Counts the words and numbers that a value is made of, byte by byte and hardly with a branch.
//!
//! It is asked of nearly every value, several times, and a text may be full of them.

/// How many words, numbers, letters and digits a value has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::judge) struct Counts {
    pub(in crate::judge) words: usize,
    pub(in crate::judge) numbers: usize,
    pub(in crate::judge) letters: usize,
    pub(in crate::judge) digits: usize,
}

impl Counts {
    /// Whether they are those of words rather than of something random.
    pub(in crate::judge) fn are_wordy(&self) -> bool {
        let Self { words, numbers, letters, digits } = *self;
        let mostly_letters = digits * 2 <= letters && numbers * 2 <= words + 1;
        words > 0 && letters >= words * 3 && mostly_letters
    }
}

/// What a byte is, and what the one before it was.
const MARK: u8 = 0;
const DIGIT: u8 = 1;
const LOWER: u8 = 2;
const UPPER: u8 = 3;
/// A capital behind another.
const CAPITALS: u8 = 4;
/// What no name has: a bit of its own among what a byte can be.
const ODD: u8 = 4;

const LAST: usize = 5;
/// Both, in so many bits each, are the place of a step.
const BITS: u32 = 3;

/// The counts of a value that is made of letters, digits and the marks that join words.
///
/// A word begins behind anything that is no letter, at the hump of `camelCase`, and at the `S` of
/// `HTTPServer`, which shows by the letter behind it.
pub(super) fn count(value: &str) -> Option<Counts> {
    let mut counts = 0_u64;
    let mut last = MARK;
    let mut odd = 0;
    for byte in value.bytes() {
        let kind = KINDS.get(usize::from(byte)).copied().unwrap_or(ODD);
        odd |= kind;
        let place = usize::from(last) << BITS | usize::from(kind);
        // Always below the length, so nothing is checked here.
        let step = STEPS.get(place % STEPS.len())?;
        counts += step.adds;
        last = step.next;
    }
    if odd & ODD != 0 {
        return None;
    }
    let count = |place: u64| usize::try_from(counts >> place & 0xffff).unwrap_or(usize::MAX);
    let [words, numbers, letters, digits] = PLACES.map(count);
    Some(Counts { words, numbers, letters, digits })
}

/// Where words, numbers, letters and digits are counted, in one number: no value that is judged has
/// more of them than sixteen bits hold.
const PLACES: [u64; 4] = [0, 16, 32, 48];

#[derive(Clone, Copy)]
struct Step {
    adds: u64,
    next: u8,
}

static STEPS: [Step; 1 << (2 * BITS)] = steps();

static KINDS: [u8; 256] = kinds(b"-_./: @[]");

#[expect(clippy::indexing_slicing, reason = "both are below the length of the table")]
const fn steps() -> [Step; 1 << (2 * BITS)] {
    let [words, numbers, letters, digits] = PLACES;
    let mut steps = [Step { adds: 0, next: MARK }; 1 << (2 * BITS)];
    let mut last = 0_u8;
    while (last as usize) < LAST {
        let apart = last == MARK || last == DIGIT;
        let number = 1 << digits | ((last != DIGIT) as u64) << numbers;
        let lower = 1 << letters | ((apart || last == CAPITALS) as u64) << words;
        let upper = 1 << letters | ((apart || last == LOWER) as u64) << words;
        let capitals = last == UPPER || last == CAPITALS;
        let row = (last as usize) << BITS;
        steps[row + DIGIT as usize] = Step { adds: number, next: DIGIT };
        steps[row + LOWER as usize] = Step { adds: lower, next: LOWER };
        steps[row + UPPER as usize] =
            Step { adds: upper, next: if capitals { CAPITALS } else { UPPER } };
        last += 1;
    }
    steps
}

#[expect(clippy::indexing_slicing, reason = "a byte is below the length of the table")]
const fn kinds(mut marks: &[u8]) -> [u8; 256] {
    let mut kinds = [ODD; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            _ => ODD,
        };
        byte += 1;
    }
    while let [mark, rest @ ..] = marks {
        kinds[*mark as usize] = MARK;
        marks = rest;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_are_counted() {
        for (value, words, numbers, letters, digits) in [
            ("", 0, 0, 0, 0),
            ("my-service-token", 3, 0, 14, 0),
            ("ClientSecretConfigValue2", 4, 1, 23, 1),
            ("HTTPServer", 2, 0, 10, 0),
            ("a1b22c", 3, 2, 3, 3),
            ("ABC", 1, 0, 3, 0),
            ("[x] @y.z:0", 3, 1, 3, 1),
        ] {
            let counts = Counts { words, numbers, letters, digits };
            assert_eq!(count(value), Some(counts), "{value}");
        }
        for value in ["a+b", "\u{e9}", "pa$$word", "a\n"] {
            assert_eq!(count(value), None, "{value}");
        }
    }
}
