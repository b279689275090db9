//! Text folded for comparison: typography to ASCII, `\r\n` to `\n`.
//!
//! A folded text remembers where its bytes came from, so that a match in it is
//! a range of the original. Each original character folds as a whole: no match
//! can begin or end inside one.

use std::ops::RangeInclusive;

use memchr::memchr_iter;

/// Typographic characters and the plain one that stands for them in source
/// code. Nothing here is a letter, a digit, or invisible: folding must not make
/// two different identifiers equal.
const PLAIN: [(RangeInclusive<char>, u8); 9] = [
    ('\u{00A0}'..='\u{00A0}', b' '),
    ('\u{2000}'..='\u{200A}', b' '),
    ('\u{202F}'..='\u{202F}', b' '),
    ('\u{205F}'..='\u{205F}', b' '),
    ('\u{3000}'..='\u{3000}', b' '),
    ('\u{2010}'..='\u{2015}', b'-'),
    ('\u{2212}'..='\u{2212}', b'-'),
    ('\u{2018}'..='\u{201B}', b'\''),
    ('\u{201C}'..='\u{201F}', b'"'),
];

/// Three dots fold to the ellipsis and not the other way round, so that a
/// search for two dots finds nothing inside it. Both have three bytes.
const ELLIPSIS: &[u8] = "…".as_bytes();

/// A folded text with the way back.
pub(crate) struct Folded {
    /// The folded bytes.
    pub(crate) bytes: Vec<u8>,
    /// Where the distance between the two texts changes, in order.
    steps: Vec<Step>,
}

struct Step {
    folded: usize,
    original: usize,
}

impl Folded {
    /// The offset in the original of a character border in the folded text.
    /// The border before a folded `\n` is the one before its whole `\r\n`.
    pub(crate) fn original(&self, at: usize) -> usize {
        let passed = self.steps.partition_point(|step| step.folded <= at);
        match passed.checked_sub(1).and_then(|last| self.steps.get(last)) {
            Some(step) => step.original + (at - step.folded),
            None => at,
        }
    }
}

/// Folds `\r\n` to `\n` and nothing else.
pub(crate) fn endings(text: &[u8]) -> Folded {
    let mut folded = Folded { bytes: Vec::with_capacity(text.len()), steps: Vec::new() };
    let mut from = 0;
    for at in memchr_iter(b'\r', text) {
        if text.get(at + 1) != Some(&b'\n') {
            continue;
        }
        folded.bytes.extend_from_slice(text.get(from..at).unwrap_or_default());
        folded.bytes.push(b'\n');
        folded.steps.push(Step { folded: folded.bytes.len(), original: at + 2 });
        from = at + 2;
    }
    folded.bytes.extend_from_slice(text.get(from..).unwrap_or_default());
    folded
}

/// Folds `\r\n` to `\n` and typography to what a keyboard has.
pub(crate) fn typography(text: &[u8]) -> Folded {
    let mut folded = Folded { bytes: Vec::with_capacity(text.len()), steps: Vec::new() };
    let mut at = 0;
    let mut from = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some((plain, width)) = fold_front(rest) else {
            at += 1;
            continue;
        };
        folded.bytes.extend_from_slice(text.get(from..at).unwrap_or_default());
        folded.bytes.extend_from_slice(plain.as_slice());
        at += width;
        from = at;
        if plain.as_slice().len() != width {
            folded.steps.push(Step { folded: folded.bytes.len(), original: at });
        }
    }
    folded.bytes.extend_from_slice(text.get(from..).unwrap_or_default());
    folded
}

/// Which white space a comparison of whole lines leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ignore {
    /// What stands at the end of the line.
    Trailing,
    /// What stands at both ends, and how much of it stands in between.
    Amount,
}

/// Writes the form in which a line is compared into `form`: typography folded,
/// white space left out as asked.
pub(crate) fn canonical(line: &[u8], ignore: Ignore, form: &mut Vec<u8>) {
    form.clear();
    let mut solid = 0;
    let mut at = 0;
    while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
        let (plain, width) = fold_front(rest).unwrap_or((Plain::of(rest), 1));
        at += width;
        match (plain.as_slice(), ignore) {
            (b" " | b"\t" | b"\x0B" | b"\x0C", Ignore::Amount) => {
                if solid > 0 && form.len() == solid {
                    form.push(b' ');
                }
            }
            (space @ (b" " | b"\t" | b"\x0B" | b"\x0C"), Ignore::Trailing) => {
                form.extend_from_slice(space);
            }
            (text, Ignore::Amount | Ignore::Trailing) => {
                form.extend_from_slice(text);
                solid = form.len();
            }
        }
    }
    form.truncate(solid);
}

