//! One pass over a text that finds where rules have to be tried.
//!
//! Everything else costs only where a keyword stands, so text without any costs this scan alone.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::rules;

/// A place where a keyword begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) keyword: usize,
}

/// The keywords of the whole table.
pub(crate) struct Keywords {
    automaton: AhoCorasick,
    /// Keyword by keyword: its text and the rules that are tried at it.
    rows: Vec<(&'static str, Vec<usize>)>,
    longest: usize,
}

impl Keywords {
    /// The keywords, put together on first use.
    pub(crate) fn get() -> Option<&'static Self> {
        static KEYWORDS: OnceLock<Option<Keywords>> = OnceLock::new();
        // The table is fixed, so this fails in the tests, or never.
        KEYWORDS.get_or_init(Self::build).as_ref()
    }

    fn build() -> Option<Self> {
        let mut rows: Vec<(&'static str, Vec<usize>)> = Vec::new();
        for (index, rule) in rules::all() {
            for &keyword in rule.keywords {
                match rows.iter_mut().find(|(known, _)| *known == keyword) {
                    Some((_, rules)) => rules.push(index),
                    None => rows.push((keyword, vec![index])),
                }
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(rows.iter().map(|(keyword, _)| keyword))
            .ok()?;
        let longest = rows.iter().map(|(keyword, _)| keyword.len()).max().unwrap_or(0);
        Some(Self { automaton, rows, longest })
    }

    /// The rules to try at a keyword.
    pub(crate) fn rules(&self, keyword: usize) -> &[usize] {
        self.rows.get(keyword).map_or(&[], |(_, rules)| rules)
    }

    /// Whether a rule of this keyword looks beyond its line.
    pub(crate) fn crosses_lines(&self, keyword: usize) -> bool {
        self.rules(keyword)
            .iter()
            .any(|&index| rules::get(index).is_some_and(|rule| rule.crosses_lines()))
    }

    /// A keyword that ends behind `at` begins within so many bytes before it.
    pub(crate) fn overlap(&self) -> usize {
        self.longest.saturating_sub(1)
    }

    /// The hits in `text` that end behind `known`, by where they end.
    pub(crate) fn hits(&self, text: &str, known: usize) -> impl Iterator<Item = Hit> {
        let found = self.automaton.find_overlapping_iter(text);
        found
            .filter(move |hit| hit.end() > known)
            .map(|hit| Hit { start: hit.start(), keyword: hit.pattern().as_usize() })
    }

    /// How many bytes at the end of `text` may be the beginning of a keyword.
    pub(crate) fn unfinished(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        let most = self.overlap().min(bytes.len());
        let begins = |tail: &[u8]| {
            self.rows.iter().any(|(keyword, _)| {
                keyword
                    .as_bytes()
                    .get(..tail.len())
                    .is_some_and(|head| head.eq_ignore_ascii_case(tail))
            })
        };
        (1..=most)
            .rev()
            .find(|&len| bytes.get(bytes.len() - len..).is_some_and(begins))
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_found_in_any_case_and_inside_each_other() {
        let keywords = Keywords::get().unwrap();
        let found: Vec<&str> = keywords
            .hits("MY_Aws_Secret_Access_Key", 0)
            .map(|hit| keywords.rows[hit.keyword].0)
            .collect();
        for keyword in ["aws_secret", "secret", "secret_access_key", "access_key", "_key"] {
            assert!(found.contains(&keyword), "{keyword} in {found:?}");
        }
    }

    #[test]
    fn the_beginning_of_a_keyword_is_noticed() {
        let keywords = Keywords::get().unwrap();
        assert_eq!(keywords.unfinished("x pAs"), 3);
        assert_eq!(keywords.unfinished("x -----beg"), 8);
        assert_eq!(keywords.unfinished("$ "), 0);
    }

    #[test]
    fn keywords_are_lower_case_and_stay_on_a_line() {
        for (keyword, _) in &Keywords::get().unwrap().rows {
            assert_eq!(keyword.to_ascii_lowercase(), *keyword);
            assert!(!keyword.contains('\n') && keyword.len() > 1);
        }
    }
}
