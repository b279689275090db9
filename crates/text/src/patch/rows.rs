//! The lines of a file that a patch is applied to, and where chunks fit.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use memchr::{memchr, memchr2};

use super::{Level, Misfit};
use crate::endings::Ending;
use crate::fold::{Ignore, canonical};
use crate::sequence::Search;

/// The most lines that are looked at for all chunks of an update together.
const MAX_STEPS: usize = 1 << 28;

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breaks {
    /// `\n` and `\r\n`: the patch itself has a lone `\r` inside a line.
    Feeds,
    /// A lone `\r` too.
    All,
}

/// A line and what ends it.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) text: &'a [u8],
    pub(super) ending: &'a [u8],
}

/// Which of several fitting places is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The first, at any level.
    First,
    /// The first exact one, or the only one of a forgiving level.
    Certain,
    /// The one at the end.
    Last,
}

/// The lines of a file.
pub(super) struct Rows<'a> {
    pub(super) rows: Vec<Row<'a>>,
    numbered: [OnceCell<Numbered<'a>>; 4],
    steps: usize,
}

/// The lines of a file at one level: equal lines have equal numbers.
struct Numbered<'a> {
    numbers: Vec<usize>,
    table: HashMap<Cow<'a, [u8]>, usize>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(content: &'a [u8], breaks: Breaks) -> Self {
        let mut rows = Vec::new();
        let mut rest = content;
        while !rest.is_empty() {
            let found = match breaks {
                Breaks::Feeds => memchr(b'\n', rest),
                Breaks::All => memchr2(b'\n', b'\r', rest),
            };
            let (text, ending) = rest.split_at(found.unwrap_or(rest.len()));
            let (text, ending) = match text.strip_suffix(b"\r") {
                Some(front) if ending.starts_with(b"\n") => rest.split_at(front.len()),
                Some(_) | None => (text, ending),
            };
            let width = if ending.starts_with(b"\r\n") { 2 } else { ending.len().min(1) };
            let (ending, after) = ending.split_at(width);
            rows.push(Row { text, ending });
            rest = after;
        }
        Self { rows, numbered: [const { OnceCell::new() }; 4], steps: 0 }
    }

    /// How a new line ends: like the first line of the file.
    pub(super) fn ending(&self) -> &'a [u8] {
        let first = self.rows.first().map_or(&b""[..], |row| row.ending);
        if first.is_empty() { Ending::Lf.bytes() } else { first }
    }

    /// Finds lines that stand together at or behind the row `from`; returns
    /// the first of them and the strictest level that finds them.
    pub(super) fn seek(
        &mut self,
        lines: &[&[u8]],
        from: usize,
        wanted: Wanted,
    ) -> Result<(usize, Level), Misfit> {
        let levels =
            [Level::Exact, Level::TrailingWhitespace, Level::Indentation, Level::Typography];
        for level in levels {
            let (first, second) = self.seek_at(level, lines, from, wanted)?;
            match (first, second) {
                (Some(first), Some(second))
                    if wanted == Wanted::Certain && level != Level::Exact =>
                {
                    return Err(Misfit::Ambiguous { lines: [first + 1, second + 1] });
                }
                (Some(first), _) => return Ok((first, level)),
                (None, _) => {}
            }
        }
        Err(Misfit::NotFound)
    }

    /// The first two places at one level; of the second only where it matters.
    fn seek_at(
        &mut self,
        level: Level,
        lines: &[&[u8]],
        from: usize,
        wanted: Wanted,
    ) -> Result<(Option<usize>, Option<usize>), Misfit> {
        let from = match wanted {
            Wanted::First | Wanted::Certain => from,
            Wanted::Last => match self.rows.len().checked_sub(lines.len()) {
                Some(start) if start >= from => start,
                Some(_) | None => return Ok((None, None)),
            },
        };
        let numbered = self.numbered(level);
        let pattern: Option<Vec<usize>> = lines
            .iter()
            .map(|line| numbered.table.get(form(line, level).as_ref()).copied())
            .collect();
        let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty()) else {
            return Ok((None, None));
        };
        let mut search = Search::new(pattern);
        let mut found = numbered
            .numbers
            .iter()
            .enumerate()
            .skip(from)
            .filter(|(_, number)| search.step(Some(**number)))
            .map(|(last, _)| last + 1 - lines.len());
        let first = found.next();
        let unique = wanted == Wanted::Certain && level != Level::Exact;
        let second = if unique { found.next() } else { None };
        drop(found);
        let reached = match first {
            Some(first) if !unique => first + lines.len(),
            Some(_) | None => self.rows.len(),
        };
        self.steps += reached.saturating_sub(from);
        if self.steps > MAX_STEPS { Err(Misfit::TooMuchWork) } else { Ok((first, second)) }
    }

    fn numbered(&self, level: Level) -> &Numbered<'a> {
        let [exact, trailing, indentation, typography] = &self.numbered;
        let cell = match level {
            Level::Exact => exact,
            Level::TrailingWhitespace => trailing,
            Level::Indentation => indentation,
            Level::Typography => typography,
        };
        cell.get_or_init(|| {
            let mut table = HashMap::new();
            let mut number = |row: &Row<'a>| {
                let next = table.len();
                *table.entry(form(row.text, level)).or_insert(next)
            };
            let numbers = self.rows.iter().map(&mut number).collect();
            Numbered { numbers, table }
        })
    }
}

/// The form in which lines are compared at a level.
fn form(line: &[u8], level: Level) -> Cow<'_, [u8]> {
    match level {
        Level::Exact => Cow::Borrowed(line),
        Level::TrailingWhitespace => Cow::Borrowed(line.trim_ascii_end()),
        Level::Indentation => Cow::Borrowed(line.trim_ascii()),
        Level::Typography => {
            let mut folded = Vec::new();
            canonical(line, Ignore::Outer, &mut folded);
            Cow::Owned(folded)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_looked_at_counts_and_the_sum_is_bounded() {
        let mut rows = Rows::new(b"a\nb\nc \nd\n", Breaks::All);
        assert_eq!(rows.seek(&[b"c"], 0, Wanted::Certain), Ok((2, Level::TrailingWhitespace)));
        assert_eq!(rows.steps, 4, "all lines, to be sure that it is the only one");
        rows.steps = MAX_STEPS;
        assert_eq!(rows.seek(&[b"a"], 0, Wanted::First), Err(Misfit::TooMuchWork));
    }
}
