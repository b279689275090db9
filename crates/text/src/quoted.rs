//! Text as a string of JSON, eight bytes at a time.
//!
//! Most of a text needs no escape, and to find out byte by byte takes longer than
//! everything else that is done with a file on its way to a client.

/// Of each byte in a word, the lowest bit and the highest.
const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
/// Bytes below this one are escaped: those without any of the bits of `CONTROL`.
const FIRST_PLAIN: u8 = b' ';
const CONTROL: u64 = 0xe0;
const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends a text with its quotes, in the very bytes that `serde_json` makes of it.
pub fn quote(text: &str, into: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    into.reserve(bytes.len() + bytes.len() / 16 + 2);
    into.push(b'"');
    let mut plain = 0;
    let mut put = |at: usize| {
        if let Some((byte, before)) = bytes.get(plain..=at).and_then(|upto| upto.split_last()) {
            into.extend_from_slice(before);
            escape(*byte, into);
        }
        plain = at + 1;
    };
    let (words, last) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let mut marks = marks(u64::from_le_bytes(*word));
        while marks != 0 {
            // The word is read with its first byte lowest.
            put(number * 8 + marks.trailing_zeros() as usize / 8);
            marks &= marks - 1;
        }
    }
    for (number, byte) in last.iter().enumerate() {
        if *byte < FIRST_PLAIN || matches!(byte, b'"' | b'\\') {
            put(words.len() * 8 + number);
        }
    }
    into.extend_from_slice(bytes.get(plain..).unwrap_or_default());
    into.push(b'"');
}

/// Sets the highest bit of each byte that is escaped, and no other bit.
fn marks(word: u64) -> u64 {
    // Without a carry from byte to byte: the sum has the highest bit unless all others were zero.
    let zeros = |word: u64| !(((word & !HIGH) + !HIGH) | word) & HIGH;
    let equal = |byte: u8| zeros(word ^ (LOW * u64::from(byte)));
    zeros(word & (LOW * CONTROL)) | equal(b'"') | equal(b'\\')
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
