//! Where the group of a pattern is, in a match whose end is known.
//!
//! To ask the pattern itself costs more than to find it. So its parts are followed one by one: what
//! stands before the group, the group, and what stands behind it. A part takes what it likes best;
//! where the next ones go on from there and come to the end that is known, the whole pattern has
//! done the same. Where they do not, it is asked after all.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use super::automaton::Automaton;

/// The group of a pattern.
pub(super) struct Group {
    before: Automaton,
    inside: Inside,
    pattern: &'static str,
    whole: OnceLock<Option<Regex>>,
}

/// The group and what stands behind it.
enum Inside {
    /// Both together, and how long the latter always is.
    Joined(Box<Automaton>, usize),
    Apart([Box<Automaton>; 2]),
}

impl Group {
    pub(super) fn new(pattern: &'static str) -> Option<Self> {
        let [before, inside, behind] = split(pattern)?;
        // A part begins where a text does.
        let part = |text: &str| Automaton::new(&format!("^(?:{text})")).map(Box::new);
        let inside = match fixed_len(behind) {
            Some(len) => Inside::Joined(part(&format!("(?:{inside}){behind}"))?, len),
            None => Inside::Apart([part(inside)?, part(behind)?]),
        };
        let before = Automaton::new(before)?;
        Some(Self { before, inside, pattern, whole: OnceLock::new() })
    }

    /// Where the group is in a match that begins where `text` does and ends at `end`.
    pub(super) fn find(&self, text: &str, end: usize) -> Option<Range<usize>> {
        self.by_parts(text.as_bytes(), end).or_else(|| self.by_whole(text, end))
    }

    fn by_parts(&self, text: &[u8], end: usize) -> Option<Range<usize>> {
        let follow = |part: &Automaton, from: usize| {
            let reached = part.reach(text.get(from..)?, part.start())?;
            Some(from + reached)
        };
        let begin = follow(&self.before, 0)?;
        let (group_end, reached) = match &self.inside {
            Inside::Joined(both, len) => (end.checked_sub(*len)?, follow(both, begin)?),
            Inside::Apart([inside, behind]) => {
                let group_end = follow(inside, begin)?;
                (group_end, follow(behind, group_end)?)
            }
        };
        (reached == end).then_some(begin..group_end)
    }

    fn by_whole(&self, text: &str, end: usize) -> Option<Range<usize>> {
        let whole = self.whole.get_or_init(|| Regex::new(self.pattern).ok()).as_ref()?;
        // What may come behind the end that is known cannot change which match it is.
        let mut slots = [None; 4];
        whole.search_slots(&Input::new(text).range(..end).anchored(Anchored::Yes), &mut slots)?;
        let [.., begin, end] = slots;
        Some(begin?.get()..end?.get())
    }
}

/// The length of all that a part matches, where it is always the same.
fn fixed_len(part: &str) -> Option<usize> {
    let parsed = syntax::parse(part).ok()?;
    let least = parsed.properties().minimum_len()?;
    (parsed.properties().maximum_len() == Some(least)).then_some(least)
}

/// Whether a pattern has a group.
pub(super) fn has_group(pattern: &str) -> bool {
    split(pattern).is_some()
}

/// What a pattern has before its only group, in it, and behind it.
fn split(pattern: &str) -> Option<[&str; 3]> {
    let (mut depth, mut group) = (0, None);
    let mut bytes = pattern.bytes().enumerate().peekable();
    let mut in_class = false;
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b']' => in_class = false,
            _ if in_class => {}
            b'[' => in_class = true,
            b'(' => {
                let named = bytes.peek().is_some_and(|(_, next)| *next == b'?');
                if depth == 0 && !named {
                    group = Some(at);
                }
                depth += 1;
            }
            b')' => {
                depth -= 1;
                if let Some(open) = group.filter(|_| depth == 0) {
                    let [before, inside] = [pattern.get(..open)?, pattern.get(open + 1..at)?];
                    return Some([before, inside, pattern.get(at + 1..)?]);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::{Find, all};
    use super::*;

    /// Every pattern, and the texts that it finds something in.
    fn patterns() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
        all().filter_map(|(_, rule)| match &rule.find {
            Find::Pattern(pattern) => {
                Some((pattern.regex, rule.yes.iter().map(|(text, _)| *text).collect()))
            }
            Find::Assigned(..) | Find::Service(_) | Find::Formed(_) => None,
        })
    }

    #[test]
    fn every_pattern_with_a_group_is_taken_apart() {
        for (pattern, _) in patterns() {
            let regex = Regex::new(pattern).unwrap();
            assert_eq!(has_group(pattern), regex.captures_len() == 2, "{pattern}");
            let Some([before, inside, behind]) = split(pattern) else { continue };
            assert_eq!(format!("{before}({inside}){behind}"), pattern);
            assert!(Group::new(pattern).is_some(), "{pattern}");
            // Nothing that holds for the whole may be said in a part, nor may one look back.
            for part in [before, inside, behind].iter().filter(|part| **part != r"(?-u:\b)") {
                assert!(!part.starts_with(r"(?-u:\b)") && !part.contains("(?i)"), "{pattern}");
            }
            let choice = Regex::new(&format!("(?:{before}|{before})(?:{behind}|{behind})"));
            assert!(choice.is_ok(), "{pattern}");
        }
    }

    #[test]
    fn the_group_is_where_the_pattern_has_it() {
        let (mut by_parts, mut matches) = (0, 0);
        for (pattern, texts) in patterns() {
            let Some(group) = has_group(pattern).then(|| Group::new(pattern).unwrap()) else {
                continue;
            };
            let automaton = Automaton::new(pattern).unwrap();
            for text in texts.iter().flat_map(|text| [(*text).to_owned(), text.repeat(3)]) {
                for from in (0..text.len()).filter(|from| text.is_char_boundary(*from)) {
                    let text = &text[from..];
                    let Some(end) = automaton.reach(text.as_bytes(), automaton.start()) else {
                        continue;
                    };
                    let found = group.by_parts(text.as_bytes(), end);
                    let known = group.by_whole(text, end);
                    assert!(known.is_some() && (found.is_none() || found == known), "{text}");
                    by_parts += usize::from(found.is_some());
                    matches += 1;
                }
            }
        }
        assert!(by_parts * 10 > matches * 9, "{by_parts} of {matches}");
    }

    #[test]
    fn where_the_parts_leave_it_open_the_whole_pattern_says() {
        let group = Group::new("^a*(a|ab)(?:c|$)").unwrap();
        assert_eq!(group.by_parts(b"aaab", 4), None);
        assert_eq!(group.find("aaab", 4), Some(2..4));
        assert_eq!(group.find("ac", 2), Some(0..1));
        // A part that looks back sees less than the whole.
        let group = Group::new(r"^a((?-u:\b)b|bcd)(?:c|$)").unwrap();
        assert_eq!(group.find("abcd", 4), Some(1..4));
    }
}
