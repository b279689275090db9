//! The reversible escape that lets any name on disk travel as one line of text.
//!
//! A byte that is no UTF-8, a control character or a character that starts or
//! turns a line is written `\xHH`. Everything else, a backslash included, stands
//! for itself, except a backslash that would read as such an escape: that one is
//! written `\x5c`. So ordinary names, odd ones too, look as they are, and no two
//! names look alike.

use std::borrow::Cow;

/// Writes a name or path as one line of text that [`unescape`] turns back.
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    escape_onto(&mut out, bytes);
    out
}

/// Writes the same behind a text.
pub fn escape_onto(out: &mut String, bytes: &[u8]) {
    let as_it_is = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'\\';
    // Looked at whole, which is quicker than to stop at the first that is not.
    if bytes.iter().fold(true, |all, byte| all & as_it_is(*byte))
        && let Ok(text) = str::from_utf8(bytes)
    {
        // Almost every name; a directory can have a great many of them.
        return out.push_str(text);
    }
    let mut rest = bytes;
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            let (_, after) = rest.split_at(character.len_utf8());
            let literal = character != '\\' || decoded(rest).is_none();
            if literal && !forges_a_line(character) {
                out.push(character);
            } else {
                let mut buffer = [0; 4];
                push_hex(out, character.encode_utf8(&mut buffer).as_bytes());
            }
            rest = after;
        }
        push_hex(out, chunk.invalid());
        rest = rest.split_at(chunk.invalid().len()).1;
    }
}

/// Turns escaped text back into the bytes it stands for.
pub(crate) fn unescape(text: &str) -> Cow<'_, [u8]> {
    if !text.contains('\\') {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if let Some((byte, after)) = decoded(rest) {
            out.push(byte);
            rest = after;
        } else {
            out.push(*first);
            rest = after;
        }
    }
    Cow::Owned(out)
}

/// Reads one escape at the start of `bytes`, if there is one that we would write.
///
/// Only bytes that [`escape`] itself hides are decoded, so `\x2e\x2e` or `\x2f`
/// cannot smuggle a `..` or a separator past the path rules.
fn decoded(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (head, after) = bytes.split_first_chunk::<4>()?;
    let [b'\\', b'x', high, low] = head else { return None };
    let byte = hex(*high)? << 4 | hex(*low)?;
    let ours = byte < 0x20 || byte == b'\\' || byte >= 0x7f;
    ours.then_some((byte, after))
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

fn push_hex(out: &mut String, bytes: &[u8]) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    for byte in bytes {
        out.push_str("\\x");
        out.extend(DIGITS.get(usize::from(byte >> 4)));
        out.extend(DIGITS.get(usize::from(byte & 15)));
    }
}

/// Tells whether a character could end, hide or reorder a line of a listing.
fn forges_a_line(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{2028}' | '\u{2029}'                 // Line and paragraph separator.
            | '\u{200e}' | '\u{200f}' | '\u{061c}'  // Direction marks.
            | '\u{202a}'..='\u{202e}'               // Direction embeddings and overrides.
            | '\u{2066}'..='\u{2069}') // Direction isolates.
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(bytes: &[u8]) -> String {
        let text = escape(bytes);
        assert_eq!(unescape(&text), bytes, "{text}");
        text
    }

    #[test]
    fn an_ordinary_name_stands_for_itself() {
        for name in ["a.txt", "a..b", "sp ", "a:b", "naïve ✅", r"back\slash", r"C:\new", r"\xzz"]
        {
            assert_eq!(round_trip(name.as_bytes()), name);
        }
    }

    #[test]
    fn a_name_cannot_forge_a_line() {
        assert_eq!(round_trip(b"x\n[DIR] fake"), r"x\x0a[DIR] fake");
        assert_eq!(round_trip("a\u{2028}b".as_bytes()), r"a\xe2\x80\xa8b");
        assert_eq!(round_trip("a\u{202e}b".as_bytes()), r"a\xe2\x80\xaeb");
    }

    #[test]
    fn a_name_that_is_not_utf8_round_trips() {
        assert_eq!(round_trip(b"caf\xe9"), r"caf\xe9");
        assert_eq!(round_trip(b"\\\xff\\x0\x01"), r"\\xff\x0\x01");
    }

    #[test]
    fn a_name_that_looks_escaped_round_trips() {
        assert_eq!(round_trip(br"a\xffb"), r"a\x5cxffb");
        assert_eq!(round_trip(br"\x5cx0a"), r"\x5cx5cx0a");
    }

    #[test]
    fn dots_and_separators_are_never_decoded() {
        assert_eq!(&*unescape(r"\x2e\x2e\x2fetc"), br"\x2e\x2e\x2fetc");
    }

    #[test]
    fn every_pair_of_bytes_round_trips() {
        for first in 0..=255 {
            for second in 0..=255 {
                round_trip(&[first, second]);
                round_trip(&[b'\\', b'x', first, second]);
            }
        }
    }
}
