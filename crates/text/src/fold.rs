//! Text folded for comparison: typography to ASCII, `\r\n` to `\n`.
//!
//! A folded text remembers where its bytes came from, so that a match in it is
//! a range of the original. Each original character folds as a whole: no match
//! can begin or end inside one.

use std::ops::RangeInclusive;

use memchr::{memchr_iter, memchr3};

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
pub(crate) const ELLIPSIS: &[u8] = "…".as_bytes();

/// What becomes of three dots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dots {
    /// They stay three characters, which a match may end between.
    Apart,
    /// They are an ellipsis.
    Together,
}

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

/// Whether a text has anything that [`typography`] folds and [`endings`] does
/// not. Dots count only against an ellipsis, which is no ASCII either.
pub(crate) fn has_typography(text: &[u8]) -> bool {
    memchr3(0xC2, 0xE2, 0xE3, text).is_some()
}

/// Folds `\r\n` to `\n` and typography to what a keyboard has.
pub(crate) fn typography(text: &[u8], dots: Dots) -> Folded {
    let mut folded = Folded { bytes: Vec::with_capacity(text.len()), steps: Vec::new() };
    let mut at = 0;
    let mut from = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.iter().position(may_fold)) {
        at += next;
        let Some((plain, width)) = text.get(at..).and_then(|rest| fold_front(rest, dots)) else {
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
    /// What stands at both ends.
    Outer,
    /// What stands at both ends, and how much of it stands in between.
    Amount,
}

/// Writes the form in which a line is compared into `form`: typography folded,
/// white space left out as asked.
pub(crate) fn canonical(line: &[u8], ignore: Ignore, form: &mut Vec<u8>) {
    form.clear();
    let mut solid = 0;
    let mut rest = line;
    while !rest.is_empty() {
        let text = rest.iter().position(|byte| is_space(byte) || may_fold(byte));
        let (text, next) = rest.split_at(text.unwrap_or(rest.len()));
        if !text.is_empty() {
            form.extend_from_slice(text);
            solid = form.len();
        }
        let Some(byte) = next.first() else { break };
        let (plain, width) = fold_front(next, Dots::Together).unwrap_or((Plain::Byte([*byte]), 1));
        rest = next.get(width..).unwrap_or_default();
        match (plain, ignore) {
            (Plain::Byte([space]), Ignore::Amount) if is_space(&space) => {
                if solid > 0 && form.len() == solid {
                    form.push(b' ');
                }
            }
            (Plain::Byte([space]), Ignore::Outer) if is_space(&space) => {
                if solid > 0 {
                    form.push(space);
                }
            }
            (Plain::Byte([space]), Ignore::Trailing) if is_space(&space) => form.push(space),
            (plain, Ignore::Amount | Ignore::Outer | Ignore::Trailing) => {
                form.extend_from_slice(plain.as_slice());
                solid = form.len();
            }
        }
    }
    form.truncate(solid);
}

/// The first byte of a line behind its white space, if it cannot fold. Lines
/// where this differs are not equal, whatever is ignored.
pub(crate) fn first_solid(line: &[u8]) -> Option<u8> {
    line.iter().find(|byte| !is_space(byte)).copied().filter(|byte| !may_fold(byte))
}

/// Splits a line into its indentation and the rest.
pub(crate) fn indentation(line: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    while let Some(rest) = line.get(at..) {
        match (rest.first(), fold_front(rest, Dots::Apart)) {
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
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Byte(byte) => byte,
            Self::Ellipsis => ELLIPSIS,
        }
    }
}

fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}

/// Whether a character that begins with this byte may be one that folds.
fn may_fold(byte: &u8) -> bool {
    matches!(byte, b'\r' | b'.' | 0xC2 | 0xE2 | 0xE3)
}

/// Folds the character at the front of a text, if it is one that folds.
fn fold_front(rest: &[u8], dots: Dots) -> Option<(Plain, usize)> {
    let width = match rest.first()? {
        b'\r' if rest.get(1) == Some(&b'\n') => return Some((Plain::Byte(*b"\n"), 2)),
        b'.' if dots == Dots::Together && rest.starts_with(b"...") => {
            return Some((Plain::Ellipsis, 3));
        }
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
                let folded = typography(text.as_bytes(), Dots::Apart);
                assert_eq!(folded.bytes, [b'a', plain, b'b']);
                assert_eq!(folded.original(1), 1);
                assert_eq!(folded.original(2), text.len() - 1);
                assert_eq!(folded.original(3), text.len());
            }
        }
    }

    #[test]
    fn the_border_before_a_folded_newline_is_before_its_return() {
        for folded in [endings(b"a\r\nb\rc\r\n"), typography(b"a\r\nb\rc\r\n", Dots::Apart)] {
            assert_eq!(folded.bytes, b"a\nb\rc\n");
            assert_eq!([0, 1, 2, 5, 6].map(|at| folded.original(at)), [0, 1, 3, 6, 8]);
        }
    }

    #[test]
    fn three_dots_are_an_ellipsis_and_two_are_not() {
        let folded = |text: &str, dots| typography(text.as_bytes(), dots).bytes;
        assert_eq!(folded("a...b", Dots::Together), "a…b".as_bytes());
        assert_eq!(folded("a..b….", Dots::Together), "a..b….".as_bytes());
        assert_eq!(folded("a...b…", Dots::Apart), "a...b…".as_bytes());
    }

    #[test]
    fn letters_and_broken_bytes_stay_as_they_are() {
        for text in ["é世🌍ﬁ０′", "\u{200B}\u{FEFF}\u{AD}"] {
            assert_eq!(typography(text.as_bytes(), Dots::Together).bytes, text.as_bytes());
        }
        for broken in [&b"\xE2"[..], b"\xE2\x80", b"\xC2", b"\xFF\xE3\x80x"] {
            assert_eq!(typography(broken, Dots::Together).bytes, broken);
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
        assert_eq!(form(line, Ignore::Outer), "a  \t b's…".as_bytes());
        assert_eq!(form(line, Ignore::Amount), "a b's…".as_bytes());
        assert_eq!(form(b" \t ", Ignore::Trailing), b"");
        assert_eq!(form(b" \t ", Ignore::Amount), b"");
    }

    #[test]
    fn the_first_solid_byte_is_known_only_where_it_cannot_fold() {
        assert_eq!(first_solid(b"\t  x = 1"), Some(b'x'));
        assert_eq!(first_solid(b"  "), None);
        assert_eq!(first_solid(b" ...x"), None);
        assert_eq!(first_solid("\u{a0}x".as_bytes()), None);
    }

    #[test]
    fn a_text_without_typography_says_so() {
        assert!(!has_typography(b"plain... \r\n"));
        assert!(
            PLAIN.iter().all(|(range, _)| has_typography(range.start().to_string().as_bytes()))
        );
        assert!(has_typography(ELLIPSIS));
    }
}
