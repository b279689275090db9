//! Takes what the search engine finds in one file and keeps what a query wants.

use std::io;

use garth_contract::{Flow, Lines, Output, WsPath};
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch};

use crate::{
    hits::{Hits, Item, RowKind},
    search::{Beyond, Plan, Searched, Spill},
};

/// How large the results of one file grow before they are offered for taking away.
const SPILL: usize = 256 << 10;
/// How many matches in one line are marked.
const MAX_SPANS: usize = 4096;
/// How far behind a multi-line match the pattern may look; ripgrep's figure.
const LOOK_AHEAD: usize = 128;
/// How much of a file the engine reads at first, to see a byte order mark.
const BOM: usize = 3;

/// Where the results of one file go.
pub(crate) struct Into<'a> {
    /// The file's path from the root.
    pub(crate) path: &'a [u8],
    pub(crate) hits: &'a mut Hits,
    pub(crate) spill: Spill<'a>,
}

pub(crate) struct Collector<'a> {
    matcher: &'a RegexMatcher,
    plan: Plan,
    into: Into<'a>,
    matches: u64,
    /// How many lines of `hits` are this file's and have no item yet.
    open_lines: usize,
    /// How large `hits` may grow before they are offered for taking away.
    spill_at: usize,
    /// How many lines after the last match have been kept.
    trailing: usize,
    binary: bool,
    /// The part of the file in which the engine has not looked for a NUL.
    unchecked: &'a [u8],
    nul_ahead: bool,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(matcher: &'a RegexMatcher, plan: Plan, into: Into<'a>) -> Self {
        let spill_at = into.hits.bytes() + SPILL;
        Self {
            matcher,
            plan,
            into,
            matches: 0,
            open_lines: 0,
            spill_at,
            trailing: 0,
            binary: false,
            unchecked: &[],
            nul_ahead: false,
        }
    }

    /// Makes the first match look for a NUL in the rest of the file.
    pub(crate) fn watch_for_nul(&mut self, rest: &'a [u8]) {
        self.unchecked = rest;
    }

    /// Tells whether the result may differ from that of reading in pieces.
    pub(crate) fn must_be_read_in_pieces(&self, bytes: &[u8]) -> bool {
        let head = bytes.get(..BOM).unwrap_or(bytes);
        self.plan.lines == Lines::Single
            && (self.nul_ahead || (self.binary && head.contains(&b'\n')))
    }

    /// Ends the file and says how it went.
    pub(crate) fn finish(mut self) -> Searched {
        // A count that a NUL cut short is none, though lines before it were seen.
        if self.binary && self.plan.output == Output::Count {
            self.matches = 0;
        }
        let path = if self.matches == 0 { None } else { WsPath::from_bytes(self.into.path).ok() };
        if let Some(path) = path {
            match self.plan.output {
                Output::Content => {
                    self.into.hits.items.push(Item::Lines {
                        path,
                        count: self.open_lines,
                        end: true,
                    });
                }
                Output::Files => self.into.hits.items.push(Item::File(path)),
                Output::Count => self.into.hits.items.push(Item::Count(path, self.matches)),
            }
        }
        let matches = match self.plan.output {
            Output::Content => self.matches,
            Output::Files | Output::Count => self.matches.min(1),
        };
        Searched { matches, binary: self.binary }
    }

    fn keep_line(&mut self, number: Option<u64>, kind: RowKind, bytes: &[u8]) -> bool {
        let text = without_ending(bytes);
        self.into.hits.text.extend_from_slice(text);
        self.into.hits.close_row(number.unwrap_or(0), kind);
        self.open_lines += 1;
        self.into.hits.bytes() < self.spill_at || self.spill_lines()
    }

    fn spill_lines(&mut self) -> bool {
        let Ok(path) = WsPath::from_bytes(self.into.path) else { return false };
        self.into.hits.items.push(Item::Lines { path, count: self.open_lines, end: false });
        self.open_lines = 0;
        let flow = (self.into.spill)(self.into.hits);
        self.spill_at = self.into.hits.bytes() + SPILL;
        flow == Flow::Continue
    }

    /// Notes where in the line, or lines, the pattern matches.
    fn keep_spans(&mut self, found: &SinkMatch<'_>) -> io::Result<()> {
        let range = found.bytes_range_in_buffer();
        let length = without_ending(found.bytes()).len();
        let end = match self.plan.lines {
            Lines::Single if self.plan.terminator.is_crlf() => range.start + length,
            Lines::Single => range.end - usize::from(found.bytes().ends_with(b"\n")),
            Lines::Multi => range.end.saturating_add(LOOK_AHEAD).min(found.buffer().len()),
        };
        let haystack = found.buffer().get(..end).unwrap_or_default();
        let spans = &mut self.into.hits.spans;
        let limit = spans.len() + MAX_SPANS;
        self.matcher
            .find_iter_at(haystack, range.start, |span| {
                if span.start() >= range.end {
                    return false;
                }
                let place = |at: usize| at.saturating_sub(range.start).min(length);
                spans.push(place(span.start())..place(span.end()));
                spans.len() < limit
            })
            .map_err(io::Error::from)
    }

    /// How many matches a found piece counts for.
    fn count(&self, found: &SinkMatch<'_>) -> io::Result<u64> {
        if (self.plan.output, self.plan.lines) != (Output::Count, Lines::Multi) {
            return Ok(1);
        }
        let range = found.bytes_range_in_buffer();
        let mut count = 0;
        self.matcher
            .find_iter_at(found.buffer(), range.start, |span| {
                count += u64::from(span.start() < range.end);
                span.start() < range.end
            })
            .map_err(io::Error::from)?;
        Ok(count)
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if memchr::memchr(0, std::mem::take(&mut self.unchecked)).is_some() {
            self.nul_ahead = true;
            return Ok(false);
        }
        self.matches += self.count(found)?;
        match self.plan.output {
            Output::Files => return Ok(false),
            Output::Count => return Ok(true),
            Output::Content => {}
        }
        if self.matches > self.plan.enough {
            return Ok(self.plan.beyond == Beyond::Count);
        }
        self.keep_spans(found)?;
        self.trailing = 0;
        let goes_on = self.keep_line(found.line_number(), RowKind::Match, found.bytes());
        Ok(goes_on && !self.is_done())
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> io::Result<bool> {
        let kind = match found.kind() {
            SinkContextKind::Before => RowKind::Before,
            SinkContextKind::After | SinkContextKind::Other => RowKind::After,
        };
        if self.matches >= self.plan.enough && kind == RowKind::Before {
            return Ok(self.plan.beyond == Beyond::Count);
        }
        if self.matches > self.plan.enough {
            return Ok(true);
        }
        self.trailing += usize::from(kind == RowKind::After);
        let goes_on = self.keep_line(found.line_number(), kind, found.bytes());
        Ok(goes_on && !self.is_done())
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

impl Collector<'_> {
    /// Tells whether all that can be of use has been kept.
    fn is_done(&self) -> bool {
        self.plan.beyond == Beyond::Stop
            && self.matches >= self.plan.enough
            && self.trailing >= self.plan.after
    }
}

fn without_ending(line: &[u8]) -> &[u8] {
    let Some(line) = line.strip_suffix(b"\n") else { return line };
    line.strip_suffix(b"\r").unwrap_or(line)
}
