//! One pass over a text that finds where rules have to be tried.
//!
//! Everything else costs only where a keyword stands, so text without any costs this scan alone.
//! Where one may stand is guessed from four bytes at a time; here it is compared, and asked whether
//! any rule would take it behind the byte before it.

mod fold;
mod follow;
mod grams;
mod runs;

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::assigned::{self, Words};
use crate::head::{Head, first_bytes};
use crate::judge::Kind;
use crate::near::{self, Ahead, Name, Naming};
use crate::prefixed;
use crate::rules::{self, Find, Rule};
use crate::tail::Ending;
use crate::view::View;
use follow::Follows;
use grams::{Grams, Guess, Wanted};
use runs::Runs;

/// A place where a keyword begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) keyword: usize,
}

/// What a slash is in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slash {
    /// A byte like others.
    IsText,
    /// The end of a name: what follows it counts, whatever rules say, because it will be looked at
    /// by itself.
    PartsNames,
}

/// The keywords of the whole table.
pub(crate) struct Keywords {
    grams: Grams,
    rows: Vec<Row>,
    /// The rows again, as they are written in a text, close together: most guesses end here.
    written: Vec<Head>,
    /// Every beginning of every keyword.
    heads: HashSet<Vec<u8>>,
    longest: usize,
    /// The rows that have no keyword but a form, in the order of [`FORMED`].
    formed: [usize; 2],
}

/// A keyword.
pub(crate) struct Row {
    /// It, as the name of a service.
    pub(crate) name: Name,
    /// The rules that are tried at it.
    pub(crate) rules: Vec<(usize, &'static Rule)>,
    /// The words of a key's name that may stand where it does.
    pub(crate) words: Words,
    follows: Follows,
    /// Whether all rules ask for the name of a key.
    only_assigned: bool,
    /// Whether they take nothing but what a machine made, which is never a path.
    only_keys: bool,
    /// Whether all rules ask that it ends its line.
    ends_line: bool,
    /// Whether it is a word in capitals that asks for something far ahead.
    shouted: bool,
    /// The same word in capitals.
    twin: Option<Twin>,
}

/// A keyword that stands, in capitals, wherever another does.
#[derive(Debug, Clone, Copy)]
struct Twin {
    /// It alone.
    capitals: usize,
    /// Both together: where they stand, all their rules are tried at once.
    both: usize,
}

impl Keywords {
    /// The keywords, put together on first use.
    pub(crate) fn get() -> &'static Self {
        static KEYWORDS: OnceLock<Keywords> = OnceLock::new();
        KEYWORDS.get_or_init(Self::build)
    }

    fn build() -> Self {
        let mut rows: Vec<Row> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for (index, rule) in rules::all() {
            let follows = Follows::by(rule);
            for &keyword in rule.keywords {
                let place = *places.entry(keyword).or_insert_with(|| {
                    rows.push(Row::new(keyword, rows.len()));
                    rows.len() - 1
                });
                if let Some(row) = rows.get_mut(place) {
                    row.add(index, rule, follows);
                }
            }
        }
        let formed =
            FORMED.map(|form| rows.iter().position(|row| row.text() == form).unwrap_or(usize::MAX));
        let twins = pair_twins(&mut rows);
        let written = || {
            let found = |place: &usize| !formed.contains(place) && !twins.contains(place);
            rows.iter().enumerate().filter(move |(place, _)| found(place))
        };
        let mut heads = HashSet::new();
        let mut longest = prefixed::RANDOM + 1;
        for (_, row) in written() {
            longest = longest.max(row.text().len());
            let lower = row.text().to_ascii_lowercase().into_bytes();
            heads.extend((1..lower.len()).filter_map(|len| lower.get(..len)).map(<[u8]>::to_vec));
        }
        let grams = Grams::new(written().map(|(keyword, row)| Wanted {
            keyword,
            text: row.text().as_bytes(),
            before: row.before(),
        }));
        let written = rows.iter().map(Row::written).collect();
        Self { grams, rows, written, heads, longest, formed }
    }

    /// A keyword, and the rules to try at it.
    pub(crate) fn row(&self, keyword: usize) -> Option<&Row> {
        self.rows.get(keyword)
    }

