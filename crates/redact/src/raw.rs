//! What comes out of a workspace before anyone has looked at it for secrets.
//!
//! `Raw` has no way back to its text except through a [`Redactor`](crate::Redactor) or a
//! [`Permit`], so a reply that forgot to redact does not compile.

use std::fmt;

use crate::clean::Clean;

/// Text or bytes of a workspace that nobody has redacted yet.
///
/// It cannot be printed or serialised:
///
/// ```compile_fail
/// let raw = garth_redact::Raw::from("password=hunter2");
/// println!("{raw}");
/// ```
///
/// ```compile_fail
/// #[derive(serde::Serialize)]
/// struct Reply {
///     content: garth_redact::Raw,
/// }
/// ```
///
/// ```
/// let raw = garth_redact::Raw::from("password=hunter2");
/// assert_eq!(format!("{raw:?}"), "Raw(16 bytes)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Raw {
    bytes: Vec<u8>,
}

impl Raw {
    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Shows the text as it is, secrets included.
    ///
    /// Bytes that are not UTF-8 become U+FFFD.
    pub fn reveal(self, _permit: &Permit) -> Clean {
        Clean::trusted(self.into_text())
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_text(self) -> String {
        match String::from_utf8(self.bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Raw({} bytes)", self.bytes.len())
    }
}

impl From<String> for Raw {
    fn from(text: String) -> Self {
        Self { bytes: text.into_bytes() }
    }
}

impl From<&str> for Raw {
    fn from(text: &str) -> Self {
        Self { bytes: text.as_bytes().to_vec() }
    }
}

impl From<Vec<u8>> for Raw {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }
}

impl From<&[u8]> for Raw {
    fn from(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec() }
    }
}

/// The right to see a workspace's text as it is.
///
/// Whoever holds one has answered for it: it is made where an operator is authorised, or where
/// the person who starts the program turns redaction off, and nowhere else.
///
/// ```compile_fail
/// let permit = garth_redact::Permit {};
/// ```
#[derive(Debug)]
pub struct Permit {
    // Private, so that `authorised` stays the only way to one and can be searched for.
    _sealed: (),
}

impl Permit {
    /// Issues a permit; call it only right after the caller was found to be an operator.
    pub fn authorised() -> Self {
        Self { _sealed: () }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_the_length_only() {
        let raw = Raw::from("hunter2");
        assert_eq!(format!("{raw:?}"), "Raw(7 bytes)");
    }

    #[test]
    fn a_permit_reveals_the_text() {
        let clean = Raw::from("password=hunter2").reveal(&Permit::authorised());
        assert_eq!(clean.as_ref(), "password=hunter2");
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced() {
        let clean = Raw::from(&b"a\xffb"[..]).reveal(&Permit::authorised());
        assert_eq!(clean.as_ref(), "a\u{fffd}b");
    }
}
