//! Whole lines of a file that equal the lines of an old text, white space aside.
//!
//! Each distinct old line gets a number, each file line the number of the old
//! line it equals, and the sequence of numbers is searched for with the failure
//! table of Knuth, Morris and Pratt: one pass, however repetitive the text.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use crate::fold::{Ignore, canonical};
use crate::lines;

/// Finds every place, from the front and without overlap, where whole lines of
/// `content` equal the lines of `old`.
///
/// A place ends before the ending of its last line, or behind it when `old`
/// ends with one. White space alone is never looked for: any blank line would
/// do.
pub(super) fn find(content: &[u8], old: &[u8], ignore: Ignore) -> Vec<Range<usize>> {
    let mut form = Vec::new();
    let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
    let pattern: Vec<usize> = lines::split(old)
        .map(|line| {
            canonical(line.text, ignore, &mut form);
            let next = numbers.len();
            *numbers.entry(form.clone()).or_insert(next)
        })
        .collect();
    let blank = numbers.keys().all(Vec::is_empty);
    let mut places = Vec::new();
    if blank {
        return places;
    }
    let closed = old.ends_with(b"\n");
    let mut search = Search::new(pattern);
    let mut starts = VecDeque::with_capacity(search.pattern.len());
    let mut at = 0;
    for line in lines::split(content) {
        if starts.len() == search.pattern.len() {
            starts.pop_front();
        }
        starts.push_back(at);
        canonical(line.text, ignore, &mut form);
        if search.step(numbers.get(&form).copied()) {
            let end = if closed { at + line.width() } else { at + line.text.len() };
            places.extend(starts.front().map(|start| *start..end));
        }
        at += line.width();
    }
    places
}

/// A search for one sequence of numbers in a stream of them.
struct Search {
    pattern: Vec<usize>,
    /// For each length of a matched front: the longest shorter front that also
    /// ends there.
    shorter: Vec<usize>,
    matched: usize,
}

impl Search {
    fn new(pattern: Vec<usize>) -> Self {
        let mut shorter = vec![0; pattern.len() + 1];
        let mut length = 0;
        for (index, number) in pattern.iter().enumerate().skip(1) {
            while length > 0 && pattern.get(length) != Some(number) {
                length = shorter.get(length).copied().unwrap_or(0);
            }
            if pattern.get(length) == Some(number) {
                length += 1;
            }
            if let Some(slot) = shorter.get_mut(index + 1) {
                *slot = length;
            }
        }
        Self { pattern, shorter, matched: 0 }
    }

    /// Takes the next number; true when the pattern ends with it. The next
    /// match begins behind it.
    fn step(&mut self, number: Option<usize>) -> bool {
        let Some(number) = number else {
            self.matched = 0;
            return false;
        };
        while self.matched > 0 && self.pattern.get(self.matched) != Some(&number) {
            self.matched = self.shorter.get(self.matched).copied().unwrap_or(0);
        }
        if self.pattern.get(self.matched) == Some(&number) {
            self.matched += 1;
        }
        if self.matched < self.pattern.len() {
            return false;
        }
        self.matched = 0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(content: &'a str, old: &str, ignore: Ignore) -> Vec<&'a str> {
        find(content.as_bytes(), old.as_bytes(), ignore)
            .into_iter()
            .map(|place| &content[place])
            .collect()
    }

    #[test]
    fn a_place_covers_whole_lines_and_stops_before_the_last_ending() {
        let content = "x\n  a  \r\n\tb\t\r\ny";
        assert_eq!(texts(content, "a\nb", Ignore::Amount), ["  a  \r\n\tb\t"]);
        assert_eq!(texts(content, "a\nb\n", Ignore::Amount), ["  a  \r\n\tb\t\r\n"]);
        assert_eq!(texts(content, "  a\n\tb", Ignore::Trailing), ["  a  \r\n\tb\t"]);
        assert!(texts(content, "a\nb", Ignore::Trailing).is_empty());
    }

    #[test]
    fn part_of_a_line_is_no_match() {
        assert!(texts("before foo = 1 after\n", "foo  =  1", Ignore::Amount).is_empty());
        assert!(texts("f() {\n\tg()\n}\n", "{\n    g()\n}", Ignore::Amount).is_empty());
    }

    #[test]
    fn overlapping_candidates_are_found_like_a_careful_reader_would() {
        assert_eq!(texts("a\na\nb\n", "a\nb", Ignore::Trailing), ["a\nb"]);
        assert_eq!(texts("a\nb\na\na\nb\na\nc", "a\nb\na\nc", Ignore::Trailing), ["a\nb\na\nc"]);
        assert_eq!(texts("a\na\na\na\na\n", "a\na", Ignore::Trailing), ["a\na", "a\na"]);
    }

    #[test]
    fn blank_lines_alone_are_never_looked_for() {
        assert!(texts("a\n\nb\n", "   ", Ignore::Amount).is_empty());
        assert!(texts("a\n\nb\n", " \n", Ignore::Trailing).is_empty());
    }

    #[test]
    fn an_old_text_that_ends_a_line_meets_a_file_that_does_not() {
        assert_eq!(texts("a\n  b", "a\nb\n", Ignore::Amount), ["a\n  b"]);
    }
}
