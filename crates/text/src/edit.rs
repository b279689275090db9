//! The edit engine: an old text is found, exactly or nearly, and replaced.
//!
//! Levels go from strict to forgiving, and each stands or falls on its own:
//! the first that finds the old text decides. It must find it in exactly one
//! place of the whole file, unless all places are to be replaced. Deliberately
//! absent is every level that guesses: block anchors, edit distance, context,
//! escapes, parts of lines that differ in white space. They have deleted code.
//!
//! A byte outside the places that are reported never changes.

mod blocks;
mod failure;
mod find;
mod nearest;
mod omission;
mod rebuild;

use std::fmt;
use std::ops::Range;

use crate::encoding::{self, Encoding};
use find::{Found, Lines};
use rebuild::Change;

pub use failure::{Failure, Why};

/// How many places a report lists; the count is always whole.
pub const MAX_PLACES: usize = 1_000;

/// How many lines an ambiguous match lists.
const MAX_LINES: usize = 20;

/// How much a call may add to a text: a long new text for every letter of a
/// file must not fill the memory.
const MAX_GROWTH: usize = 256 << 20;

/// One replacement to make.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'a> {
    /// The text to find.
    pub old: &'a str,
    /// The text to put in its place, taken literally.
    pub new: &'a str,
    /// Whether one place or all of them are meant.
    pub replace: Replace,
}

/// How many places an edit may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Exactly one; more are refused.
    One,
    /// All that the first successful level finds.
    All,
}

/// How near a match must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Byte for byte.
    Exact,
    /// Also at the forgiving levels.
    Forgiving,
}

/// What may differ between an old text and the place where it is found. Each
/// level also forgives what those before it do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing.
    Exact,
    /// `\n` against `\r\n`.
    LineEndings,
    /// Quotes, dashes, spaces and the ellipsis against their plain forms.
    Typography,
    /// White space at the end of whole lines.
    TrailingWhitespace,
    /// The amount of white space in whole lines; the new text is re-indented.
    Indentation,
}

impl Level {
    const ALL: [Self; 5] = [
        Self::Exact,
        Self::LineEndings,
        Self::Typography,
        Self::TrailingWhitespace,
        Self::Indentation,
    ];
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Exact => "exact",
            Self::LineEndings => "line endings differ",
            Self::Typography => "typography differs",
            Self::TrailingWhitespace => "trailing whitespace differs",
            Self::Indentation => "whitespace differs",
        })
    }
}

/// A text after all edits of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The whole new content.
    pub bytes: Vec<u8>,
    /// What each edit did, in order.
    pub reports: Vec<Report>,
}

/// What one edit did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How near the match was.
    pub level: Level,
    /// How many places were replaced.
    pub count: usize,
    /// The first [`MAX_PLACES`] of them.
    pub places: Vec<Place>,
}

/// One replaced place, in the text as the edit found it and as it left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line where the place begins, in both texts alike up to the first
    /// place and counted in the text as the edit found it.
    pub line: usize,
    /// The replaced bytes.
    pub before: Range<usize>,
    /// The bytes that stand there now.
    pub after: Range<usize>,
}

/// Why a file in some encoding was not edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// An edit was refused.
    Edit(Failure),
    /// The file or the new text does not fit the encoding.
    Encoding(encoding::Error),
}

