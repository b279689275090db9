//! Whole lines of a file that equal the lines of an old text, white space aside.
//!
//! Each distinct old line gets a number, each file line the number of the old
//! line it equals, and the sequence of numbers is searched for in one pass,
//! however repetitive the text.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use crate::fold::{Ignore, canonical, first_solid};
use crate::lines;
use crate::sequence::Search;

/// Finds every place, from the front and without overlap, where whole lines of
/// `content` equal the lines of `old`.
///
/// A place ends before the ending of its last line, or behind it when `old`
/// ends with one. A single blank line is never looked for: any would do.
pub(super) fn find(content: &[u8], old: &[u8], ignore: Ignore) -> Vec<Range<usize>> {
    let mut form = Vec::new();
    let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut forms: Vec<Vec<u8>> = Vec::new();
    let mut pattern = Vec::new();
    for line in lines::split(old) {
        canonical(line.text, ignore, &mut form);
        let number = *numbers.entry(form.clone()).or_insert(forms.len());
        if number == forms.len() {
            forms.push(form.clone());
        }
        pattern.push(number);
    }
    let mut places = Vec::new();
    // One blank line is like another; several in a row may be a place.
    let blank = forms.iter().all(Vec::is_empty);
    if blank && (pattern.len() < 2 || ignore != Ignore::Trailing) {
        return places;
    }
    let closed = old.ends_with(b"\n");
    let mut search = Search::new(pattern);
    let mut starts = VecDeque::with_capacity(search.len());
    let mut at = 0;
    for line in lines::split(content) {
        if starts.len() == search.len() {
            starts.pop_front();
        }
        starts.push_back(at);
        let next = search.next();
        let wanted = next.and_then(|number| forms.get(number)).map_or(&b""[..], Vec::as_slice);
        let number = if has_form(line.text, wanted, ignore, &mut form) {
            next
        } else if search.is_idle() {
            None
        } else {
            canonical(line.text, ignore, &mut form);
            numbers.get(&form).copied()
        };
        if search.step(number) {
            let end = if closed { at + line.width() } else { at + line.text.len() };
            places.extend(starts.front().map(|start| *start..end));
        }
        at += line.width();
    }
    places
}

/// Whether a line has the form that is looked for, the cheapest reasons against
/// it first: no line is shorter than its form.
fn has_form(line: &[u8], wanted: &[u8], ignore: Ignore, form: &mut Vec<u8>) -> bool {
    if line.len() < wanted.len() {
        return false;
    }
    if let (Some(wanted), Some(found)) = (first_solid(wanted), first_solid(line))
        && wanted != found
    {
        return false;
    }
    canonical(line, ignore, form);
    form == wanted
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
    fn one_blank_line_is_no_place_and_several_in_a_row_are_one() {
        assert!(texts("a\n\nb\n", "   ", Ignore::Amount).is_empty());
        assert!(texts("a\n\nb\n", " \n", Ignore::Trailing).is_empty());
        assert_eq!(texts("a\n \n\t\nb\n", "\n\n", Ignore::Trailing), [" \n\t\n"]);
    }

    #[test]
    fn an_old_text_that_ends_a_line_meets_a_file_that_does_not() {
        assert_eq!(texts("a\n  b", "a\nb\n", Ignore::Amount), ["a\n  b"]);
    }
}
