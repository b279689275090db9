//! The chunks of an update, applied to the content of their file.

use std::borrow::Cow;

use super::rows::{Breaks, Row, Rows, Wanted};
use super::{Applied, ApplyError, Chunk, Level, Line, Misfit, Place, Placed, Tag};
use crate::indent::{Block, reindent};

/// Applies the chunks of an update to UTF-8 text, all or none.
///
/// Chunks are looked for in order, each behind the one before: first exactly,
/// then with forgiven white space, then with forgiven typography. A forgiving
/// match must be the only one, unless `@@` lines or the end of the file say
/// where it stands. Added lines end like the first line of the file. A chunk
/// that only adds goes behind its `@@` line, or to the end of the file.
///
/// # Errors
///
/// The first chunk that does not fit; the text is then unchanged.
pub fn apply(content: &[u8], chunks: &[Chunk<'_>]) -> Result<Applied, ApplyError> {
    let has_return = |line: &Line<'_>| line.text.contains('\r');
    let breaks = if chunks.iter().flat_map(|chunk| &chunk.lines).any(has_return) {
        Breaks::Feeds
    } else {
        Breaks::All
    };
    let mut session = Session { content, rows: Rows::new(content, breaks), splices: Vec::new() };
    let mut placed = Vec::with_capacity(chunks.len());
    let mut from = 0;
    for (index, chunk) in chunks.iter().enumerate() {
        let fitted = session.fit(chunk, from);
        let (place, end) =
            fitted.map_err(|why| ApplyError { chunk: index, line: chunk.line, why })?;
        placed.push(place);
        from = end;
    }
    Ok(Applied { bytes: session.spliced(), chunks: placed })
}

/// A file on its way to its new content.
struct Session<'a, 'c> {
    content: &'a [u8],
    rows: Rows<'a>,
    splices: Vec<Splice<'c>>,
}

/// Rows that go, and the lines that come in their place.
struct Splice<'c> {
    start: usize,
    end: usize,
    lines: Vec<Cow<'c, [u8]>>,
}

impl<'c> Session<'_, 'c> {
    /// Finds where a chunk goes at or behind the row `from`; returns that and
    /// the row behind it.
    fn fit(&mut self, chunk: &Chunk<'c>, mut from: usize) -> Result<(Placed, usize), Misfit> {
        for header in &chunk.headers {
            let found = self.rows.seek(&[header.as_bytes()], from, Wanted::First);
            from = match found {
                Ok((row, _)) => row + 1,
                Err(Misfit::NotFound) => return Err(Misfit::HeaderNotFound),
                Err(other) => return Err(other),
            };
        }
        let lines = chunk.lines.as_slice();
        if lines.iter().all(|line| line.tag == Tag::Added) {
            return Ok((self.insert(chunk, from), from));
        }
        let wanted = match chunk.place {
            Place::EndOfFile => Wanted::Last,
            Place::Anywhere if chunk.headers.is_empty() => Wanted::Certain,
            Place::Anywhere => Wanted::First,
        };
        match self.replace(lines, from, wanted) {
            // Blank lines before the next header belong to nothing.
            Err(Misfit::NotFound) => self.replace(without_blank_end(lines), from, wanted),
            other => other,
        }
    }

    /// Adds lines where the chunk has no others to find its place by.
    fn insert(&mut self, chunk: &Chunk<'c>, behind: usize) -> Placed {
        let row = match chunk.place {
            Place::Anywhere if !chunk.headers.is_empty() => behind,
            Place::Anywhere | Place::EndOfFile => self.rows.rows.len(),
        };
        let lines = chunk.lines.iter().map(|line| line.text.as_bytes().into()).collect();
        self.splices.push(Splice { start: row, end: row, lines });
        Placed { line: row + 1, level: Level::Exact }
    }

    fn replace(
        &mut self,
        lines: &[Line<'c>],
        from: usize,
        wanted: Wanted,
    ) -> Result<(Placed, usize), Misfit> {
        let side = |other: Tag| -> Vec<&'c [u8]> {
            lines.iter().filter(|line| line.tag != other).map(|line| line.text.as_bytes()).collect()
        };
        let (old, new) = (side(Tag::Added), side(Tag::Removed));
        let (start, level) = self.rows.seek(&old, from, wanted)?;
        let end = start + old.len();
        let rows = self.rows.rows.get(start..end).unwrap_or_default();
        let file: Vec<&[u8]> = rows.iter().map(|row| row.text).collect();
        for run in runs(lines) {
            let block = Block {
                file: &file,
                old: &old,
                new: &new,
                gone: run.old_start..run.old_end,
                come: run.new_start..run.new_end,
            };
            let lines = match level {
                Level::Exact | Level::TrailingWhitespace => {
                    let added = new.get(block.come).unwrap_or_default();
                    added.iter().map(|line| (*line).into()).collect()
                }
                Level::Indentation | Level::Typography => {
                    let indented = reindent(&block, self.content).ok_or(Misfit::NotFound)?;
                    indented.into_iter().map(Into::into).collect()
                }
            };
            let (start, end) = (start + run.old_start, start + run.old_end);
            self.splices.push(Splice { start, end, lines });
        }
        Ok((Placed { line: start + 1, level }, end))
    }

    /// The new content.
    fn spliced(mut self) -> Vec<u8> {
        // A chunk that adds at the end may come before others in the patch.
        self.splices.sort_by_key(|splice| splice.start);
        let ending = self.rows.ending();
        let mut page = Page { bytes: Vec::with_capacity(self.content.len()), ending, open: false };
        let mut at = 0;
        for splice in &self.splices {
            page.keep(self.rows.rows.get(at..splice.start).unwrap_or_default());
            for text in &splice.lines {
                page.put(&Row { text, ending });
            }
            at = splice.end;
        }
        page.keep(self.rows.rows.get(at..).unwrap_or_default());
        page.bytes
    }
}

/// Text that is written line by line.
struct Page<'a> {
    bytes: Vec<u8>,
    ending: &'a [u8],
    /// The last line has no ending, and needs one if another follows.
    open: bool,
}

impl Page<'_> {
    fn keep(&mut self, rows: &[Row<'_>]) {
        rows.iter().for_each(|row| self.put(row));
    }

    fn put(&mut self, row: &Row<'_>) {
        if self.open {
            self.bytes.extend_from_slice(self.ending);
        }
        self.bytes.extend_from_slice(row.text);
        self.bytes.extend_from_slice(row.ending);
        self.open = row.ending.is_empty();
    }
}

/// Changed lines without context between them, counted on both sides.
#[derive(Clone, Copy, Default)]
struct Run {
    old_start: usize,
    old_end: usize,
    new_start: usize,
    new_end: usize,
}

fn runs(lines: &[Line<'_>]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut run = Run::default();
    let is_change = |run: &Run| run.old_start < run.old_end || run.new_start < run.new_end;
    for line in lines {
        match line.tag {
            Tag::Removed => run.old_end += 1,
            Tag::Added => run.new_end += 1,
            Tag::Context => {
                runs.push(run);
                let (old, new) = (run.old_end + 1, run.new_end + 1);
                run = Run { old_start: old, old_end: old, new_start: new, new_end: new };
            }
        }
    }
    runs.push(run);
    runs.retain(is_change);
    runs
}

fn without_blank_end<'s, 'c>(lines: &'s [Line<'c>]) -> &'s [Line<'c>] {
    let is_blank = |line: &Line<'_>| line.tag == Tag::Context && line.text.is_empty();
    let kept = lines.iter().rposition(|line| !is_blank(line)).map_or(0, |last| last + 1);
    lines.get(..kept).unwrap_or_default()
}
