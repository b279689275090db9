//! Why an edit was refused, in types and in the words a caller reads.

use std::fmt;

use super::Level;

/// One edit of a call was refused, and so nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which edit of the call it was, from 0.
    pub edit: usize,
    /// How many edits the call had.
    pub of: usize,
    /// What was wrong.
    pub why: Why,
}

/// What was wrong with an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// No level found the old text.
    NotFound {
        /// The line that comes closest to where the old text might begin.
        nearest: Option<usize>,
    },
    /// The first level that found the old text found it more than once.
    Ambiguous {
        /// The level that found it.
        level: Level,
        /// The first lines where it begins.
        lines: Vec<usize>,
        /// How often it occurs.
        total: usize,
    },
    /// Old and new text are the same, or differ only in line endings, which
    /// follow the file.
    Same,
    /// The old text is empty.
    EmptyOld,
    /// The new text stands for code with a placeholder instead of having it.
    Omission {
        /// The line of the new text that has the placeholder.
        line: usize,
    },
    /// The text would grow beyond reason.
    TooLarge {
        /// The most bytes it may have.
        limit: usize,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.why)?;
        if self.of > 1 {
            write!(out, " (edit {} of {}; none was applied)", self.edit + 1, self.of)?;
        }
        Ok(())
    }
}

impl fmt::Display for Why {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { nearest: Some(line) } => {
                write!(out, "oldString not found in content; the nearest place is line {line}")
            }
            Self::NotFound { nearest: None } => write!(out, "oldString not found in content"),
            Self::Ambiguous { level, lines, total } => {
                write!(out, "Found multiple matches for oldString: ")?;
                write_lines(out, lines, *total)?;
                match level {
                    Level::Exact => Ok(()),
                    Level::LineEndings
                    | Level::Typography
                    | Level::TrailingWhitespace
                    | Level::Indentation => write!(out, ", none of them exact ({level})"),
                }
            }
            Self::Same => write!(out, "oldString and newString make no difference"),
            Self::EmptyOld => write!(out, "oldString is empty, and the file exists"),
            Self::Omission { line } => write!(
                out,
                "line {line} of newString is a placeholder for omitted code; write the code itself"
            ),
            Self::TooLarge { limit } => {
                write!(out, "the edited content would have more than {limit} bytes")
            }
        }
    }
}

impl std::error::Error for Failure {}

fn write_lines(out: &mut fmt::Formatter<'_>, lines: &[usize], total: usize) -> fmt::Result {
    write!(out, "lines ")?;
    for (index, line) in lines.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(out, "{comma}{line}")?;
    }
    match total.saturating_sub(lines.len()) {
        0 => Ok(()),
        more => write!(out, " and {more} more"),
    }
}
