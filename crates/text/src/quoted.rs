//! Text as a string of JSON, eight bytes at a time.
//!
//! Most of a text needs no escape, and to find out byte by byte takes longer than
//! everything else that is done with a file on its way to a client.

/// Of each byte in a word, the lowest bit and the highest.
const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
/// Bytes below this one are escaped.
const FIRST_PLAIN: u8 = b' ';
const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends a text with its quotes, in the very bytes that `serde_json` makes of it.
pub fn quote(text: &str, into: &mut Vec<u8>) {
    into.reserve(text.len() + text.len() / 16 + 2);
    into.push(b'"');
    let mut rest = text.as_bytes();
    while let Some((plain, byte, after)) = special(rest).and_then(|at| cut(rest, at)) {
        into.extend_from_slice(plain);
        escape(byte, into);
        rest = after;
    }
    into.extend_from_slice(rest);
    into.push(b'"');
}

/// What stands before a byte, the byte, and what stands behind it.
fn cut(bytes: &[u8], at: usize) -> Option<(&[u8], u8, &[u8])> {
    let (plain, from) = bytes.split_at_checked(at)?;
    let (byte, after) = from.split_first()?;
    Some((plain, *byte, after))
}

/// The place of the first byte that cannot stand in a string as it is.
fn special(bytes: &[u8]) -> Option<usize> {
    let (words, last) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let marks = marks(u64::from_le_bytes(*word));
        if marks != 0 {
            // The word is read with its first byte lowest.
            return Some(number * 8 + marks.trailing_zeros() as usize / 8);
        }
    }
    let at = last.iter().position(|byte| *byte < FIRST_PLAIN || matches!(byte, b'"' | b'\\'))?;
    Some(words.len() * 8 + at)
}

/// Sets the highest bit of bytes that are escaped. The lowest mark is right, and those above
/// it need not be, since a difference borrows upwards.
fn marks(word: u64) -> u64 {
    let below = |word: u64, bound: u8| word.wrapping_sub(LOW * u64::from(bound)) & !word & HIGH;
    let equal = |byte: u8| below(word ^ (LOW * u64::from(byte)), 1);
    below(word, FIRST_PLAIN) | equal(b'"') | equal(b'\\')
}

fn escape(byte: u8, into: &mut Vec<u8>) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digit = |number: u8| HEX.get(usize::from(number)).copied().unwrap_or(b'0');
            into.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            return;
        }
    };
    into.extend_from_slice(&[b'\\', letter]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quoted(text: &str) -> String {
        let mut into = b"before ".to_vec();
        quote(text, &mut into);
        String::from_utf8(into).unwrap()
    }

    fn expected(text: &str) -> String {
        format!("before {}", serde_json::to_string(text).unwrap())
    }

    #[test]
    fn every_character_at_every_place_is_written_as_by_serde_json() {
        let around = ["", "a", "\u{7f}", "\u{1}", "\"", "!", "[", "\u{e9}", "\u{20ac}"];
        for point in 0..0x180 {
            let Some(one) = char::from_u32(point) else { continue };
            for before in 0..17 {
                for side in around {
                    let text = format!("{}{one}{}", side.repeat(before), side.repeat(9));
                    assert_eq!(quoted(&text), expected(&text));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_written_as_by_serde_json(text in "(\\PC|[\\x00-\\x7f]|[\"\\\\\n]|[a-z ]{0,20}){0,40}") {
            prop_assert_eq!(quoted(&text), expected(&text));
        }
    }
}
