//! Line windows over bytes: from the front, from the end, whole or in chunks.
//!
//! `\n` ends a line and a `\r` right before it belongs to the ending. A last
//! line without `\n` is a line; an empty text has none. Lines are counted from
//! 1 wherever a number leaves this module.

mod scan;
mod tail;

use std::ops::Range;

use memchr::{memchr, memchr_iter};

pub use scan::{Fed, Scan};
pub use tail::{Front, Tail};

/// The longest line that is shown whole, in characters.
pub const LINE_CHARS: usize = 2_000;

/// Some consecutive lines of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Where the lines stand, endings included.
    pub range: Range<usize>,
    /// The facts about them.
    pub span: Span,
}

/// Which lines a window holds, and what lies beyond them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The number of the first line of the window, also when it is empty.
    pub first: usize,
    /// How many lines the window holds.
    pub lines: usize,
    /// Whether the text goes on after the window.
    pub more: bool,
    /// The number of lines of the whole text, known once its end was seen.
    pub total: Option<usize>,
}

/// One line and what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The line without its ending.
    pub text: &'a [u8],
    /// `\n`, `\r\n`, or nothing for a last line without an ending.
    pub ending: &'a [u8],
}

impl Line<'_> {
    /// The length of the line with its ending.
    pub fn width(&self) -> usize {
        self.text.len() + self.ending.len()
    }
}

/// A line as it is shown: the front that fits, and how much does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The characters that are shown.
    pub kept: &'a str,
    /// How many characters were cut off.
    pub missing: usize,
}

/// Finds the lines after the first `skip`, at most `take` of them.
///
/// It stops looking where the window ends, so the total is known only when the
/// window reaches the end of the text.
pub fn window(text: &[u8], skip: usize, take: usize) -> Window {
    let mut scan = Scan::new(skip, take);
    let fed = scan.feed(text);
    Window { range: fed.wanted, span: scan.finish() }
}

/// Counts the lines of a text.
pub fn count(text: &[u8]) -> usize {
    let open = !matches!(text.last(), None | Some(b'\n'));
    memchr_iter(b'\n', text).count() + usize::from(open)
}

/// Walks over the lines of a text.
pub fn split(text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (whole, after) = rest.split_at(end);
        rest = after;
        Some(part(whole))
    })
}

/// Cuts a line for display to at most `max` characters.
pub fn cut(line: &str, max: usize) -> Cut<'_> {
    // A character has at least one byte, so a short line needs no counting.
    if line.len() <= max {
        return Cut { kept: line, missing: 0 };
    }
    match line.char_indices().nth(max) {
        Some((at, _)) => {
            let (kept, rest) = line.split_at(at);
            Cut { kept, missing: rest.chars().count() }
        }
        None => Cut { kept: line, missing: 0 },
    }
}

fn part(whole: &[u8]) -> Line<'_> {
    let text = match whole.strip_suffix(b"\n") {
        Some(text) => text.strip_suffix(b"\r").unwrap_or(text),
        None => whole,
    };
    let (text, ending) = whole.split_at(text.len());
    Line { text, ending }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &[u8], skip: usize, take: usize) -> (&[u8], Span) {
        let window = window(text, skip, take);
        (&text[window.range], window.span)
    }

    #[test]
    fn a_window_in_the_middle_says_that_more_follows() {
        let (lines, span) = shown(b"a\nb\r\nc\nd\n", 1, 2);
        assert_eq!(lines, b"b\r\nc\n");
        assert_eq!(span, Span { first: 2, lines: 2, more: true, total: None });
    }

    #[test]
    fn a_window_that_reaches_the_end_knows_the_total() {
        let (lines, span) = shown(b"a\nb\nc", 1, 10);
        assert_eq!(lines, b"b\nc");
        assert_eq!(span, Span { first: 2, lines: 2, more: false, total: Some(3) });
        let (lines, span) = shown(b"a\nb\n", 0, 2);
        assert_eq!(lines, b"a\nb\n");
        assert_eq!(span, Span { first: 1, lines: 2, more: false, total: Some(2) });
    }

    #[test]
    fn a_window_past_the_end_is_empty_and_says_how_long_the_text_is() {
        let (lines, span) = shown(b"a\nb", 5, 1);
        assert_eq!(lines, b"");
        assert_eq!(span, Span { first: 6, lines: 0, more: false, total: Some(2) });
    }

    #[test]
    fn an_empty_text_has_no_lines() {
        let (lines, span) = shown(b"", 0, 10);
        assert_eq!(lines, b"");
        assert_eq!(span, Span { first: 1, lines: 0, more: false, total: Some(0) });
        assert_eq!(count(b""), 0);
    }

    #[test]
    fn counting_takes_an_open_last_line_for_a_line() {
        assert_eq!(count(b"\n"), 1);
        assert_eq!(count(b"a\nb"), 2);
        assert_eq!(count(b"a\nb\n"), 2);
    }

    #[test]
    fn splitting_keeps_every_byte() {
        let text = b"a\r\n\n\rb\rc\n\r\nend\r";
        let parts: Vec<_> = split(text).map(|line| (line.text, line.ending)).collect();
        let expected: Vec<(&[u8], &[u8])> = vec![
            (b"a", b"\r\n"),
            (b"", b"\n"),
            (b"\rb\rc", b"\n"),
            (b"", b"\r\n"),
            (b"end\r", b""),
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn a_long_line_is_cut_between_characters_and_says_how_many_are_missing() {
        let line = "é".repeat(5);
        assert_eq!(cut(&line, 3), Cut { kept: "ééé", missing: 2 });
        assert_eq!(cut(&line, 5), Cut { kept: &line, missing: 0 });
        assert_eq!(cut("abc", 0), Cut { kept: "", missing: 3 });
    }
}
