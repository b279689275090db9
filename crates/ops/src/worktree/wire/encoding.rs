//! How a content is written in JSON: as text, or as bytes in base64.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::{Code, Error, Result};
use garth_text::encoding::{Encoding, decode};

use crate::text_file::named;

/// How a content is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::worktree) enum Form {
    /// As text; the file is in this encoding where the caller named one.
    Text(Option<Encoding>),
    /// As bytes.
    Base64,
}

impl Form {
    /// Reads what a caller sent as `encoding`.
    ///
    /// # Errors
    /// `INVALID_ENCODING` for an unknown name.
    pub(in crate::worktree) fn of(name: Option<&str>) -> Result<Self> {
        match name {
            None => Ok(Self::Text(None)),
            Some(name) if name.eq_ignore_ascii_case("base64") => Ok(Self::Base64),
            Some(name) => Ok(match named(Some(name))? {
                // It says that the content is text, which a file can be in another encoding.
                Some(Encoding::Utf8) | None => Self::Text(None),
                other => Self::Text(other),
            }),
        }
    }
}

/// The bytes of a content in base64.
///
/// # Errors
/// `INVALID_ENCODING`.
pub(in crate::worktree) fn decoded(content: &str) -> Result<Vec<u8>> {
    STANDARD
        .decode(content)
        .map_err(|_| Error::new(Code::InvalidEncoding, "content is not valid base64"))
}

/// Bytes in base64.
pub(in crate::worktree) fn encoded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Bytes as text that may hold secrets, and the encoding to write it in again.
///
/// It is text by other rules than a file's type is told by: whatever reads as UTF-8,
/// or as UTF-16 after its mark. The mark is the first character of the text.
pub(in crate::worktree) fn text_of(bytes: &[u8]) -> Option<(Encoding, Cow<'_, str>)> {
    let encoding = match Encoding::from_bom(bytes) {
        Some(marked @ (Encoding::Utf16Le | Encoding::Utf16Be)) => unmarked(marked),
        Some(Encoding::Utf8 | Encoding::Utf8Bom | Encoding::Named(_)) | None => Encoding::Utf8,
    };
    decode(bytes, encoding).ok().map(|text| (encoding, text))
}

/// The encoding in which the mark of a text is one of its characters.
pub(in crate::worktree) fn unmarked(encoding: Encoding) -> Encoding {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => Encoding::Utf8,
        Encoding::Utf16Le | Encoding::Utf16Be => {
            Encoding::named(encoding.name()).unwrap_or(encoding)
        }
        Encoding::Named(_) => encoding,
    }
}
