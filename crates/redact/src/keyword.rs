//! One pass over a text that finds where rules have to be tried.
//!
//! Everything else costs only where a keyword stands, so text without any costs this scan alone.
//! Each keyword is known by the rarest three bytes in it; the pass hashes three bytes at a time,
//! looks the hash up in a table that fits the first cache, and compares a keyword only where its
//! three bytes stand. Unlike an automaton, no step waits for the memory of the one before.

use std::collections::HashSet;
use std::sync::OnceLock;

use memchr::memchr2_iter;

use crate::prefixed;
use crate::rules;

/// A place where a keyword begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) keyword: usize,
}

/// Hashes have so many values: three folded bytes, five bits apart.
const HASHES: usize = 1 << 15;

/// The keywords of the whole table.
pub(crate) struct Keywords {
    /// By the hash of three bytes: which bytes may stand before them, a bit for every eighth.
    ///
    /// Nothing is set where no keyword's three bytes have the hash.
    known: Box<[u8; HASHES]>,
    /// Where the keywords of a hash begin in `entries`; one more than there are hashes.
    begins: Vec<u32>,
    entries: Vec<Entry>,
    /// Keyword by keyword: its text and the rules that are tried at it.
    rows: Vec<(&'static str, Vec<usize>)>,
    /// Every beginning of every keyword.
    heads: HashSet<Vec<u8>>,
    longest: usize,
    /// The rows that have no keyword but a form, in the order of [`FORMED`].
    formed: [usize; 2],
}

/// A keyword, found by three of its bytes.
#[derive(Debug, Clone, Copy)]
struct Entry {
    keyword: u32,
    /// Where the three bytes end in it.
    end: u32,
    /// Whether it is written in capitals, and stands only where it is written so.
    exact: bool,
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
        let mut found: Vec<(usize, Entry)> = Vec::new();
        let mut heads = HashSet::new();
        let mut longest = prefixed::RANDOM + 1;
        for (row, (keyword, _)) in rows.iter().enumerate().filter(|(row, _)| !formed.contains(row))
        {
            longest = longest.max(keyword.len());
            let lower = keyword.to_ascii_lowercase().into_bytes();
            heads.extend((1..lower.len()).filter_map(|len| lower.get(..len)).map(<[u8]>::to_vec));
            if let Some((end, hash)) = rarest(keyword.as_bytes()) {
                let exact = keyword.contains(|letter: char| letter.is_ascii_uppercase());
                let keyword = u32::try_from(row).unwrap_or(u32::MAX);
                found.push((hash, Entry { keyword, end, exact }));
            }
        }
        found.sort_by_key(|(hash, _)| *hash);
        let mut known = Box::new([0_u8; HASHES]);
        let mut begins = vec![0_u32; HASHES + 1];
        for (hash, entry) in &found {
            if let Some(known) = known.get_mut(*hash) {
                *known |= before(&rows, entry);
            }
            if let Some(begin) = begins.get_mut(hash + 1) {
                *begin += 1;
            }
        }
        let mut sum = 0;
        for begin in &mut begins {
            sum += *begin;
            *begin = sum;
        }
        let entries = found.into_iter().map(|(_, entry)| entry).collect();
        Self { known, begins, entries, rows, heads, longest, formed }
    }

    /// The rules to try at a keyword.
    pub(crate) fn rules(&self, keyword: usize) -> &[usize] {
        self.rows.get(keyword).map_or(&[], |(_, rules)| rules)
    }

