//! Text that may leave a workspace, and the few ways to come by it.
//!
//! A `Clean` comes from a redactor, from our own fixed sentences, or from pieces that are clean
//! themselves. There is no `From<String>`: a string may hold anything.

use std::fmt::{self, Write as _};
use std::ops::{Deref, Range};

use serde::{Serialize, Serializer};

/// Text that was redacted, or never held file contents.
///
/// ```compile_fail
/// let clean = garth_redact::Clean::from(String::from("password=hunter2"));
/// ```
///
/// ```compile_fail
/// let clean: garth_redact::Clean = "password=hunter2".into();
/// ```
///
/// ```compile_fail
/// fn sneak(text: &str) -> garth_redact::Clean {
///     garth_redact::Clean::fixed(text)
/// }
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clean {
    text: String,
}

impl Clean {
    /// A sentence of our own, known when the program was compiled.
    pub fn fixed(text: &'static str) -> Self {
        Self { text: text.to_owned() }
    }

    /// The pieces with `separator` between them.
    pub fn join<'a>(pieces: impl IntoIterator<Item = &'a Self>, separator: &'static str) -> Self {
        let mut writer = CleanWriter::new();
        for (index, piece) in pieces.into_iter().enumerate() {
            if index > 0 {
                writer.put(separator);
            }
            writer.put(piece);
        }
        writer.finish()
    }

    /// A part of the text; `None` where the range is outside it or cuts a character.
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        self.text.get(range).map(|part| Self { text: part.to_owned() })
    }

    /// The text, for those that need to own it.
    pub fn into_string(self) -> String {
        self.text
    }

    /// Vouches for `text`; every call is in this crate and behind a redactor or a permit.
    pub(crate) fn trusted(text: String) -> Self {
        Self { text }
    }
}

impl Deref for Clean {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl AsRef<str> for Clean {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.text)
    }
}

impl fmt::Debug for Clean {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, out)
    }
}

impl Serialize for Clean {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// A value whose printed form holds no file contents.
///
/// Implementing it is a promise: numbers, codes and names of our own qualify; a string read from
/// a workspace, or a type that wraps one, does not.
pub trait Plain: fmt::Display {}

impl Plain for Clean {}
impl Plain for &'static str {}
impl Plain for bool {}
impl<T: Plain> Plain for &T {}

macro_rules! plain_numbers {
    ($($number:ty),*) => { $(impl Plain for $number {})* };
}
plain_numbers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);

/// Composes clean text from clean pieces.
#[derive(Debug, Default)]
pub struct CleanWriter {
    text: String,
}

impl CleanWriter {
    /// An empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends one piece.
    pub fn put(&mut self, piece: impl Plain) -> &mut Self {
        // Writing to a string fails only when the piece's own Display does; what it wrote until
        // then is as clean as the rest.
        let _ = write!(self.text, "{piece}");
        self
    }

    /// Length so far, in bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The composed text.
    pub fn finish(self) -> Clean {
        Clean { text: self.text }
    }
}

/// Composes a [`Clean`](crate::Clean) from pieces, each of them [`Plain`](crate::Plain).
///
/// ```
/// let name = garth_redact::Clean::fixed("src/main.rs");
/// let text = garth_redact::clean![3, " lines in ", &name];
/// assert_eq!(text.as_ref(), "3 lines in src/main.rs");
/// ```
///
/// ```compile_fail
/// let content = String::from("password=hunter2");
/// let text = garth_redact::clean!["content: ", content.as_str()];
/// ```
#[macro_export]
macro_rules! clean {
    ($($piece:expr),* $(,)?) => {{
        let mut writer = $crate::CleanWriter::new();
        $(writer.put($piece);)*
        writer.finish()
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_joined_in_order() {
        let parts = [Clean::fixed("a"), Clean::fixed("b"), Clean::fixed("c")];
        assert_eq!(Clean::join(&parts, ", ").as_ref(), "a, b, c");
        assert_eq!(clean![1_u8, "/", 2_usize, " ", true].as_ref(), "1/2 true");
    }

    #[test]
    fn a_slice_never_cuts_a_character() {
        let clean = Clean::fixed("äb");
        assert_eq!(clean.slice(0..2).as_deref(), Some("ä"));
        assert_eq!(clean.slice(0..1), None);
        assert_eq!(clean.slice(0..9), None);
    }

    #[test]
    fn it_serialises_as_a_plain_string() {
        assert_eq!(serde_json::to_string(&Clean::fixed("a\"b")).unwrap(), "\"a\\\"b\"");
    }
}