/// Splits a line into its indentation and the rest.
pub(crate) fn indentation(line: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    while let Some(rest) = line.get(at..) {
        match (rest.first(), fold_front(rest)) {
            (Some(b' ' | b'\t'), _) => at += 1,
            (_, Some((Plain::Byte([b' ']), width))) => at += width,
            _ => break,
        }
    }
    line.split_at_checked(at).unwrap_or((b"", line))
}

/// What one original character became.
enum Plain {
    Byte([u8; 1]),
    Ellipsis,
}

impl Plain {
    /// The first byte of a text, as it is.
    fn of(rest: &[u8]) -> Self {
        Self::Byte([rest.first().copied().unwrap_or_default()])
    }

    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Byte(byte) => byte,
            Self::Ellipsis => ELLIPSIS,
        }
    }
}

/// Folds the character at the front of a text, if it is one that folds.
fn fold_front(rest: &[u8]) -> Option<(Plain, usize)> {
    let width = match rest.first()? {
        b'\r' if rest.get(1) == Some(&b'\n') => return Some((Plain::Byte(*b"\n"), 2)),
        b'.' if rest.starts_with(b"...") => return Some((Plain::Ellipsis, 3)),
        0xC2 => 2,
        0xE2 | 0xE3 => 3,
        _ => return None,
    };
    let character = std::str::from_utf8(rest.get(..width)?).ok()?.chars().next()?;
    let (_, plain) = PLAIN.iter().find(|(range, _)| range.contains(&character))?;
    Some((Plain::Byte([*plain]), width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_of_the_table_folds_and_leads_back() {
        for (range, plain) in PLAIN {
            for character in range {
                let text = format!("a{character}b");
                let folded = typography(text.as_bytes());
                assert_eq!(folded.bytes, [b'a', plain, b'b']);
                assert_eq!(folded.original(1), 1);
                assert_eq!(folded.original(2), text.len() - 1);
                assert_eq!(folded.original(3), text.len());
            }
        }
    }

    #[test]
    fn the_border_before_a_folded_newline_is_before_its_return() {
        for folded in [endings(b"a\r\nb\rc\r\n"), typography(b"a\r\nb\rc\r\n")] {
            assert_eq!(folded.bytes, b"a\nb\rc\n");
            assert_eq!([0, 1, 2, 5, 6].map(|at| folded.original(at)), [0, 1, 3, 6, 8]);
        }
    }

    #[test]
    fn three_dots_are_an_ellipsis_and_two_are_not() {
        assert_eq!(typography(b"a...b").bytes, typography("a…b".as_bytes()).bytes);
        assert_ne!(typography(b"a..b").bytes, typography("a…b".as_bytes()).bytes);
    }

    #[test]
    fn letters_and_broken_bytes_stay_as_they_are() {
        for text in ["é世🌍ﬁ０′", "\u{200B}\u{FEFF}\u{AD}"] {
            assert_eq!(typography(text.as_bytes()).bytes, text.as_bytes());
        }
        for broken in [&b"\xE2"[..], b"\xE2\x80", b"\xC2", b"\xFF\xE3\x80x"] {
            assert_eq!(typography(broken).bytes, broken);
        }
    }

    #[test]
    fn a_canonical_line_leaves_out_what_it_is_told_to() {
        let form = |line: &[u8], ignore| {
            let mut form = b"left over".to_vec();
            canonical(line, ignore, &mut form);
            form
        };
        let line = "\t a \u{A0}\t b\u{2019}s... \u{3000} ".as_bytes();
        assert_eq!(form(line, Ignore::Trailing), "\t a  \t b's…".as_bytes());
        assert_eq!(form(line, Ignore::Amount), "a b's…".as_bytes());
        assert_eq!(form(b" \t ", Ignore::Trailing), b"");
        assert_eq!(form(b" \t ", Ignore::Amount), b"");
    }
}
