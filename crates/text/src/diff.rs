//! What changed between two texts, line by line.
//!
//! Most changes are small and most files are not, so what both texts have in
//! common at either end is skipped in blocks, at the speed of comparing memory,
//! and only the lines between are compared one by one.

mod compare;
mod trim;
mod unified;

use std::ops::Range;

use memchr::memchr_iter;

use crate::lines;
use compare::{Change, compare};
use trim::Middle;

pub use unified::{Limit, Names, Unified};

/// How many unchanged lines are shown around a change.
pub const CONTEXT: usize = 3;

/// The difference between two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff<'a> {
    /// The changed regions, in order, with the lines around them.
    pub hunks: Vec<Hunk<'a>>,
    /// How many lines the new text has that the old one has not.
    pub added: usize,
    /// How many lines the old text has that the new one has not.
    pub removed: usize,
}

/// A changed region with the unchanged lines around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// The lines of the old text that it covers.
    pub old: Span,
    /// The lines of the new text that it covers.
    pub new: Span,
    /// All of them, in reading order.
    pub lines: Vec<Line<'a>>,
}

/// Consecutive lines of one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first line, from 1.
    pub first: usize,
    /// How many lines there are.
    pub count: usize,
    /// Where the first begins, in bytes of the whole text.
    pub start: usize,
    /// Where the last ends.
    pub end: usize,
}

/// One line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// In which text it stands.
    pub tag: Tag,
    /// The line with its ending; only the last line of a text may lack one.
    pub text: &'a [u8],
}

/// In which text a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// In both.
    Context,
    /// In the old one.
    Removed,
    /// In the new one.
    Added,
}

/// Compares two texts.
///
/// ```
/// use garth_text::diff::{Limit, Names, diff};
///
/// let names = Names { old: "a/x", new: "b/x" };
/// let unified = diff(b"one\ntwo\n", b"one\n2\n").unified(names, Limit::NONE);
/// assert_eq!(unified.text, b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
/// ```
pub fn diff<'a>(old: &'a [u8], new: &'a [u8]) -> Diff<'a> {
    diff_inside(old, new, Ends::default())
}

/// How much of two texts is known to be the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// How many bytes at their front.
    pub front: usize,
    /// How many bytes at their back.
    pub back: usize,
}

/// Compares two texts whose ends are known to be the same, without a look at those.
pub fn diff_inside<'a>(old: &'a [u8], new: &'a [u8], same: Ends) -> Diff<'a> {
    let mut found = Diff { hunks: Vec::new(), added: 0, removed: 0 };
    let Some(middle) = Middle::between(old, new, same) else { return found };
    let sides = Sides::new(old, new, &middle);
    let mut group: Vec<Change> = Vec::new();
    for change in sides.changes() {
        found.removed += change.old.len();
        found.added += change.new.len();
        let apart = group.last().is_some_and(|last| change.old.start - last.old.end > 2 * CONTEXT);
        if apart {
            found.hunks.extend(sides.hunk(&group));
            group.clear();
        }
        group.push(change);
    }
    found.hunks.extend(sides.hunk(&group));
    found
}

/// The lines that differ, and enough equal ones around them.
struct Sides<'a> {
    old: Vec<&'a [u8]>,
    new: Vec<&'a [u8]>,
    /// How many equal lines stand at the front and at the end of both.
    before: usize,
    after: usize,
    /// How many lines of either text come before all of these.
    skipped: usize,
    /// Where the first line begins in either text.
    start: usize,
}

impl<'a> Sides<'a> {
    fn new(old: &'a [u8], new: &'a [u8], middle: &Middle) -> Self {
        let head = old.get(..middle.start).unwrap_or_default();
        let tail = old.get(middle.old_end..).unwrap_or_default();
        let start = trim::back(head, CONTEXT);
        let reach = trim::ahead(tail, CONTEXT);
        let lines = |text: &'a [u8], end: usize| split(text.get(start..end).unwrap_or_default());
        Self {
            before: lines::count(head.get(start..).unwrap_or_default()),
            after: lines::count(tail.get(..reach).unwrap_or_default()),
            skipped: memchr_iter(b'\n', head.get(..start).unwrap_or_default()).count(),
            start,
            old: lines(old, middle.old_end + reach),
            new: lines(new, middle.new_end + reach),
        }
    }

