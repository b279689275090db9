//! One pass over a text that finds where rules have to be tried.
//!
//! Everything else costs only where a keyword stands, so text without any costs this scan alone.
//! Where one may stand is guessed from four bytes at a time; here it is compared, and asked whether
//! any rule would take it behind the byte before it.

mod fold;
mod grams;
mod runs;

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::head::first_bytes;
use crate::near::Name;
use crate::prefixed;
use crate::rules;
use grams::{Grams, Guess, Wanted};
use runs::Runs;

/// A place where a keyword begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) keyword: usize,
}

/// The keywords of the whole table.
pub(crate) struct Keywords {
    grams: Grams,
    /// Keyword by keyword: its text and the rules that are tried at it.
    rows: Vec<(&'static str, Vec<usize>)>,
    /// The same keywords, as names of services.
    names: Vec<Name>,
    /// Every beginning of every keyword.
    heads: HashSet<Vec<u8>>,
    longest: usize,
    /// The rows that have no keyword but a form, in the order of [`FORMED`].
    formed: [usize; 2],
}

impl Keywords {
    /// The keywords, put together on first use.
    pub(crate) fn get() -> &'static Self {
        static KEYWORDS: OnceLock<Keywords> = OnceLock::new();
        KEYWORDS.get_or_init(Self::build)
    }

    fn build() -> Self {
        let mut rows: Vec<(&'static str, Vec<usize>)> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for (index, rule) in rules::all() {
            for &keyword in rule.keywords {
                let row = *places.entry(keyword).or_insert_with(|| {
                    rows.push((keyword, Vec::new()));
                    rows.len() - 1
                });
                if let Some((_, rules)) = rows.get_mut(row) {
                    rules.push(index);
                }
            }
        }
        let formed = FORMED.map(|form| {
            rows.iter().position(|(keyword, _)| *keyword == form).unwrap_or(usize::MAX)
        });
        let mut heads = HashSet::new();
        let mut longest = prefixed::RANDOM + 1;
        for (_, (keyword, _)) in rows.iter().enumerate().filter(|(row, _)| !formed.contains(row)) {
            longest = longest.max(keyword.len());
            let lower = keyword.to_ascii_lowercase().into_bytes();
            heads.extend((1..lower.len()).filter_map(|len| lower.get(..len)).map(<[u8]>::to_vec));
        }
        let written = rows.iter().enumerate().filter(|(row, _)| !formed.contains(row));
        let grams = Grams::new(written.map(|(keyword, (text, rules))| Wanted {
            keyword,
            text: text.as_bytes(),
            before: before(text, rules),
        }));
        let names = rows.iter().map(|(keyword, _)| Name::of(keyword)).collect();
        Self { grams, rows, names, heads, longest, formed }
    }

    /// The rules to try at a keyword.
    pub(crate) fn rules(&self, keyword: usize) -> &[usize] {
        self.rows.get(keyword).map_or(&[], |(_, rules)| rules)
    }

