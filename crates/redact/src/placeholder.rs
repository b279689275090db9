//! The marks that stand where secrets stood: `[REDACTED: NAME]`, `[REDACTED: NAME#2]`, …
//!
//! They are read back for two reasons: a second redaction must leave them alone, and a write that
//! would put one over a secret has to be noticed.

use std::iter;
use std::ops::Range;

use memchr::{memchr, memmem};

const OPENING: &[u8] = b"[REDACTED: ";

/// Longest name a rule may have.
pub(crate) const MAX_NAME: usize = 64;

/// Most digits a number has; a text never counts further (see `number`).
const MAX_DIGITS: usize = 6;

/// No placeholder is longer than this.
pub(crate) const LONGEST: usize = OPENING.len() + MAX_NAME + 1 + MAX_DIGITS + 1;

/// A placeholder found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placeholder<'t> {
    /// Where its `[` stands.
    pub start: usize,
    /// Right behind its `]`.
    pub end: usize,
    /// The rule's name.
    pub name: &'t str,
    /// Which distinct secret of that rule, counted from 1.
    pub nth: u32,
}

/// Every placeholder in `text`, in order.
pub fn placeholders(text: &str) -> impl Iterator<Item = Placeholder<'_>> {
    let mut from = 0;
    iter::from_fn(move || {
        loop {
            let rest = text.as_bytes().get(from..)?;
            let start = from + memmem::find(rest, OPENING)?;
            from = start + OPENING.len();
            if let Some(found) = read_at(text, start) {
                from = found.end;
                return Some(found);
            }
        }
    })
}

/// Appends the placeholder of the `nth` distinct secret of a rule.
pub(crate) fn write(out: &mut String, name: &str, nth: u32) {
    out.push_str("[REDACTED: ");
    out.push_str(name);
    if nth > 1 {
        out.push('#');
        out.push_str(&nth.to_string());
    }
    out.push(']');
}

/// Whether a name can stand in a placeholder and be read back.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_name_byte)
}

/// Whether a placeholder overlaps `range` or stands right beside it.
///
/// Beside counts: what stands next to a placeholder was next to a secret when the text was first
/// redacted, so a boundary there says nothing, and taking it as one would redact more the second
/// time.
pub(crate) fn touches(text: &str, range: &Range<usize>) -> bool {
    let from = text.floor_char_boundary(range.start.saturating_sub(LONGEST));
    let to = text.ceil_char_boundary((range.end + LONGEST).min(text.len()));
    text.get(from..to).is_some_and(|near| {
        // Hardly any text has even the bracket.
        memchr(b'[', near.as_bytes()).is_some()
            && placeholders(near)
                .any(|found| found.start + from <= range.end && found.end + from >= range.start)
    })
}

fn read_at(text: &str, start: usize) -> Option<Placeholder<'_>> {
    let body = text.get(start + OPENING.len()..)?;
    let name_len = body.bytes().take(MAX_NAME + 1).take_while(|&byte| is_name_byte(byte)).count();
    let name = body.get(..name_len).filter(|name| is_name(name))?;
    let after = body.get(name_len..)?;
    let (nth, rest) = match after.strip_prefix('#') {
        Some(digits) => read_number(digits)?,
        None => (1, after),
    };
    let rest = rest.strip_prefix(']')?;
    Some(Placeholder { start, end: text.len() - rest.len(), name, nth })
}

fn read_number(digits: &str) -> Option<(u32, &str)> {
    let len = digits.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = digits.split_at_checked(len)?;
    if len > MAX_DIGITS || number.starts_with('0') {
        return None;
    }
    // The first has no number, so `#1` is not one of ours.
    number.parse().ok().filter(|&nth| nth > 1).map(|nth| (nth, rest))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(usize, usize, &str, u32)> {
        placeholders(text).map(|found| (found.start, found.end, found.name, found.nth)).collect()
    }

    #[test]
    fn what_is_written_is_read_back() {
        for nth in [1, 2, 17, 999_999] {
            let mut text = String::from("ä ");
            write(&mut text, "API_KEY", nth);
            assert_eq!(all(&text), [(3, text.len(), "API_KEY", nth)]);
            assert!(text.len() - 3 <= LONGEST);
        }
    }

    #[test]
    fn only_the_exact_form_counts() {
        for text in [
            "[REDACTED]",
            "[REDACTED: ]",
            "[REDACTED: A B]",
            "[REDACTED: A#1]",
            "[REDACTED: A#02]",
            "[REDACTED: A#1234567]",
            "[REDACTED: A",
            "[redacted: A]",
        ] {
            assert_eq!(all(text), [], "{text}");
        }
    }

    #[test]
    fn one_inside_a_broken_one_is_found() {
        assert_eq!(all("[REDACTED: [REDACTED: A#3]"), [(11, 26, "A", 3)]);
    }

    #[test]
    fn a_neighbour_touches_and_a_stranger_does_not() {
        let text = "ab[REDACTED: A]cd";
        assert!(touches(text, &(0..2)));
        assert!(touches(text, &(15..17)));
        assert!(!touches(text, &(0..1)));
        assert!(!touches(text, &(16..17)));
    }
}
