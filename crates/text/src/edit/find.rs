//! Where an old text stands in a file, at the strictest level that finds it.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

use super::{Level, Mode, blocks};
use crate::fold::{self, Dots, ELLIPSIS, Folded, Ignore};

/// All places of an old text, at one level.
pub(super) struct Found<'a> {
    pub(super) level: Level,
    pub(super) count: usize,
    /// The first of them.
    first: Vec<Range<usize>>,
    search: Search<'a>,
}

/// How many places are kept, so that the common search is made once.
const KEPT: usize = 32;

/// A search that can be run again, so that a million places need no list.
enum Search<'a> {
    Exact { old: &'a [u8], finder: Box<memmem::Finder<'a>> },
    Folded { content: Folded, old: Vec<u8> },
    Blocks(Vec<Range<usize>>),
}

/// Places with the lines (from 1) where they begin.
pub(super) struct Lines<'a, I> {
    content: &'a [u8],
    places: I,
    counted: usize,
    line: usize,
}

/// Looks for `old` level by level; the first that finds it is the answer.
pub(super) fn find<'a>(content: &[u8], old: &'a [u8], mode: Mode) -> Option<Found<'a>> {
    let levels = match mode {
        Mode::Exact => Level::ALL.get(..1),
        Mode::Forgiving => Level::ALL.get(..),
    };
    levels?.iter().find_map(|level| {
        let search = Search::new(content, old, *level)?;
        let mut places = search.places(content);
        let first: Vec<_> = places.by_ref().take(KEPT).collect();
        let count = first.len() + places.count();
        (count > 0).then_some(Found { level: *level, count, first, search })
    })
}

impl Found<'_> {
    /// The places in order; they do not overlap.
    pub(super) fn places<'s>(
        &'s self,
        content: &'s [u8],
    ) -> Box<dyn Iterator<Item = Range<usize>> + 's> {
        if self.count == self.first.len() {
            return Box::new(self.first.iter().cloned());
        }
        self.search.places(content)
    }
}

impl<'a> Search<'a> {
    /// Prepares a level; `None` when it cannot find more than those before it.
    fn new(content: &[u8], old: &'a [u8], level: Level) -> Option<Self> {
        match level {
            Level::Exact => Some(Self::Exact { old, finder: Box::new(memmem::Finder::new(old)) }),
            Level::LineEndings => {
                let has_returns = |text| memmem::find(text, b"\r\n").is_some();
                (has_returns(content) || has_returns(old)).then(|| Self::Folded {
                    content: fold::endings(content),
                    old: fold::endings(old).bytes,
                })
            }
            Level::Typography => {
                let either = fold::has_typography(content) || fold::has_typography(old);
                either.then(|| Self::typographic(content, old))
            }
            Level::TrailingWhitespace => {
                Some(Self::Blocks(blocks::find(content, old, Ignore::Trailing)))
            }
            Level::Indentation => Some(Self::Blocks(blocks::find(content, old, Ignore::Amount))),
        }
    }

    /// Takes three dots for an ellipsis only when nothing is found without.
    fn typographic(content: &[u8], old: &[u8]) -> Self {
        let folded = |dots| Self::Folded {
            content: fold::typography(content, dots),
            old: fold::typography(old, dots).bytes,
        };
        let apart = folded(Dots::Apart);
        let has_ellipsis = |text| memmem::find(text, ELLIPSIS).is_some();
        if apart.places(content).next().is_none() && (has_ellipsis(content) || has_ellipsis(old)) {
            return folded(Dots::Together);
        }
        apart
    }

    fn places<'s>(&'s self, content: &'s [u8]) -> Box<dyn Iterator<Item = Range<usize>> + 's> {
        match self {
            Self::Exact { old, finder } => {
                let mut free = 0;
                Box::new(finder.find_iter(content).map(move |start| {
                    let end = start + old.len();
                    let place = whole_ending(content, start, free)..end;
                    free = end;
                    place
                }))
            }
            Self::Folded { content: folded, old } => Box::new(
                memmem::find_iter(&folded.bytes, old)
                    .map(|start| folded.original(start)..folded.original(start + old.len())),
            ),
            Self::Blocks(places) => Box::new(places.iter().cloned()),
        }
    }
}

/// A place that begins with the `\n` of a `\r\n` begins with all of it, or the
/// `\r` would be left behind in front of a new ending.
fn whole_ending(content: &[u8], start: usize, free: usize) -> usize {
    match start.checked_sub(1) {
        Some(before) if before >= free && content.get(before..=start) == Some(b"\r\n") => before,
        Some(_) | None => start,
    }
}

impl<'a, I> Lines<'a, I> {
    pub(super) fn of(content: &'a [u8], places: I) -> Self {
        Self { content, places, counted: 0, line: 1 }
    }
}

impl<I: Iterator<Item = Range<usize>>> Iterator for Lines<'_, I> {
    type Item = (usize, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.places.next()?;
        let passed = self.content.get(self.counted..place.start).unwrap_or_default();
        self.line += memchr_iter(b'\n', passed).count();
        self.counted = place.start;
        Some((self.line, place))
    }
}