impl From<encoding::Error> for FileError {
    fn from(error: encoding::Error) -> Self {
        Self::Encoding(error)
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edit(failure) => failure.fmt(out),
            Self::Encoding(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for FileError {}

/// Applies edits to UTF-8 text, in order, all or none.
///
/// ```
/// use garth_text::edit::{Edit, Level, Mode, Replace, apply};
///
/// let edit = Edit { old: "    old()", new: "    new()", replace: Replace::One };
/// let edited = apply(b"if ok {\n\told()\n}\n", &[edit], Mode::Forgiving).unwrap();
/// assert_eq!(edited.bytes, b"if ok {\n\tnew()\n}\n");
/// assert_eq!(edited.reports[0].level, Level::Indentation);
/// ```
///
/// # Errors
///
/// The first edit that is refused, with its index; the text is then unchanged.
pub fn apply(content: &[u8], edits: &[Edit<'_>], mode: Mode) -> Result<Edited, Failure> {
    let limit = content.len().saturating_add(MAX_GROWTH);
    let mut edited: Option<Vec<u8>> = None;
    let mut reports = Vec::with_capacity(edits.len());
    for (index, edit) in edits.iter().enumerate() {
        let current = edited.as_deref().unwrap_or(content);
        let (bytes, report) = apply_one(current, *edit, mode, limit).map_err(|why| Failure {
            edit: index,
            of: edits.len(),
            why,
        })?;
        edited = Some(bytes);
        reports.push(report);
    }
    Ok(Edited { bytes: edited.unwrap_or_else(|| content.to_vec()), reports })
}

/// Applies edits to a whole file, in order, all or none.
///
/// The byte order mark is no part of the text and stays. The places in the
/// reports are those of the decoded text.
///
/// # Errors
///
/// Those of [`apply`], and a file or a new text that does not fit the encoding.
pub fn apply_to_file(
    bytes: &[u8],
    encoding: Encoding,
    edits: &[Edit<'_>],
    mode: Mode,
) -> Result<Edited, FileError> {
    let text = encoding::decode(bytes, encoding)?;
    apply_to_decoded((bytes, &text), encoding, edits, mode)
}

/// Applies edits to a whole file that was decoded before: its bytes and their text.
///
/// # Errors
///
/// Those of [`apply_to_file`].
pub fn apply_to_decoded(
    file: (&[u8], &str),
    encoding: Encoding,
    edits: &[Edit<'_>],
    mode: Mode,
) -> Result<Edited, FileError> {
    let (bytes, reports) = encoding::rewrite_decoded(file, encoding, |text| {
        let edited = apply(text, edits, mode).map_err(FileError::Edit)?;
        Ok::<_, FileError>((edited.bytes, edited.reports))
    })?;
    Ok(Edited { bytes, reports })
}

fn apply_one(
    content: &[u8],
    edit: Edit<'_>,
    mode: Mode,
    limit: usize,
) -> Result<(Vec<u8>, Report), Why> {
    if edit.old == edit.new {
        return Err(Why::Same);
    }
    if edit.old.is_empty() {
        return Err(Why::EmptyOld);
    }
    if let Some(line) = omission::find(edit.old, edit.new) {
        return Err(Why::Omission { line });
    }
    let old = edit.old.as_bytes();
    let Some(found) = find::find(content, old, mode) else {
        return Err(Why::NotFound { nearest: nearest::line(content, old) });
    };
    if edit.replace == Replace::One && found.count > 1 {
        let lines = found.places(content).take(MAX_LINES);
        let lines = Lines::of(content, lines).map(|(line, _)| line).collect();
        return Err(Why::Ambiguous { level: found.level, lines, total: found.count });
    }
    splice(content, edit, &found, limit)
}

fn splice(
    content: &[u8],
    edit: Edit<'_>,
    found: &Found<'_>,
    limit: usize,
) -> Result<(Vec<u8>, Report), Why> {
    let change = Change::new(edit, found.level, content);
    let mut last: Option<Vec<u8>> = None;
    let mut bytes = Vec::with_capacity(content.len() + edit.new.len());
    let mut places = Vec::new();
    let mut changed = false;
    let mut from = 0;
    for (line, before) in Lines::of(content, found.places(content)) {
        let place = content.get(before.clone()).unwrap_or_default();
        let fresh = match last.take().filter(|_| change.is_constant()) {
            Some(fresh) => fresh,
            None => change.replacement(place).ok_or(Why::NotFound { nearest: Some(line) })?,
        };
        changed |= fresh != place;
        bytes.extend_from_slice(content.get(from..before.start).unwrap_or_default());
        let start = bytes.len();
        bytes.extend_from_slice(&fresh);
        if bytes.len() > limit {
            return Err(Why::TooLarge { limit });
        }
        from = before.end;
        if places.len() < MAX_PLACES {
            places.push(Place { line, before, after: start..bytes.len() });
        }
        last = Some(fresh);
    }
    bytes.extend_from_slice(content.get(from..).unwrap_or_default());
    if !changed {
        return Err(Why::Same);
    }
    Ok((bytes, Report { level: found.level, count: found.count, places }))
}
