//! Bytes that come in pieces, as the text that they are, wherever they are cut.

use garth_text::encoding::{self, Encoding};

use crate::worktree::wire::encoding::unmarked;

/// The text of a file, as far as it came.
#[derive(Debug)]
pub(super) struct Letters {
    /// The encoding to write it in again.
    encoding: Encoding,
    /// Whether a character takes two bytes at least.
    width: Width,
    /// Bytes of a character whose end has not come.
    partial: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
enum Width {
    Narrow,
    Wide(fn([u8; 2]) -> u16),
}

impl Letters {
    /// The text of a file that begins so: UTF-16 after its mark, else UTF-8.
    pub(super) fn of(head: &[u8]) -> Self {
        let (encoding, width) = match Encoding::from_bom(head) {
            Some(marked @ Encoding::Utf16Le) => (unmarked(marked), Width::Wide(u16::from_le_bytes)),
            Some(marked @ Encoding::Utf16Be) => (unmarked(marked), Width::Wide(u16::from_be_bytes)),
            Some(Encoding::Utf8 | Encoding::Utf8Bom | Encoding::Named(_)) | None => {
                (Encoding::Utf8, Width::Narrow)
            }
        };
        Self { encoding, width, partial: Vec::new() }
    }

    /// The letters that are whole by now; `None` for what is no text.
    pub(super) fn take(&mut self, piece: &[u8]) -> Option<String> {
        let mut bytes = std::mem::take(&mut self.partial);
        bytes.extend_from_slice(piece);
        let whole = match self.width {
            Width::Narrow => match std::str::from_utf8(&bytes) {
                Ok(_) => bytes.len(),
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                Err(_) => return None,
            },
            Width::Wide(unit) => {
                let even = bytes.len() & !1;
                let last = even.checked_sub(2).and_then(|at| bytes.get(at..even));
                let last = last.and_then(|last| <[u8; 2]>::try_from(last).ok()).map(unit);
                // The first half of a pair waits for the second.
                let half = last.is_some_and(|last| (0xd800..0xdc00).contains(&last));
                if half { even - 2 } else { even }
            }
        };
        self.partial = bytes.split_off(whole);
        match self.width {
            Width::Narrow => String::from_utf8(bytes).ok(),
            Width::Wide(_) => {
                encoding::decode(&bytes, self.encoding).ok().map(std::borrow::Cow::into_owned)
            }
        }
    }

    /// Tells whether nothing waits for more.
    pub(super) fn is_whole(&self) -> bool {
        self.partial.is_empty()
    }

    /// How many bytes a text takes in the file's encoding.
    pub(super) fn length(&self, text: &str) -> u64 {
        match self.width {
            Width::Narrow => text.len() as u64,
            Width::Wide(_) => 2 * text.encode_utf16().count() as u64,
        }
    }

    /// A text as bytes of the file's encoding.
    pub(super) fn bytes(&self, text: &str) -> Option<Vec<u8>> {
        encoding::encode(text, self.encoding).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worktree::wire::encoding::text_of;

    fn read(bytes: &[u8], length: usize) -> Option<String> {
        let mut letters = Letters::of(bytes);
        let mut text = String::new();
        for piece in bytes.chunks(length) {
            text.push_str(&letters.take(piece)?);
        }
        letters.is_whole().then_some(text)
    }

    #[test]
    fn a_text_in_pieces_is_the_text() {
        let text = "\u{feff}naïve 世界 🌍\0\n";
        let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(order).collect()
        };
        for bytes in [text.as_bytes().to_vec(), wide(u16::to_le_bytes), wide(u16::to_be_bytes)] {
            for length in 1..=bytes.len() {
                assert_eq!(read(&bytes, length).as_deref(), Some(text), "{length}");
            }
            let letters = Letters::of(&bytes);
            assert_eq!(letters.bytes(text).unwrap(), bytes);
            assert_eq!(letters.length(text), bytes.len() as u64);
        }
    }

    #[test]
    fn what_is_no_text_in_one_is_none_in_pieces() {
        for bytes in [&b"a\xff"[..], b"a\xe4\xb8", b"\xff\xfea", b"\xff\xfe\0\xd8", b"\xc0\x80"] {
            assert_eq!(text_of(bytes), None);
            for length in 1..=bytes.len() {
                assert_eq!(read(bytes, length), None, "{bytes:?} {length}");
            }
        }
    }
}
