//! Text encodings: named, recognised by a byte order mark, decoded and encoded.
//!
//! Both directions are strict. A byte sequence that is no text and a character
//! that the encoding lacks are errors, never replacement characters, because a
//! file is written back in the encoding it was read in.

use std::borrow::Cow;
use std::fmt;

use encoding_rs::{EncoderResult, UTF_8, UTF_16BE, UTF_16LE};

/// How the characters of a file are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a byte order mark.
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Bom,
    /// UTF-16, little-endian, with a byte order mark.
    Utf16Le,
    /// UTF-16, big-endian, with a byte order mark.
    Utf16Be,
    /// Any other encoding that a caller named; it has no byte order mark.
    Named(&'static encoding_rs::Encoding),
}

/// Why a text could not be decoded or encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The label names no encoding.
    UnknownLabel,
    /// The bytes are no text in the encoding of that name.
    Undecodable(&'static str),
    /// The encoding of that name lacks the character.
    Unencodable(char, &'static str),
    /// Encoding the decoded bytes again does not give them back.
    NotReversible(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownLabel => write!(out, "unknown encoding name"),
            Self::Undecodable(name) => write!(out, "the content is not valid {name}"),
            Self::Unencodable(character, name) => {
                write!(out, "{name} has no character U+{:04X}", u32::from(*character))
            }
            Self::NotReversible(name) => {
                write!(out, "the content is {name} in a form that cannot be written back unchanged")
            }
        }
    }
}

impl std::error::Error for Error {}

/// Labels that people use and the WHATWG table lacks.
const ALIASES: [(&str, &str); 4] =
    [("utf16", "utf-16le"), ("utf16le", "utf-16le"), ("utf16be", "utf-16be"), ("ucs2", "utf-16le")];

impl Encoding {
    /// Looks up an encoding by any of its usual labels (`latin1`, `Shift_JIS`).
    ///
    /// # Errors
    ///
    /// [`Error::UnknownLabel`] when no encoding has that label.
    pub fn named(label: &str) -> Result<Self, Error> {
        let label = label.trim();
        let label = ALIASES
            .iter()
            .find(|(alias, _)| alias.eq_ignore_ascii_case(label))
            .map_or(label, |(_, proper)| proper);
        // The variant without replacement leaves out the labels that the web
        // maps to a decoder which refuses everything.
        match encoding_rs::Encoding::for_label_no_replacement(label.as_bytes()) {
            Some(encoding) if encoding == UTF_8 => Ok(Self::Utf8),
            Some(encoding) => Ok(Self::Named(encoding)),
            None => Err(Error::UnknownLabel),
        }
    }

    /// Recognises the byte order mark at the front of a file.
    ///
    /// The mark of UTF-32, little-endian, begins with that of UTF-16 and is
    /// told apart; UTF-32 itself is not text here.
    pub fn from_bom(head: &[u8]) -> Option<Self> {
        if head.starts_with(&[0xFF, 0xFE, 0, 0]) {
            return None;
        }
        [Self::Utf8Bom, Self::Utf16Le, Self::Utf16Be]
            .into_iter()
            .find(|encoding| head.starts_with(encoding.bom()))
    }

    /// The encoding of an existing file: its byte order mark says it, else the
    /// name the caller gave, else it is UTF-8.
    pub fn of_file(bytes: &[u8], named: Option<Self>) -> Self {
        Self::from_bom(bytes).or(named).unwrap_or(Self::Utf8)
    }

    /// The byte order mark that this encoding writes.
    pub fn bom(self) -> &'static [u8] {
        match self {
            Self::Utf8 | Self::Named(_) => b"",
            Self::Utf8Bom => b"\xEF\xBB\xBF",
            Self::Utf16Le => b"\xFF\xFE",
            Self::Utf16Be => b"\xFE\xFF",
        }
    }

    /// The usual name of the encoding.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 | Self::Utf8Bom => UTF_8.name(),
            Self::Utf16Le => UTF_16LE.name(),
            Self::Utf16Be => UTF_16BE.name(),
            Self::Named(encoding) => encoding.name(),
        }
    }

    fn unit_order(self) -> Option<Order> {
        match self {
            Self::Utf8 | Self::Utf8Bom => None,
            Self::Utf16Le => Some(Order::Little),
            Self::Utf16Be => Some(Order::Big),
            Self::Named(encoding) if encoding == UTF_16LE => Some(Order::Little),
            Self::Named(encoding) if encoding == UTF_16BE => Some(Order::Big),
            Self::Named(_) => None,
        }
    }
}