    /// A keyword, as the name of a service.
    pub(crate) fn name(&self, keyword: usize) -> Option<&Name> {
        self.names.get(keyword)
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

    /// Gives `take` the hits in `text` that end behind `known`, but for those that no rule would
    /// take behind the byte before them.
    pub(crate) fn hits(&self, text: &str, known: usize, mut take: impl FnMut(Hit)) {
        let bytes = text.as_bytes();
        let [prefixed, variable] = self.formed;
        let mut runs = Runs::default();
        let mut formed: Vec<Hit> = Vec::new();
        fold::blocks(bytes, |block| {
            formed.clear();
            runs.begins(block, bytes, |begin| {
                let start = begin - 1;
                let keyword = match bytes.get(start) {
                    Some(b'_') => prefixed,
                    Some(b'=') => variable,
                    _ => return,
                };
                let random = bytes.get(begin..).is_some_and(prefixed::is_random);
                if random && begin + prefixed::RANDOM > known {
                    formed.push(Hit { start, keyword });
                }
            });
            // Each where it stands among the others: whoever takes them keeps them in order.
            let mut formed = formed.iter().peekable();
            self.grams.guesses(block, |guess| {
                if self.stands(bytes, guess, known) {
                    while let Some(hit) = formed.next_if(|hit| hit.start <= guess.start) {
                        take(*hit);
                    }
                    take(Hit { start: guess.start, keyword: guess.keyword });
                }
            });
            formed.for_each(|hit| take(*hit));
        });
    }

    /// Whether a keyword that was guessed is there, ends behind `known`, and is worth a rule.
    fn stands(&self, bytes: &[u8], guess: Guess, known: usize) -> bool {
        let Guess { start, keyword } = guess;
        let (Some(rest), Some(name)) = (bytes.get(start..), self.names.get(keyword)) else {
            return false;
        };
        let head = &name.head;
        if !head.begins(rest, first_bytes(rest)) || start + head.len() <= known {
            return false;
        }
        // One that is written in capitals stands only where it is written so.
        let shouted = head.text.as_bytes().first().is_some_and(u8::is_ascii_uppercase);
        if shouted && !rest.starts_with(head.text.as_bytes()) {
            return false;
        }
        let before = start.checked_sub(1).and_then(|index| bytes.get(index));
        let (Some(&before), Some(&first)) = (before, rest.first()) else { return true };
        self.rules(keyword).iter().any(|&index| may_follow(index, before, first))
    }

    /// How many bytes at the end of `text` may be the beginning of a keyword.
    pub(crate) fn unfinished(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        let most = self.overlap().min(bytes.len());
        let tail: Vec<u8> =
            bytes.iter().skip(bytes.len() - most).map(u8::to_ascii_lowercase).collect();
        (0..most)
            .find(|&from| {
                let tail = tail.get(from..).unwrap_or_default();
                let prefixed = matches!(tail, [b'_' | b'=', random @ ..]
                    if random.len() < prefixed::RANDOM && random.iter().all(u8::is_ascii_alphanumeric));
                prefixed || self.heads.contains(tail)
            })
            .map_or(0, |from| most - from)
    }
}

/// What stands for a keyword in rules that have none: something random behind this byte.
pub(crate) const FORMED: [&str; 2] = ["_…", "=…"];

/// The classes of bytes behind which some rule of a keyword would take it.
///
/// Nobody asks for those of a long one.
fn before(keyword: &str, rules: &[usize]) -> Vec<u8> {
    if keyword.len() > fold::RUN {
        return Vec::new();
    }
    let first = keyword.bytes().next().unwrap_or_default();
    let firsts = [first, first.to_ascii_uppercase()];
    let taken = |before: &u8| {
        let follows =
            |index: &usize| firsts.iter().any(|first| may_follow(*index, *before, *first));
        rules.iter().any(follows)
    };
    let taken = |(class, bytes): &(u8, Vec<u8>)| bytes.iter().any(taken).then_some(*class);
    fold::classes().iter().filter_map(taken).collect()
}

/// Whether a rule would take a keyword behind a byte, or in a name of its own behind a slash: a path
/// is passed over only where none of its names can hold anything.
fn may_follow(rule: usize, before: u8, first: u8) -> bool {
    before == b'/' || rules::get(rule).is_some_and(|rule| rule.may_follow(before, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, known: usize) -> Vec<&'static str> {
        let keywords = Keywords::get();
        let mut found = Vec::new();
        keywords.hits(text, known, |hit| found.push(keywords.rows[hit.keyword].0));
        found
    }

    #[test]
    fn keywords_are_found_in_any_case_and_inside_each_other() {
        let found = found("MY_Aws_Secret_Access_Key", 0);
        for keyword in ["aws_secret", "secret", "secret_access_key", "access_key", "_key"] {
            assert!(found.contains(&keyword), "{keyword} in {found:?}");
        }
    }

    #[test]
    fn every_keyword_is_found_wherever_it_stands() {
        let keywords = Keywords::get();
        for (row, (keyword, _)) in keywords.rows.iter().enumerate() {
            if keywords.formed.contains(&row) {
                continue;
            }
            let text = format!("{keyword}{keyword}");
            assert!(found(&text, 0).contains(keyword), "{keyword} at the beginning");
            // Every rule takes its keyword behind a blank, a letter or a digit.
            for places in [1, 2, 1023, 1024, 1025] {
                let taken = [" ", "e", "1"].iter().any(|before| {
                    let text = format!("{}{before}{keyword}", "#".repeat(places - 1));
                    [text.clone(), text + "y"].iter().all(|text| found(text, 0).contains(keyword))
                });
                assert!(taken, "{keyword} at {places}");
            }
        }
    }

    #[test]
    fn a_keyword_that_no_rule_would_take_is_passed_over() {
        assert_eq!(found("global xpath", 0), Vec::<&str>::new());
        assert_eq!(found("a patK", 0), ["pat"]);
    }

    #[test]
    fn a_keyword_in_capitals_stands_only_where_it_is_written_so() {
        assert!(found("acmeKEY x", 0).contains(&"KEY"));
        assert!(!found("acmekey x", 0).contains(&"KEY"));
    }

    #[test]
    fn what_was_known_before_is_not_found_again() {
        assert!(!found("a password", 9).contains(&"pass"));
        assert!(found("a passwor", 5).contains(&"pass"));
    }

    #[test]
    fn the_beginning_of_a_keyword_is_noticed() {
        let keywords = Keywords::get();
        assert_eq!(keywords.unfinished("x pAs"), 3);
        assert_eq!(keywords.unfinished("x -----beg"), 8);
        assert_eq!(keywords.unfinished("$ "), 0);
        assert_eq!(keywords.unfinished("acme_Kp4"), 4);
    }

    #[test]
    fn keywords_are_of_one_case_and_stay_on_a_line() {
        for (keyword, _) in &Keywords::get().rows {
            let cases = [keyword.to_ascii_lowercase(), keyword.to_ascii_uppercase()];
            assert!(cases.iter().any(|case| case == keyword), "{keyword}");
            assert!(!keyword.contains('\n') && keyword.len() > 2, "{keyword}");
        }
    }
}
