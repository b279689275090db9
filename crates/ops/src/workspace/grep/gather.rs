//! Takes results of a search as they come, as many and as much as a reply holds.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use garth_contract::{Flow, Found, Line, LineKind, Sink, WsPath};

/// Of a longer line, the part around its first match is kept.
const MOST_LINE: usize = 64 << 10;
/// The most bytes of lines that are kept in all.
const MOST_BYTES: usize = 32 << 20;

/// A sink that keeps a page of results.
pub(super) struct Gather {
    take: u64,
    gathered: Mutex<Gathered>,
}

/// What came.
#[derive(Default)]
pub(super) struct Gathered {
    /// Lines, for an output of content.
    pub(super) lines: Vec<Kept>,
    /// Files and their counts, for the other outputs.
    pub(super) files: Vec<(WsPath, u64)>,
    /// How many results are kept; lines around matches do not count.
    pub(super) results: u64,
    /// Whether more results came than were wanted.
    pub(super) more: bool,
    bytes: usize,
}

/// A line, or the part of one around its match.
pub(super) struct Kept {
    pub(super) path: WsPath,
    pub(super) number: u64,
    pub(super) kind: LineKind,
    pub(super) text: Vec<u8>,
    /// Where in the text the first match stands.
    pub(super) matched: Range<usize>,
    /// The character of the whole line at which it begins, from 1.
    pub(super) column: u64,
    /// Whether text before or after this part is missing.
    pub(super) before: bool,
    pub(super) after: bool,
}

impl Gather {
    pub(super) fn new(take: u64) -> Self {
        Self { take, gathered: Mutex::default() }
    }

    pub(super) fn finish(&self) -> Gathered {
        std::mem::take(&mut self.gathered.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sink for Gather {
    fn accept(&self, found: Found<'_>) -> Flow {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = match &found {
            Found::Line(line) => line.kind == LineKind::Match,
            Found::Entry(_) | Found::Name(..) | Found::File(_) | Found::Count(..) => true,
        };
        let full = gathered.results >= self.take || gathered.bytes > MOST_BYTES;
        if counts && full {
            gathered.more = true;
            return Flow::Stop;
        }
        gathered.results += u64::from(counts);
        match found {
            Found::Line(line) => {
                let kept = Kept::of(&line);
                gathered.bytes += kept.text.len();
                gathered.lines.push(kept);
            }
            Found::File(path) => gathered.files.push((path.clone(), 0)),
            Found::Count(path, count) => gathered.files.push((path.clone(), count)),
            Found::Entry(_) | Found::Name(..) => {}
        }
        Flow::Continue
    }
}

impl Kept {
    fn of(line: &Line<'_>) -> Self {
        let matched = line.spans.first().cloned().unwrap_or(0..0);
        let start = if line.text.len() > MOST_LINE {
            matched.start.saturating_sub(MOST_LINE / 2)
        } else {
            0
        };
        let end = line.text.len().min(start + MOST_LINE);
        Self {
            path: line.path.clone(),
            number: line.number,
            kind: line.kind,
            text: line.text.get(start..end).unwrap_or_default().to_vec(),
            column: characters(line.text.get(..matched.start).unwrap_or_default()) + 1,
            matched: matched.start - start..matched.end.min(end).saturating_sub(start),
            before: start > 0,
            after: end < line.text.len(),
        }
    }
}

/// How many characters a text has; a byte that is no part of one counts as one.
fn characters(text: &[u8]) -> u64 {
    String::from_utf8_lossy(text).chars().count() as u64
}