    /// Whether a rule of this keyword looks beyond its line.
    pub(crate) fn crosses_lines(&self, keyword: usize) -> bool {
        let rules = self.row(keyword).map_or(&[][..], |row| &row.rules);
        rules.iter().any(|(_, rule)| rule.crosses_lines())
    }

    /// A keyword that ends behind `at` begins within so many bytes before it.
    pub(crate) fn overlap(&self) -> usize {
        self.longest.saturating_sub(1)
    }

    /// Gives `take` the hits in `text` that end behind `known`, but for those that no rule would
    /// take behind the byte before them.
    pub(crate) fn hits(
        &self,
        text: &str,
        (known, slash): (usize, Slash),
        mut take: impl FnMut(Hit),
    ) {
        let bytes = text.as_bytes();
        let [prefixed, variable] = self.formed;
        let mut runs = Runs::default();
        let mut formed: Vec<Hit> = Vec::new();
        let mut ahead = (View::new(text, 0, Ending::Open), Ahead::default());
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
                if let Some(hit) = self.stands(bytes, guess, (known, slash), &mut ahead) {
                    while let Some(hit) = formed.next_if(|hit| hit.start <= guess.start) {
                        take(*hit);
                    }
                    take(hit);
                }
            });
            formed.for_each(|hit| take(*hit));
        });
    }

    /// The keyword that was guessed, or its twin or both, where it is there, ends behind `known` and
    /// is worth a rule.
    fn stands(
        &self,
        bytes: &[u8],
        guess: Guess,
        (known, slash): (usize, Slash),
        ahead: &mut (View<'_>, Ahead),
    ) -> Option<Hit> {
        let Guess { start, keyword } = guess;
        let (rest, head) = (bytes.get(start..)?, self.written.get(keyword)?);
        if !head.begins(rest, first_bytes(rest)) || start + head.len() <= known {
            return None;
        }
        let row = self.rows.get(keyword)?;
        let before = start.checked_sub(1).and_then(|index| bytes.get(index)).copied();
        let counts = row.counts(rest, (before, slash));
        if row.shouted || row.twin.is_some() {
            let keyword =
                self.in_capitals((keyword, counts), (start, rest), (before, slash), ahead)?;
            return Some(Hit { start, keyword });
        }
        counts.then_some(Hit { start, keyword })
    }

    /// The same for a keyword that counts or not, and is one in capitals or has such a twin.
    #[inline(never)]
    fn in_capitals(
        &self,
        (keyword, counts): (usize, bool),
        (start, rest): (usize, &[u8]),
        before: (Option<u8>, Slash),
        (view, ahead): &mut (View<'_>, Ahead),
    ) -> Option<usize> {
        let row = self.rows.get(keyword)?;
        // What is not at hand may be what it asks for.
        let mut asks = |len: usize| rest.len() <= near::REACH || ahead.has_value(view, start + len);
        let Some(Twin { capitals, both }) = row.twin else {
            return (counts && asks(row.text().len())).then_some(keyword);
        };
        let (head, twin) = (self.written.get(capitals)?, self.rows.get(capitals)?);
        let shouts = head.begins(rest, first_bytes(rest)) && twin.counts(rest, before);
        match (counts, shouts && asks(head.len())) {
            (true, true) => Some(both),
            (true, false) => Some(keyword),
            (false, true) => Some(capitals),
            (false, false) => None,
        }
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

/// Whether something stands before the end of a line in `rest`, but for blanks and what tells how
/// the lines below are joined.
fn goes_on(rest: &[u8]) -> bool {
    let next = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'+' | b'-'));
    next.is_some_and(|next| *next != b'\n')
}

/// Gives each keyword that is another one in capitals too a row for both; tells which rows are not
/// to be looked for by themselves.
fn pair_twins(rows: &mut Vec<Row>) -> Vec<usize> {
    let shouted = |(place, row): (usize, &Row)| row.shouted.then_some(place);
    let shouted: Vec<usize> = rows.iter().enumerate().filter_map(shouted).collect();
    let mut twins = Vec::new();
    for capitals in shouted {
        let Some(other) = rows.get(capitals).map(Row::text) else { continue };
        let is_same = |row: &Row| !row.shouted && row.text().eq_ignore_ascii_case(other);
        let both = rows.len();
        let Some(one) = rows.iter_mut().find(|row| is_same(row)) else { continue };
        one.twin = Some(Twin { capitals, both });
        let (mut rules, words) = (one.rules.clone(), one.words.clone());
        rules.extend(rows.get(capitals).iter().flat_map(|row| &row.rules));
        rows.push(Row { rules, words, ..Row::new(other, capitals) });
        twins.extend([capitals, both]);
    }
    twins
}

/// What stands for a keyword in rules that have none: something random behind this byte.
pub(crate) const FORMED: [&str; 2] = ["_…", "=…"];

impl Row {
    fn new(keyword: &'static str, id: usize) -> Self {
        let (rules, words) = (Vec::new(), Words::of(keyword, &[]));
        let (name, follows) = (Name::of(keyword, id), Follows::default());
        let [only_assigned, only_keys, ends_line, shouted] = [true; 4];
        Self {
            name,
            rules,
            words,
            follows,
            only_assigned,
            only_keys,
            ends_line,
            shouted,
            twin: None,
        }
    }

    /// Whether a rule may take it where `rest` begins with it, right behind another byte.
    #[inline(always)]
    fn counts(&self, rest: &[u8], (before, slash): (Option<u8>, Slash)) -> bool {
        let (Some(before), Some(&first)) = (before, rest.first()) else { return true };
        let len = self.name.head.len();
        let follows =
            self.follows.has(before, first) || (before == b'/' && slash == Slash::PartsNames);
        follows
            && !(self.only_assigned && self.names_other(rest))
            && !(self.ends_line && goes_on(rest.get(len..).unwrap_or_default()))
    }

    fn add(&mut self, index: usize, rule: &'static Rule, follows: Follows) {
        self.rules.push((index, rule));
        self.follows = self.follows.or(follows);
        self.only_assigned &= matches!(rule.find, Find::Assigned(..));
        self.ends_line &= rule.ends_line();
        self.shouted &= matches!(rule.find, Find::Service(Naming::Shouted));
        self.only_keys &= matches!(rule.find, Find::Assigned(_, Kind::Key | Kind::LooseKey));
        if let Find::Assigned(words, _) = &rule.find {
            // No keyword has the words of two rules, as a test says.
            self.words = Words::of(self.text(), words);
        }
    }

    fn text(&self) -> &'static str {
        self.name.head.text
    }

    /// Whether only the names of keys are looked for here, and `rest`, which begins with the
    /// keyword, is known to go on as the name of something else.
    #[inline(never)]
    fn names_other(&self, rest: &[u8]) -> bool {
        // What may be longer than the text at hand is left to the rule.
        self.only_assigned
            && rest.len() >= assigned::MAX_NAME
            && !assigned::may_be(rest, &self.words, self.only_keys)
    }

    /// It, as it is written in a text: one in capitals stands only where it is written so.
    fn written(&self) -> Head {
        let shouted = self.text().as_bytes().first().is_some_and(u8::is_ascii_uppercase);
        if shouted { Head::exactly(self.text()) } else { Head::of(self.text()) }
    }

    /// The classes of bytes behind which some rule would take the keyword.
    ///
    /// Nobody asks for those of a long one.
    fn before(&self) -> Vec<u8> {
        if self.text().len() > fold::RUN {
            return Vec::new();
        }
        let first = self.text().bytes().next().unwrap_or_default();
        let firsts = [first, first.to_ascii_uppercase()];
        let follows = |before: u8| firsts.iter().any(|&first| self.follows.has(before, first));
        let taken = |before: &u8| *before == b'/' || follows(*before);
        let taken = |(class, bytes): &(u8, Vec<u8>)| bytes.iter().any(taken).then_some(*class);
        fold::classes().iter().filter_map(taken).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, known: usize) -> Vec<&'static str> {
        let keywords = Keywords::get();
        let mut found = Vec::new();
        keywords.hits(text, (known, Slash::IsText), |hit| {
            found.push(keywords.rows[hit.keyword].text())
        });
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
        for (place, row) in keywords.rows.iter().enumerate() {
            if keywords.formed.contains(&place) {
                continue;
            }
            let keyword = &row.text();
            let between = if row.ends_line { "\n" } else { "" };
            let text = format!("{keyword}{between}{keyword}");
            assert!(found(&text, 0).contains(keyword), "{keyword} at the beginning");
            // Every rule takes its keyword behind a blank, a letter or a digit.
            for places in [1, 2, 1023, 1024, 1025] {
                let taken = [" ", "e", "1"].iter().any(|before| {
                    let text = format!("{}{before}{keyword}", "#".repeat(places - 1));
                    let more = if row.ends_line { "\n" } else { "y" };
                    [text.clone(), text + more].iter().all(|text| found(text, 0).contains(keyword))
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
    fn a_word_that_goes_on_as_another_name_is_passed_over() {
        let rest = "what follows it, so that there is enough to say so: some more text, or none.";
        for (name, found_there) in [
            ("acme_KEY_HERE", false),
            ("acme_keyFile", false),
            ("acme_key", true),
            ("acme_key_2", true),
            ("acme_key-prod", true),
            ("acme_key = x", true),
            ("acme_key: x", true),
            ("acme_key:x", true),
            ("acme_key://x", false),
        ] {
            assert_eq!(
                found(&format!("{name} {rest}"), 0).contains(&"_key"),
                found_there,
                "{name}"
            );
            // Where the text ends, it may go on.
            assert!(found(name, 0).contains(&"_key"), "{name}");
        }
        for row in &Keywords::get().rows {
            assert!(row.words.texts().all(|word| word.len() <= assigned::MAX_NAME / 2));
            let itself = row.words.find(row.text().as_bytes()).is_some();
            let stands = !row.names_other(format!("{}=x {rest}", row.text()).as_bytes());
            assert!(stands || (row.only_assigned && !itself), "{}", row.text());
        }
    }

    #[test]
    fn a_keyword_that_asks_for_the_next_line_ends_its_own() {
        for (text, found_there) in [
            ("client_secret:\n", true),
            ("client_secret: \t\r\n 'x'", true),
            // The next line may come.
            ("client_secret: ", true),
            ("client_secret: x\n", false),
        ] {
            assert_eq!(found(text, 0).contains(&"secret:"), found_there, "{text}");
        }
        assert!(found("token: |-\n", 0).contains(&"token: |"));
    }

    #[test]
    fn behind_a_slash_a_keyword_counts_where_a_name_begins() {
        for (slash, counts) in [(Slash::IsText, false), (Slash::PartsNames, true)] {
            let mut hit = false;
            Keywords::get().hits("x/algolia", (0, slash), |_| hit = true);
            assert_eq!(hit, counts, "{slash:?}");
        }
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
        for keyword in Keywords::get().rows.iter().map(Row::text) {
            let cases = [keyword.to_ascii_lowercase(), keyword.to_ascii_uppercase()];
            assert!(cases.iter().any(|case| case == keyword), "{keyword}");
            assert!(!keyword.contains('\n') && keyword.len() > 2, "{keyword}");
        }
    }

    #[test]
    fn a_keyword_has_the_words_of_one_rule_that_may_stand_there() {
        for row in &Keywords::get().rows {
            let named = row.rules.iter().filter_map(|(_, rule)| match &rule.find {
                Find::Assigned(words, _) => Some(*words),
                Find::Pattern(_) | Find::Service(_) | Find::Formed(_) => None,
            });
            let named: Vec<_> = named.collect();
            assert!(named.len() < 2, "{}", row.text());
            let texts: Vec<_> = named.iter().flat_map(|words| words.iter().copied()).collect();
            for text in &texts {
                let at = format!("{text} and {}s", row.text());
                let stands = |word: &&&str| at.starts_with(**word) && at.starts_with(row.text());
                let expected = texts.iter().find(stands);
                let found = row.words.find(at.as_bytes());
                assert!(expected.is_none() || found.map(|word| &word.text) == expected, "{at}");
            }
        }
    }
}
