//! Looks for a pattern in one file after another.
//!
//! The engines are ripgrep's own crates, set up as ripgrep sets them up, so the
//! lines found are the lines it finds.

use std::io::{self, Read};

use garth_contract::{Flow, Lines, Output, Query, Result};
use grep_matcher::LineTerminator;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, MmapChoice, Searcher, SearcherBuilder};

use crate::{
    collect::{Collector, Into},
    hits::Hits,
    pattern,
};

/// The most memory for one line, or for one file of a multi-line search.
///
/// A file that needs more is reported as unreadable.
const MAX_HELD: usize = 64 << 20;
/// How far into a file the engine looks for a NUL before it searches.
const BINARY_WINDOW: usize = 64 << 10;

/// The content half of a query, compiled; each thread makes a [`FileSearch`].
#[derive(Clone, Debug)]
pub struct Search {
    matcher: RegexMatcher,
    pub(crate) plan: Plan,
}

/// What is kept of a file's matches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) output: Output,
    pub(crate) lines: Lines,
    pub(crate) terminator: LineTerminator,
    pub(crate) before: usize,
    pub(crate) after: usize,
    /// How many matches of one file can be of use.
    pub(crate) enough: u64,
    pub(crate) beyond: Beyond,
}

/// What to do when a file has more matches than can be of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// Go on with the next file.
    Stop,
    /// Count them all the same.
    Count,
}

/// How the search of one file went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// How many results the file has, as far as it was searched.
    pub matches: u64,
    /// Whether a NUL ended the search.
    pub binary: bool,
}

/// Called when the results of one file grow large; may take them away.
pub type Spill<'a> = &'a mut dyn FnMut(&mut Hits) -> Flow;

impl Search {
    /// Compiles the pattern of a query that has one.
    ///
    /// # Errors
    /// `INVALID_PATTERN` with the position of what is wrong.
    pub fn compile(query: &Query) -> Result<Option<Self>> {
        let Some(grep) = &query.grep else { return Ok(None) };
        let clamp = |lines: u64| usize::try_from(lines.min(1 << 32)).unwrap_or(usize::MAX);
        let plan = Plan {
            output: grep.output,
            lines: grep.lines,
            terminator: match pattern::ends_lines(grep) {
                true => LineTerminator::crlf(),
                false => LineTerminator::byte(b'\n'),
            },
            before: clamp(grep.before),
            after: clamp(grep.after),
            enough: query.skip.saturating_add(query.take),
            beyond: match query.order {
                garth_contract::Order::Path => Beyond::Stop,
                garth_contract::Order::Newest => Beyond::Count,
            },
        };
        Ok(Some(Self { matcher: pattern::compile(grep)?, plan }))
    }

    /// Makes what one thread searches with.
    #[must_use]
    pub fn start(&self) -> FileSearch {
        let context = |lines| if self.plan.output == Output::Content { lines } else { 0 };
        let searcher = SearcherBuilder::new()
            .line_number(self.plan.output == Output::Content)
            .multi_line(self.plan.lines == Lines::Multi)
            .line_terminator(self.plan.terminator)
            .before_context(context(self.plan.before))
            .after_context(context(self.plan.after))
            .binary_detection(BinaryDetection::quit(0))
            .memory_map(MmapChoice::never())
            .heap_limit(Some(MAX_HELD))
            .build();
        FileSearch { matcher: self.matcher.clone(), searcher, plan: self.plan }
    }
}

/// A search that is reused for one file after another.
#[derive(Debug)]
pub struct FileSearch {
    matcher: RegexMatcher,
    searcher: Searcher,
    plan: Plan,
}

impl FileSearch {
    /// Searches a file whose bytes are at hand and adds its results to `hits`.
    ///
    /// # Errors
    /// Only where the file needs more memory than a search may take.
    pub fn bytes(
        &mut self,
        path: &[u8],
        bytes: &[u8],
        hits: &mut Hits,
        spill: Spill<'_>,
    ) -> io::Result<Searched> {
        let mark = hits.mark();
        let mut collector = Collector::new(&self.matcher, self.plan, Into { path, hits, spill });
        if self.plan.lines == Lines::Single {
            collector.watch_for_nul(bytes.get(BINARY_WINDOW..).unwrap_or_default());
        }
        self.searcher.search_slice(&self.matcher, bytes, &mut collector)?;
        if !collector.must_be_read_in_pieces(bytes) {
            return Ok(collector.finish());
        }
        // Where a NUL follows text, what is found before it depends on the pieces in
        // which the file is read; these are ripgrep's. Nothing was spilled: the NUL was
        // seen before the first match was kept.
        hits.rewind(mark);
        self.reader(path, bytes, hits, spill)
    }

    /// Searches a file as it is read and adds its results to `hits`.
    ///
    /// # Errors
    /// What the reader returns, and a line too long for memory.
    pub fn reader(
        &mut self,
        path: &[u8],
        from: impl Read,
        hits: &mut Hits,
        spill: Spill<'_>,
    ) -> io::Result<Searched> {
        let mut collector = Collector::new(&self.matcher, self.plan, Into { path, hits, spill });
        let outcome = self.searcher.search_reader(&self.matcher, from, &mut collector);
        // What was found before an error counts all the same.
        let searched = collector.finish();
        outcome.map(|()| searched)
    }
}

#[cfg(test)]
mod tests;
