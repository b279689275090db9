//! Tells text from binary, and names what a binary is.
//!
//! A byte order mark is looked at first. Without one, a NUL in the first 8 KiB
//! or bytes that are not UTF-8 make a file binary.

use std::borrow::Cow;

use memchr::memchr;

use crate::encoding::{self, Encoding};

/// How much of a file is enough to look for a NUL.
pub const HEAD: usize = 8 * 1024;

/// How much of a file was handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every byte.
    Whole,
    /// The front; the last character may be cut in half.
    Head,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text in an encoding that its bytes prove.
    Text(Encoding),
    /// Anything else.
    Binary,
}

/// An image format that a tool result can carry as an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Image {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// Graphics Interchange Format.
    Gif,
    /// WebP.
    Webp,
}

impl Image {
    /// The media type of the format.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

/// Decides whether a file is text.
pub fn sniff(bytes: &[u8], extent: Extent) -> Content {
    let encoding = Encoding::of_file(bytes, None);
    let body = bytes.strip_prefix(encoding.bom()).unwrap_or(bytes);
    let text = match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => is_utf8(body, extent),
        Encoding::Utf16Le | Encoding::Utf16Be | Encoding::Named(_) => {
            is_utf16(bytes, encoding, extent)
        }
    };
    if text { Content::Text(encoding) } else { Content::Binary }
}

/// Reads a whole file as text, in the encoding that its bytes prove; `None` for
/// anything else.
///
/// It finds what [`sniff`] finds, and looks at the bytes once only.
pub fn text(bytes: &[u8]) -> Option<(Encoding, Cow<'_, str>)> {
    let encoding = Encoding::of_file(bytes, None);
    let body = bytes.strip_prefix(encoding.bom()).unwrap_or(bytes);
    let wide = match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => false,
        Encoding::Utf16Le | Encoding::Utf16Be | Encoding::Named(_) => true,
    };
    if !wide && has_nul(body) {
        return None;
    }
    Some((encoding, encoding::decode(bytes, encoding).ok()?))
}

/// Recognises an image by its first bytes.
pub fn image(head: &[u8]) -> Option<Image> {
    if head.starts_with(b"\x89PNG\r\n\x1A\n") {
        return Some(Image::Png);
    }
    if head.starts_with(b"\xFF\xD8\xFF") {
        return Some(Image::Jpeg);
    }
    if head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a") {
        return Some(Image::Gif);
    }
    if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        return Some(Image::Webp);
    }
    None
}

/// Names the type of a binary by its first bytes.
pub fn media_type(head: &[u8]) -> &'static str {
    image(head)
        .map(Image::media_type)
        .or_else(|| infer::get(head).map(|kind| kind.mime_type()))
        .unwrap_or("application/octet-stream")
}

fn is_utf8(body: &[u8], extent: Extent) -> bool {
    if has_nul(body) {
        return false;
    }
    match (std::str::from_utf8(body), extent) {
        (Ok(_), _) => true,
        (Err(error), Extent::Head) => error.error_len().is_none(),
        (Err(_), Extent::Whole) => false,
    }
}

fn has_nul(body: &[u8]) -> bool {
    memchr(0, body.get(..HEAD).unwrap_or(body)).is_some()
}

fn is_utf16(bytes: &[u8], encoding: Encoding, extent: Extent) -> bool {
    let valid = |length: usize| {
        bytes.get(..length).is_some_and(|front| encoding::decode(front, encoding).is_ok())
    };
    match extent {
        Extent::Whole => valid(bytes.len()),
        // Half a unit or half a surrogate pair may stand at the cut.
        Extent::Head => {
            let even = bytes.len() & !1;
            valid(even) || valid(even.saturating_sub(2))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &[u8]) -> Content {
        let sniffed = sniff(bytes, Extent::Whole);
        let read = text(bytes).map_or(Content::Binary, |(encoding, _)| Content::Text(encoding));
        assert_eq!(read, sniffed, "reading finds what sniffing finds");
        sniffed
    }

    #[test]
    fn plain_text_of_any_script_is_text() {
        assert_eq!(whole(b""), Content::Text(Encoding::Utf8));
        assert_eq!(whole("naïve 世界 🌍\r\n".as_bytes()), Content::Text(Encoding::Utf8));
        assert_eq!(whole(b"\xEF\xBB\xBFx"), Content::Text(Encoding::Utf8Bom));
    }

    #[test]
    fn a_nul_in_the_first_8_kib_makes_a_file_binary_and_a_later_one_does_not() {
        let mut bytes = vec![b'a'; HEAD + 1];
        bytes[HEAD - 1] = 0;
        assert_eq!(whole(&bytes), Content::Binary);
        bytes[HEAD - 1] = b'a';
        bytes[HEAD] = 0;
        assert_eq!(whole(&bytes), Content::Text(Encoding::Utf8));
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_binary() {
        assert_eq!(whole(b"caf\xE9\n"), Content::Binary);
        assert_eq!(whole(b"\xEF\xBB\xBF\xFF"), Content::Binary);
    }

    #[test]
    fn utf_16_with_a_mark_is_text_in_spite_of_its_nuls() {
        assert_eq!(whole(b"\xFF\xFEa\0\n\0"), Content::Text(Encoding::Utf16Le));
        assert_eq!(whole(b"\xFE\xFF\0a\0\n"), Content::Text(Encoding::Utf16Be));
        assert_eq!(whole(b"\xFF\xFEa\0\0"), Content::Binary, "half a unit");
        assert_eq!(whole(b"\xFF\xFE\0\0a\0\0\0"), Content::Binary, "this is UTF-32");
    }

    #[test]
    fn a_character_cut_by_the_end_of_the_head_does_not_make_text_binary() {
        let text = "é世🌍".repeat(3);
        for end in 0..=text.len() {
            let head = &text.as_bytes()[..end];
            assert_eq!(sniff(head, Extent::Head), Content::Text(Encoding::Utf8), "{end}");
        }
        let units = encoding::encode("é世🌍", Encoding::Utf16Le).unwrap();
        for end in 2..=units.len() {
            let seen = sniff(&units[..end], Extent::Head);
            assert_eq!(seen, Content::Text(Encoding::Utf16Le), "{end}");
        }
        assert_eq!(whole(&text.as_bytes()[..1]), Content::Binary, "a whole file has no excuse");
    }

    #[test]
    fn a_bad_byte_inside_the_head_is_no_cut_character() {
        assert_eq!(sniff(b"a\xE4 b", Extent::Head), Content::Binary);
    }

    #[test]
    fn images_are_recognised_by_their_signature() {
        assert_eq!(image(b"\x89PNG\r\n\x1A\n\0\0"), Some(Image::Png));
        assert_eq!(image(b"\xFF\xD8\xFF\xE0"), Some(Image::Jpeg));
        assert_eq!(image(b"GIF89a"), Some(Image::Gif));
        assert_eq!(image(b"RIFF\x10\0\0\0WEBPVP8 "), Some(Image::Webp));
        assert_eq!(image(b"RIFF\x10\0\0\0WAVEfmt "), None);
        assert_eq!(image(b"GIF"), None);
    }

    #[test]
    fn other_binaries_get_their_type_or_the_general_one() {
        assert_eq!(media_type(b"\x89PNG\r\n\x1A\n"), "image/png");
        assert_eq!(media_type(b"PK\x03\x04"), "application/zip");
        assert_eq!(media_type(b"%PDF-1.7\n"), "application/pdf");
        assert_eq!(media_type(b"\x01\x02\x03"), "application/octet-stream");
    }
}
