//! A text block by block, each byte folded to its class.
//!
//! Letters lose their case, digits and the marks that keywords have stay apart, and all else is one
//! of two. It is done without branches, so that a compiler does many bytes at once.

use std::sync::OnceLock;

/// Bytes that are looked at together.
pub(super) const RUN: usize = 4;

/// So many bytes are folded at a time: a text of a few bytes pays for no more than that.
pub(super) const BLOCK: usize = 1 << 10;

/// A part of a text, folded.
pub(super) struct Block<'b> {
    /// Where it begins in the text.
    pub(super) from: usize,
    /// Its classes, and a run more; a multiple of a run, and nothing where the text has ended.
    pub(super) folded: &'b [u8],
}

/// Gives `take` the blocks of a text, from left to right.
pub(super) fn blocks(bytes: &[u8], mut take: impl FnMut(&Block<'_>)) {
    let mut folded = [0_u8; BLOCK + 2 * RUN];
    for from in (0..bytes.len()).step_by(BLOCK) {
        let rest = bytes.get(from..).unwrap_or_default();
        let len = rest.len().min(BLOCK + RUN);
        for (folded, &byte) in folded.iter_mut().zip(rest.iter().take(len)) {
            *folded = class(byte);
        }
        folded.iter_mut().skip(len).take(2 * RUN).for_each(|class| *class = 0);
        let whole = len.min(BLOCK).next_multiple_of(RUN) + RUN;
        take(&Block { from, folded: folded.get(..whole).unwrap_or_default() });
    }
}

/// The class of a byte; only that of a letter or a digit has the bit [`ALPHANUMERIC`].
#[inline]
pub(super) fn class(byte: u8) -> u8 {
    let lower = byte | 0x20;
    let letter = lower.wrapping_sub(b'a') < 26;
    let digit = byte.wrapping_sub(b'0') < 10;
    let mark = (byte == b'_') | (byte == b'-') | (byte == b'/') | (byte == b'$') | (byte == b':');
    let blank = byte <= b' ';
    let other = if blank { 0 } else { 1 };
    // 0x1f, 0x0d, 0x0f, 0x04 and 0x1a.
    let other = if mark { byte & 0x1f } else { other };
    if letter | digit { lower } else { other }
}

/// The bit that the class of a letter or a digit has, and no other.
pub(super) const ALPHANUMERIC: u8 = 0x20;

/// Every class, and the bytes in it.
pub(super) fn classes() -> &'static [(u8, Vec<u8>)] {
    static CLASSES: OnceLock<Vec<(u8, Vec<u8>)>> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let mut classes: Vec<(u8, Vec<u8>)> = Vec::new();
        for byte in 0..=u8::MAX {
            match classes.iter_mut().find(|(known, _)| *known == class(byte)) {
                Some((_, bytes)) => bytes.push(byte),
                None => classes.push((class(byte), vec![byte])),
            }
        }
        classes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_that_of_both_cases_and_of_nothing_that_a_keyword_has_beside() {
        for byte in 0..=u8::MAX {
            assert_eq!(class(byte), class(byte.to_ascii_uppercase()));
            assert_eq!(class(byte) & ALPHANUMERIC != 0, byte.is_ascii_alphanumeric());
        }
        for (class, bytes) in classes() {
            let marks = bytes.iter().filter(|byte| b"_-/$:".contains(byte)).count();
            let lower = bytes.iter().filter(|byte| !byte.is_ascii_uppercase()).count();
            assert!(lower == 1 || (*class < 2 && marks == 0), "{bytes:?}");
        }
    }

    #[test]
    fn blocks_hold_every_byte_and_a_run_more() {
        for len in [0, 1, 3, 4, 5, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 7] {
            let text: Vec<u8> = (0..len).map(|at| b"abcdefghijklm"[at % 13]).collect();
            let mut seen = 0;
            blocks(&text, |block| {
                assert_eq!(block.from, seen);
                for (at, &folded) in block.folded.iter().enumerate() {
                    assert_eq!(folded, text.get(seen + at).map_or(0, |&byte| class(byte)));
                }
                seen += block.folded.len() - RUN;
            });
            assert!(seen >= len && seen < len + RUN, "{seen} of {len}");
        }
    }
}
