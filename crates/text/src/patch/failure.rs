//! Why a patch was refused, in types and in the words a caller reads.

use std::fmt;

use crate::encoding;

/// A patch that does not follow the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line of the patch, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: Malformed,
}

/// What does not follow the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The patch does not begin with its marker.
    NoBegin,
    /// The patch does not end with its marker.
    NoEnd,
    /// The patch changes nothing.
    Empty,
    /// A line stands where the header of a file must.
    BadHeader,
    /// A header names no file.
    NoPath,
    /// A line of a new file does not begin with `+`.
    BadAddition,
    /// A line of an update begins with none of its signs.
    BadUpdate,
    /// An update neither changes nor moves its file.
    EmptyUpdate,
    /// A chunk has no lines.
    EmptyChunk,
}

/// A chunk that does not fit its file; the file is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplyError {
    /// Which chunk of the update, from 0.
    pub chunk: usize,
    /// The line of the patch where the chunk begins, from 1.
    pub line: usize,
    /// Why it does not fit.
    pub why: Misfit,
}

/// Why a chunk does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// A line after `@@` is not in the file behind the chunk before.
    HeaderNotFound,
    /// The context and removed lines are not there.
    NotFound,
    /// They are there only at the price of a forgiving match, and then more
    /// than once.
    Ambiguous {
        /// The first two lines where they begin.
        lines: [usize; 2],
    },
    /// Finding the chunks of this patch in this file takes too much work.
    TooMuchWork,
}

/// Why a file in some encoding was not patched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// A chunk does not fit.
    Patch(ApplyError),
    /// The file or the new lines do not fit the encoding.
    Encoding(encoding::Error),
}

impl From<encoding::Error> for FileError {
    fn from(error: encoding::Error) -> Self {
        Self::Encoding(error)
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            Malformed::NoBegin => "the first line must be '*** Begin Patch'",
            Malformed::NoEnd => "the last line must be '*** End Patch'",
            Malformed::Empty => "the patch changes no file",
            Malformed::BadHeader => {
                "expected '*** Add File: PATH', '*** Delete File: PATH' or '*** Update File: PATH'"
            }
            Malformed::NoPath => "the header names no file",
            Malformed::BadAddition => "every line of a new file begins with '+'",
            Malformed::BadUpdate => "every line of an update begins with ' ', '+', '-' or '@@'",
            Malformed::EmptyUpdate => "the update changes nothing",
            Malformed::EmptyChunk => "no lines follow '@@'",
        };
        write!(out, "invalid patch, line {}: {what}", self.line)
    }
}

impl fmt::Display for ApplyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        match self.why {
            Misfit::HeaderNotFound => {
                write!(out, "the '@@' line of the chunk at patch line {line} is not in the file")
            }
            Misfit::NotFound => {
                write!(out, "the lines of the chunk at patch line {line} are not in the file")
            }
            Misfit::Ambiguous { lines: [first, second] } => write!(
                out,
                "the chunk at patch line {line} fits lines {first} and {second}, neither exactly; \
                 add context"
            ),
            Misfit::TooMuchWork => {
                write!(out, "the patch has too many chunks for a file of this size; split it")
            }
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Patch(error) => error.fmt(out),
            Self::Encoding(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for ParseError {}
impl std::error::Error for ApplyError {}
impl std::error::Error for FileError {}
