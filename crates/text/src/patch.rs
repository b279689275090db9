//! Patches in the `*** Begin Patch` grammar: parsed, and applied to one file.
//!
//! A patch changes several files; whoever owns them makes that a transaction.
//! Here a patch is turned into changes, and the chunks of an update into the
//! new content of their file. Context lines say where a chunk goes and are
//! never rewritten: what a patch does not change stays byte for byte.

mod apply;
mod failure;
mod parse;
mod rows;

use crate::encoding::{self, Encoding};

pub use apply::apply;
pub use failure::{ApplyError, FileError, Malformed, Misfit, ParseError};
pub use parse::parse;

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// Writes a file, new or not.
    Add {
        /// Where.
        path: &'a str,
        /// Its whole content, in lines that end with `\n`.
        content: String,
    },
    /// Removes a file.
    Delete {
        /// Where.
        path: &'a str,
    },
    /// Changes lines of a file, moves it, or both.
    Update {
        /// Where it is.
        path: &'a str,
        /// Where it goes, if it moves.
        to: Option<&'a str>,
        /// What changes in it; empty only when it moves unchanged.
        chunks: Vec<Chunk<'a>>,
    },
}

/// Lines that change together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The line of the patch where the chunk begins, from 1.
    pub line: usize,
    /// Lines that stand somewhere before it in the file, from the outside in.
    pub headers: Vec<&'a str>,
    /// Its lines, in order.
    pub lines: Vec<Line<'a>>,
    /// Where in the file it stands.
    pub place: Place,
}

/// One line of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// What happens to it.
    pub tag: Tag,
    /// The line without its sign.
    pub text: &'a str,
}

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// It stays.
    Context,
    /// It goes.
    Removed,
    /// It comes.
    Added,
}

/// Where in its file a chunk stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Behind the chunk before it.
    Anywhere,
    /// At the end.
    EndOfFile,
}

/// What may differ between the lines of a chunk and those of the file. Each
/// level also forgives what those before it do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing.
    Exact,
    /// White space at the end of lines.
    TrailingWhitespace,
    /// White space at both ends; added lines are re-indented.
    Indentation,
    /// Quotes, dashes, spaces and the ellipsis against their plain forms.
    Typography,
}

/// A file after an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Its whole new content.
    pub bytes: Vec<u8>,
    /// Where each chunk went, in order.
    pub chunks: Vec<Placed>,
}

/// Where a chunk went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The line of the old file where it begins, from 1.
    pub line: usize,
    /// How near the match was.
    pub level: Level,
}

/// Applies the chunks of an update to a whole file in some encoding.
///
/// # Errors
///
/// Those of [`apply`], and a file or new lines that do not fit the encoding.
pub fn apply_to_file(
    bytes: &[u8],
    encoding: Encoding,
    chunks: &[Chunk<'_>],
) -> Result<Applied, FileError> {
    let (bytes, chunks) = encoding::rewrite(bytes, encoding, |text| {
        let applied = apply(text, chunks).map_err(FileError::Patch)?;
        Ok::<_, FileError>((applied.bytes, applied.chunks))
    })?;
    Ok(Applied { bytes, chunks })
}
