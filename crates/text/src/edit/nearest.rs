//! The line of a file that an old text which was not found comes closest to.
//!
//! One pass and a bound. Each file line that equals some old line, white space
//! aside, votes for the place where the old text would then begin; where no
//! line equals any, the line that shares the most words is the nearest.

use std::collections::HashMap;

use crate::fold::{Ignore, canonical, first_solid};
use crate::lines;

/// How much of a file is searched: a hint is not worth more.
const MAX_CONTENT: usize = 8 << 20;

/// How much of the old text is used.
const MAX_LINES: usize = 200;
const MAX_WORDS: usize = 64;

/// The shortest word that tells one line from another.
const MIN_WORD: usize = 3;

/// Finds the line (from 1) where `old` most nearly begins.
pub(super) fn line(content: &[u8], old: &[u8]) -> Option<usize> {
    let content = content.get(..MAX_CONTENT).unwrap_or(content);
    by_votes(content, old).or_else(|| by_words(content, old))
}

fn by_votes(content: &[u8], old: &[u8]) -> Option<usize> {
    let mut form = Vec::new();
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    for (index, line) in lines::split(old).take(MAX_LINES).enumerate() {
        canonical(line.text, Ignore::Amount, &mut form);
        // A line of brackets alone says nothing about where it belongs.
        if form.iter().any(u8::is_ascii_alphanumeric) || !form.is_ascii() {
            places.entry(form.clone()).or_insert(index);
        }
    }
    if places.is_empty() {
        return None;
    }
    let firsts: Vec<Option<u8>> = places.keys().map(|form| first_solid(form)).collect();
    let may_vote = |line: &[u8]| match first_solid(line) {
        Some(first) => firsts.iter().any(|known| known.is_none_or(|known| known == first)),
        None => true,
    };
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (index, line) in lines::split(content).enumerate() {
        if !may_vote(line.text) {
            continue;
        }
        canonical(line.text, Ignore::Amount, &mut form);
        if let Some(offset) = places.get(&form) {
            *votes.entry(index.saturating_sub(*offset)).or_default() += 1;
        }
    }
    // The earliest of the best, whatever the order of the map.
    let best = votes.into_iter().max_by_key(|(start, count)| (*count, usize::MAX - start));
    best.map(|(start, _)| start + 1)
}

fn by_words(content: &[u8], old: &[u8]) -> Option<usize> {
    let richest = lines::split(old)
        .take(MAX_LINES)
        .max_by_key(|line| words(line.text).take(MAX_WORDS).count())?;
    let mut wanted = HashMap::new();
    for word in words(richest.text).take(MAX_WORDS) {
        let bit = 1_u64.checked_shl(u32::try_from(wanted.len()).ok()?)?;
        wanted.entry(word).or_insert(bit);
    }
    // Asking a short list for the first letter is cheaper than the map.
    let mut firsts: Vec<u8> = wanted.keys().filter_map(|word| word.first().copied()).collect();
    firsts.sort_unstable();
    firsts.dedup();
    let may_count = |word: &&[u8]| word.first().is_some_and(|first| firsts.contains(first));
    let mut best = (0, 0);
    for (index, line) in lines::split(content).enumerate() {
        let bits = words(line.text).filter(may_count).filter_map(|word| wanted.get(word));
        let score = bits.fold(0, |bits, bit| bits | bit).count_ones();
        if score > best.0 {
            best = (score, index + 1);
        }
    }
    let (score, line) = best;
    (usize::try_from(score).ok()? * 2 > wanted.len()).then_some(line)
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| word.len() >= MIN_WORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_where_most_lines_agree_is_the_nearest() {
        let content = b"fn a() {\n    one();\n}\nfn b() {\n    two();\n    three();\n}\n";
        assert_eq!(line(content, b"fn b() {\n  changed();\n  three();\n}"), Some(4));
        assert_eq!(line(content, b"fn c() {\n  two();\n  three();\n"), Some(4));
    }

    #[test]
    fn of_places_equally_near_the_first_is_named() {
        let content = b"x = 1\nother\nx = 1\n";
        assert_eq!(line(content, b"x = 1\nmissing"), Some(1));
    }

    #[test]
    fn without_an_equal_line_the_most_shared_words_decide() {
        let content = b"const a = 1\nconst limit = read_limit(config)\nlet x = 2\n";
        assert_eq!(line(content, b"2: const limit = read_limit(other)"), Some(2));
    }

    #[test]
    fn text_with_nothing_in_common_has_no_nearest_line() {
        assert_eq!(line(b"alpha\nbeta\n", b"nothing here"), None);
        assert_eq!(line(b"", b"x"), None);
        assert_eq!(line(b"}\n}\n", b"}\n)"), None);
    }
}