    /// What was replaced by what, counted from the front of either side.
    fn changes(&self) -> Vec<Change> {
        let differing = |lines: &[&'a [u8]]| self.before..lines.len() - self.after;
        let old = self.old.get(differing(&self.old)).unwrap_or_default();
        let new = self.new.get(differing(&self.new)).unwrap_or_default();
        let mut changes = compare(old, new);
        for range in changes.iter_mut().flat_map(|change| [&mut change.old, &mut change.new]) {
            *range = range.start + self.before..range.end + self.before;
        }
        changes
    }

    /// One hunk of changes that stand close together.
    fn hunk(&self, group: &[Change]) -> Option<Hunk<'a>> {
        let (first, last) = (group.first()?, group.last()?);
        let lead = CONTEXT.min(first.old.start);
        let start = first.old.start - lead;
        let end = self.old.len().min(last.old.end + CONTEXT);
        let mut lines = Vec::new();
        let mut add = |tag: Tag, from: &[&'a [u8]], range: Range<usize>| {
            let texts = from.get(range).unwrap_or_default();
            lines.extend(texts.iter().map(|text| Line { tag, text }));
        };
        let mut at = start;
        for change in group {
            add(Tag::Context, &self.old, at..change.old.start);
            add(Tag::Removed, &self.old, change.old.clone());
            add(Tag::Added, &self.new, change.new.clone());
            at = change.old.end;
        }
        add(Tag::Context, &self.old, at..end);
        let new_start = first.new.start - lead;
        let new_end = last.new.end + (end - last.old.end);
        Some(Hunk {
            old: self.span(&self.old, start..end),
            new: self.span(&self.new, new_start..new_end),
            lines,
        })
    }

    fn span(&self, side: &[&'a [u8]], lines: Range<usize>) -> Span {
        // The lines of a side stand one after another in its text.
        let base = side.first().map_or(0, |line| line.as_ptr().addr());
        let at = |index: usize| match (side.get(index), side.last()) {
            (Some(line), _) => line.as_ptr().addr() - base,
            (None, Some(last)) => last.as_ptr().addr() - base + last.len(),
            (None, None) => 0,
        };
        Span {
            first: self.skipped + lines.start + 1,
            count: lines.len(),
            start: self.start + at(lines.start),
            end: self.start + at(lines.end),
        }
    }
}

/// The lines of a text, each with its ending.
fn split(text: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut from = 0;
    let open = (text.last() != Some(&b'\n')).then_some(text.len());
    for end in memchr_iter(b'\n', text).map(|at| at + 1).chain(open) {
        lines.extend(text.get(from..end).filter(|line| !line.is_empty()));
        from = end;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(diff(b"a\nb", b"a\nb"), Diff { hunks: vec![], added: 0, removed: 0 });
        assert_eq!(diff(b"", b""), Diff { hunks: vec![], added: 0, removed: 0 });
    }

    #[test]
    fn a_hunk_has_its_lines_their_numbers_and_the_lines_around() {
        let found = diff(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", b"1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
        let line = |tag, text: &'static str| Line { tag, text: text.as_bytes() };
        let hunk = Hunk {
            old: Span { first: 2, count: 7, start: 2, end: 16 },
            new: Span { first: 2, count: 7, start: 2, end: 19 },
            lines: vec![
                line(Tag::Context, "2\n"),
                line(Tag::Context, "3\n"),
                line(Tag::Context, "4\n"),
                line(Tag::Removed, "5\n"),
                line(Tag::Added, "five\n"),
                line(Tag::Context, "6\n"),
                line(Tag::Context, "7\n"),
                line(Tag::Context, "8\n"),
            ],
        };
        assert_eq!(found, Diff { hunks: vec![hunk], added: 1, removed: 1 });
    }

    #[test]
    fn changes_share_a_hunk_when_their_context_meets() {
        let old: Vec<u8> = (0..40).flat_map(|line| format!("{line}\n").into_bytes()).collect();
        let change = |text: &[u8], line: &str| {
            String::from_utf8(text.to_vec()).unwrap().replace(&format!("\n{line}\n"), "\nX\n")
        };
        let near = change(change(&old, "10").as_bytes(), "17");
        assert_eq!(diff(&old, near.as_bytes()).hunks.len(), 1);
        let far = change(change(&old, "10").as_bytes(), "18");
        assert_eq!(diff(&old, far.as_bytes()).hunks.len(), 2);
    }

    #[test]
    fn only_the_final_newline_can_be_the_difference() {
        let found = diff(b"a\nb", b"a\nb\n");
        assert_eq!((found.added, found.removed), (1, 1));
    }
}