/// Decodes a whole file; its byte order mark is left out of the text.
///
/// # Errors
///
/// [`Error::Undecodable`] when a byte sequence is no text.
pub fn decode(bytes: &[u8], encoding: Encoding) -> Result<Cow<'_, str>, Error> {
    let body = bytes.strip_prefix(encoding.bom()).unwrap_or(bytes);
    let invalid = Error::Undecodable(encoding.name());
    if let Some(order) = encoding.unit_order() {
        return decode_units(body, order).map(Cow::Owned).ok_or(invalid);
    }
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom | Encoding::Utf16Le | Encoding::Utf16Be => {
            std::str::from_utf8(body).map(Cow::Borrowed).map_err(|_| invalid)
        }
        Encoding::Named(table) => {
            table.decode_without_bom_handling_and_without_replacement(body).ok_or(invalid)
        }
    }
}

/// Encodes a whole file, byte order mark included.
///
/// # Errors
///
/// [`Error::Unencodable`] with the first character the encoding lacks.
pub fn encode(text: &str, encoding: Encoding) -> Result<Vec<u8>, Error> {
    let mut bytes = encoding.bom().to_vec();
    match (encoding.unit_order(), encoding) {
        (Some(Order::Little), _) => {
            bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        }
        (Some(Order::Big), _) => bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
        (None, Encoding::Named(table)) => encode_table(text, table, &mut bytes)?,
        (None, Encoding::Utf8 | Encoding::Utf8Bom | Encoding::Utf16Le | Encoding::Utf16Be) => {
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    Ok(bytes)
}

/// A change of UTF-8 text, made on a file in another encoding.
///
/// `change` sees the text without a byte order mark. What it leaves alone is
/// the same bytes in the result: a file whose decoded text does not encode back
/// to itself is refused before `change` runs.
///
/// # Errors
///
/// Those of [`decode`] and [`encode`], [`Error::NotReversible`], and whatever
/// `change` returns.
pub fn rewrite<T, E: From<Error>>(
    bytes: &[u8],
    encoding: Encoding,
    change: impl FnOnce(&[u8]) -> Result<(Vec<u8>, T), E>,
) -> Result<(Vec<u8>, T), E> {
    rewrite_decoded((bytes, &decode(bytes, encoding)?), encoding, change)
}

/// The same for a file that was decoded before: its bytes and their text.
pub(crate) fn rewrite_decoded<T, E: From<Error>>(
    (bytes, text): (&[u8], &str),
    encoding: Encoding,
    change: impl FnOnce(&[u8]) -> Result<(Vec<u8>, T), E>,
) -> Result<(Vec<u8>, T), E> {
    match encoding {
        // The text is the file, so nothing is copied to get there and back.
        Encoding::Utf8 => return change(text.as_bytes()),
        // UTF-8 and UTF-16 have one form for each text; tables may have more.
        Encoding::Utf8Bom | Encoding::Utf16Le | Encoding::Utf16Be => {}
        Encoding::Named(_) if encode(text, encoding)? == bytes => {}
        Encoding::Named(_) => return Err(Error::NotReversible(encoding.name()).into()),
    }
    let (changed, facts) = change(text.as_bytes())?;
    let changed = std::str::from_utf8(&changed).map_err(|_| Error::Undecodable(UTF_8.name()))?;
    Ok((encode(changed, encoding)?, facts))
}

#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

fn decode_units(body: &[u8], order: Order) -> Option<String> {
    let (pairs, []) = body.as_chunks::<2>() else { return None };
    let units = pairs.iter().map(|pair| match order {
        Order::Little => u16::from_le_bytes(*pair),
        Order::Big => u16::from_be_bytes(*pair),
    });
    char::decode_utf16(units).collect::<Result<String, _>>().ok()
}

fn encode_table(
    text: &str,
    table: &'static encoding_rs::Encoding,
    bytes: &mut Vec<u8>,
) -> Result<(), Error> {
    let mut encoder = table.new_encoder();
    let mut rest = text;
    loop {
        let room = encoder
            .max_buffer_length_from_utf8_without_replacement(rest.len())
            .unwrap_or(rest.len().saturating_mul(4));
        bytes.reserve(room.max(16));
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, bytes, true);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            EncoderResult::InputEmpty => return Ok(()),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                return Err(Error::Unencodable(character, table.name()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(bytes: &[u8], encoding: Encoding) -> Vec<u8> {
        let unchanged: Result<_, Error> = rewrite(bytes, encoding, |text| Ok((text.to_vec(), ())));
        unchanged.unwrap().0
    }

    #[test]
    fn a_byte_order_mark_is_recognised_and_utf_32_is_not_utf_16() {
        assert_eq!(Encoding::from_bom(b"\xEF\xBB\xBFx"), Some(Encoding::Utf8Bom));
        assert_eq!(Encoding::from_bom(b"\xFF\xFEx\0"), Some(Encoding::Utf16Le));
        assert_eq!(Encoding::from_bom(b"\xFE\xFF\0x"), Some(Encoding::Utf16Be));
        assert_eq!(Encoding::from_bom(b"\xFF\xFE\0\0x\0\0\0"), None);
        assert_eq!(Encoding::from_bom(b"\xFF"), None);
    }

    #[test]
    fn a_byte_order_mark_overrules_the_name_the_caller_gave() {
        let named = Encoding::named("latin1").unwrap();
        assert_eq!(Encoding::of_file(b"\xEF\xBB\xBFx", Some(named)), Encoding::Utf8Bom);
        assert_eq!(Encoding::of_file(b"x", Some(named)), named);
        assert_eq!(Encoding::of_file(b"x", None), Encoding::Utf8);
    }

    #[test]
    fn labels_are_looked_up_without_regard_to_case_or_spelling() {
        assert_eq!(Encoding::named("UTF8"), Ok(Encoding::Utf8));
        assert_eq!(Encoding::named(" utf-8 "), Ok(Encoding::Utf8));
        assert_eq!(Encoding::named("latin1").unwrap().name(), "windows-1252");
        assert_eq!(Encoding::named("Shift_JIS").unwrap().name(), "Shift_JIS");
        assert_eq!(Encoding::named("utf16le").unwrap().name(), "UTF-16LE");
    }

    #[test]
    fn an_unknown_label_is_an_error() {
        for label in ["", "klingon", "replacement", "iso-2022-kr", "utf-9"] {
            assert_eq!(Encoding::named(label), Err(Error::UnknownLabel), "{label}");
        }
    }

    #[test]
    fn every_encoding_gives_its_bytes_back() {
        let cases: [(&[u8], Encoding); 6] = [
            (b"\xEF\xBB\xBFa\r\n\xC3\xA9", Encoding::Utf8Bom),
            (b"\xFF\xFEa\0\r\0\n\0\x3D\xD8\x00\xDE", Encoding::Utf16Le),
            (b"\xFE\xFF\0a\0\r\0\n\xD8\x3D\xDE\x00", Encoding::Utf16Be),
            (b"a\0\n\0", Encoding::named("utf-16le").unwrap()),
            (b"caf\xE9 \x80", Encoding::named("latin1").unwrap()),
            (b"\x82\xA0\x82\xA2\n", Encoding::named("shift_jis").unwrap()),
        ];
        for (bytes, encoding) in cases {
            assert_eq!(round_trip(bytes, encoding), bytes, "{}", encoding.name());
        }
    }

    #[test]
    fn what_is_no_text_is_an_error_and_never_a_replacement_character() {
        assert_eq!(decode(b"a\xFF", Encoding::Utf8), Err(Error::Undecodable("UTF-8")));
        assert!(decode(b"\xFF\xFEa", Encoding::Utf16Le).is_err(), "half a unit");
        assert!(decode(b"\xFF\xFE\x3D\xD8", Encoding::Utf16Le).is_err(), "half a pair");
        let table = Encoding::named("shift_jis").unwrap();
        assert_eq!(decode(b"\x82", table), Err(Error::Undecodable("Shift_JIS")));
    }

    #[test]
    fn a_character_the_encoding_lacks_is_an_error() {
        let table = Encoding::named("latin1").unwrap();
        let refused = encode("café ☃", table).unwrap_err();
        assert_eq!(refused, Error::Unencodable('☃', "windows-1252"));
        assert_eq!(refused.to_string(), "windows-1252 has no character U+2603");
    }

    #[test]
    fn bytes_with_a_second_spelling_are_refused_rather_than_respelled() {
        // 87 90 and 81 E0 are both U+2252 in Shift_JIS; the latter is written.
        let table = Encoding::named("shift_jis").unwrap();
        let refused: Result<(Vec<u8>, ()), Error> =
            rewrite(b"\x87\x90", table, |text| Ok((text.to_vec(), ())));
        assert_eq!(refused, Err(Error::NotReversible("Shift_JIS")));
    }
}