    /// How long a keyword is.
    pub(crate) fn len(&self, keyword: usize) -> usize {
        self.rows.get(keyword).map_or(0, |(text, _)| text.len())
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

    /// Gives `take` the hits in `text` that end behind `known`.
    pub(crate) fn hits(&self, text: &str, known: usize, mut take: impl FnMut(Hit)) {
        let bytes = text.as_bytes();
        let mut window = 0_u32;
        for (index, &byte) in bytes.iter().enumerate() {
            window = window << 8 | u32::from(byte | 0x20);
            let hash = hash(window);
            // The hash is below the length of the table, so nothing is checked here.
            if self.known.get(hash).is_some_and(|known| known & bit(window >> 24) != 0) {
                self.compare(bytes, index + 1, hash, &mut |hit: Hit, end| {
                    if end > known {
                        take(hit);
                    }
                });
            }
        }
        for index in memchr2_iter(b'_', b'=', bytes) {
            let behind = index + 1 + prefixed::RANDOM > known;
            if behind && bytes.get(index + 1..).is_some_and(prefixed::is_random) {
                let [prefixed, variable] = self.formed;
                let keyword = if bytes.get(index) == Some(&b'_') { prefixed } else { variable };
                take(Hit { start: index, keyword });
            }
        }
    }

    /// The keywords whose three bytes end at `at`.
    #[inline(never)]
    fn compare(&self, bytes: &[u8], at: usize, hash: usize, take: &mut dyn FnMut(Hit, usize)) {
        let begin = self.begins.get(hash).map_or(0, |&begin| begin as usize);
        let end = self.begins.get(hash + 1).map_or(0, |&end| end as usize);
        for entry in self.entries.get(begin..end).unwrap_or_default() {
            let keyword = entry.keyword as usize;
            let Some((text, _)) = self.rows.get(keyword) else { continue };
            let Some(start) = at.checked_sub(entry.end as usize) else { continue };
            let Some(found) = bytes.get(start..start + text.len()) else { continue };
            let stands = if entry.exact {
                found == text.as_bytes()
            } else {
                found.eq_ignore_ascii_case(text.as_bytes())
            };
            if stands {
                take(Hit { start, keyword }, start + text.len());
            }
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

/// What stands for a keyword in rules that have none: something random behind this byte.
pub(crate) const FORMED: [&str; 2] = ["_…", "=…"];

/// The hash of the last three bytes of a window of four.
fn hash(window: u32) -> usize {
    let [_, one, two, three] = window.to_be_bytes().map(usize::from);
    (one << 10 ^ two << 5 ^ three) & (HASHES - 1)
}

/// The bit of a byte that stands before three others.
fn bit(byte: u32) -> u8 {
    1 << (byte & 7)
}

/// The bits of what may stand before the three bytes of a keyword.
fn before(rows: &[(&'static str, Vec<usize>)], entry: &Entry) -> u8 {
    let text = rows.get(entry.keyword as usize).map_or("", |(text, _)| text);
    let index = (entry.end as usize).checked_sub(4);
    match index.and_then(|index| text.as_bytes().get(index)) {
        Some(&byte) => bit(u32::from(byte | 0x20)),
        None => u8::MAX,
    }
}

/// Where the rarest three bytes of a keyword end in it, and their hash.
///
/// Those that have another byte before them are preferred, since that one is looked at too.
fn rarest(keyword: &[u8]) -> Option<(u32, usize)> {
    let cost = |bytes: &[u8]| bytes.iter().map(|&byte| commonness(byte)).sum::<u32>();
    let places = keyword.windows(3).enumerate();
    let (index, bytes) =
        places.min_by_key(|(index, bytes)| cost(bytes) + if *index == 0 { 60 } else { 0 })?;
    let window = bytes.iter().fold(0, |window, &byte| window << 8 | u32::from(byte | 0x20));
    Some((u32::try_from(index + 3).ok()?, hash(window)))
}

/// How common a byte is in source code and prose, as a logarithm of a sort.
fn commonness(byte: u8) -> u32 {
    const BY_RANK: &[u8] = b" etaoinsrldcupm_fhgbyv.-w,k/0x1:q2j\"'z3456789";
    let rank = BY_RANK.iter().position(|&known| known == byte).unwrap_or(BY_RANK.len());
    match rank {
        0 => 100,
        1..=10 => 80 - u32::try_from(rank).unwrap_or(0) * 2,
        11..=20 => 45 - u32::try_from(rank).unwrap_or(0),
        _ => 12,
    }
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
    fn every_keyword_is_found_by_its_three_bytes() {
        let keywords = Keywords::get();
        for (row, (keyword, _)) in keywords.rows.iter().enumerate() {
            if keywords.formed.contains(&row) {
                continue;
            }
            for text in [format!("x{keyword}y"), format!("{keyword}{keyword}")] {
                assert!(found(&text, 0).contains(keyword), "{keyword}");
            }
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
        for (keyword, _) in &Keywords::get().rows {
            let cases = [keyword.to_ascii_lowercase(), keyword.to_ascii_uppercase()];
            assert!(cases.iter().any(|case| case == keyword), "{keyword}");
            assert!(!keyword.contains('\n') && keyword.len() > 2, "{keyword}");
        }
    }
}
