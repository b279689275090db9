//! Long runs of linking words without any mark between, gone through once for all the names in them.
//!
//! `AcmeKeyAcmeIdAcmeKey…`: each name begins a gap of its own, and what stands beside it is the rest
//! of the same run. Who knows where each thing was said last knows what is said from any place on.
//! Of short runs, only those are known again that several gaps of one name come to.

use std::collections::VecDeque;

use super::gap::{Gap, Last, Links, Said, Word};
use super::link::{LETTERS, Name, ends_a_run, go_on, link, link_up_to};
use crate::head::first_bytes;

/// A run is long when it has so many bytes; most have fewer, and cost less where nothing is kept.
const LONG: usize = 64;

/// Whether a word stands at a place is known by fewer bytes than this from there on.
const AHEAD: usize = 64;

/// So many runs are kept, for names that read the same words in different ways.
const KEPT: usize = 16;

/// So many words say what the last ones make of each other, whatever was before them.
const LAST: usize = 3;

/// The long runs that were met last.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    runs: VecDeque<Run>,
    /// None of them was read any further.
    to: usize,
    /// Short runs, by where they begin; most texts have none.
    short: Vec<Option<Short>>,
}

/// So many short runs are kept.
const SHORT: usize = 64;

/// A short run, as one name reads it.
#[derive(Debug, Clone, Copy)]
struct Short {
    name: &'static str,
    at: usize,
    /// What the words before it made of each other.
    before: Last,
    /// How long it is, if it is one, and what it makes of the gap.
    read: Option<(usize, Said, Last)>,
}

/// A run, as one name reads it.
#[derive(Debug)]
struct Run {
    name: &'static str,
    from: usize,
    /// So far it was read: here a word ends.
    to: usize,
    /// So far the text was looked at.
    seen: usize,
    /// Where a gap may begin: at the beginning, and behind the name where a linking word follows.
    begins: VecDeque<usize>,
    /// Whether the last word is the name.
    named: bool,
    /// Where the last word ends that said it, for each thing that can be said.
    said: [usize; Said::MANY],
    /// Where the last words end, and what they are.
    words: [(usize, Word); LAST],
    end: Option<End>,
}

/// What stands behind the last word of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// What is no letter, or a number.
    Whole,
    /// A word that is none of those that link.
    Other,
}

impl Runs {
    /// The same as [`link`] for the `bytes` that stand `at` a place.
    ///
    /// A run that has `enough` bytes may be said to be a word, whatever follows and whatever it says.
    pub(super) fn link(
        &mut self,
        (at, bytes): (usize, &[u8]),
        name: &Name,
        gap: &mut Gap,
        enough: usize,
    ) -> Option<usize> {
        if at < self.to {
            let end = at + bytes.len();
            // One that stands elsewhere is not asked: it would forget where gaps may begin in it.
            let is_there = |run: &&mut Run| {
                (run.from..=run.to).contains(&at) && std::ptr::eq(run.name, name.head.text)
            };
            let mut runs = self.runs.iter_mut().filter(is_there);
            if let Some(run) = runs.find_map(|run| run.begins_at(at, end).then_some(run)) {
                let len = run.link((at, bytes), name, gap, enough);
                self.to = self.to.max(run.to);
                return len;
            }
        }
        // What ends with the text at hand may go on.
        if bytes.len() < LONG + AHEAD {
            return link(bytes, name, gap);
        }
        let len = self.short((at, bytes), name, gap)?;
        if len < LONG {
            return Some(len);
        }
        let mut run = Run::new(name, at);
        let len = run.link((at, bytes), name, gap, enough);
        self.to = self.to.max(run.to);
        self.runs.truncate(KEPT - 1);
        self.runs.push_front(run);
        len
    }
}

impl Runs {
    /// The same for a run that is not a long one, which may be known.
    fn short(&mut self, (at, bytes): (usize, &[u8]), name: &Name, gap: &mut Gap) -> Option<usize> {
        self.short.resize(SHORT, None);
        let slot = self.short.get_mut((at ^ name.head.len()) % SHORT)?;
        let is_known = |short: &&mut Short| {
            short.at == at && short.before == gap.last && std::ptr::eq(short.name, name.head.text)
        };
        let (len, said, last) = match slot.as_mut().filter(is_known) {
            Some(short) => short.read?,
            None => {
                let mut own = Gap { last: gap.last, ..Gap::default() };
                let len = link_up_to(LONG, bytes, name, &mut own);
                let read = len.map(|len| (len, own.said, own.last));
                *slot = Some(Short { name: name.head.text, at, before: gap.last, read });
                read?
            }
        };
        // One that is long has said nothing yet.
        if len < LONG {
            *gap = Gap { words: gap.words + 1, said: gap.said.and(said), last };
        }
        Some(len)
    }
}

impl Run {
    fn new(name: &Name, from: usize) -> Self {
        let (begins, said) = (VecDeque::from([from]), [0; Said::MANY]);
        let words = [(0, Word::Other); LAST];
        let name = name.head.text;
        Self { name, from, to: from, seen: from, begins, named: false, said, words, end: None }
    }

    /// Whether a gap may begin `at` a place in it, for who has the text up to an `end`.
    fn begins_at(&mut self, at: usize, end: usize) -> bool {
        // Names are met from the left to the right.
        while self.begins.front().is_some_and(|begin| *begin < at) {
            self.begins.pop_front();
        }
        self.begins.front() == Some(&at) && self.seen <= end
    }

    /// What it is to a gap that begins `at` a place in it.
    fn link(
        &mut self,
        (at, bytes): (usize, &[u8]),
        name: &Name,
        gap: &mut Gap,
        enough: usize,
    ) -> Option<usize> {
        let safe = (at + bytes.len()).saturating_sub(AHEAD).min(at.saturating_add(enough));
        while self.end.is_none() && self.to < safe {
            self.step(bytes.get(self.to - at..)?, name);
        }
        if self.end == Some(End::Other) {
            return None;
        }
        let mut known = Gap { words: gap.words + 1, ..*gap };
        for (place, _) in self.said.iter().enumerate().filter(|(_, end)| **end > at) {
            known.said = known.said.and(Said::at(place));
        }
        for (_, word) in self.words.iter().filter(|(end, _)| *end > at) {
            known.last = known.last.then(*word);
        }
        let len = self.to - at;
        let (len, whole) = match self.end {
            // The rest is read by all that is at hand, as if nothing followed.
            None if len < enough => go_on((len, usize::MAX), bytes, name, known)?,
            _ => (len, known),
        };
        *gap = whole;
        Some(len)
    }

    /// Reads one more word.
    fn step(&mut self, rest: &[u8], name: &Name) {
        let begun = self.to > self.from;
        self.seen = self.to + AHEAD;
        let ends =
            |byte: &u8| !LETTERS.has(*byte) || (begun && byte.is_ascii_digit() && ends_a_run(rest));
        if rest.first().is_none_or(ends) {
            self.end = Some(End::Whole);
            return;
        }
        let first = first_bytes(rest);
        if begun && name.head.begins(rest, first) {
            self.named = true;
            self.take(name.head.len(), Said::default(), name.word);
            return;
        }
        let Some(row) = Links::get().find(rest, first) else {
            self.end = Some(End::Other);
            return;
        };
        if self.named {
            self.begins.push_back(self.to);
        }
        self.named = false;
        self.take(row.head.len(), row.said, row.word);
    }

    fn take(&mut self, len: usize, said: Said, word: Word) {
        self.to += len;
        for place in said.places() {
            if let Some(last) = self.said.get_mut(place) {
                *last = self.to;
            }
        }
        self.words.rotate_left(1);
        let [.., last] = &mut self.words;
        *last = (self.to, word);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MAX_GAP, SHOUTED};
    use super::*;

    const PARTS: &[&str] = &[
        "key",
        "Keys",
        "id",
        "api",
        "v1",
        "secret",
        "Private",
        "ACCESS",
        "oauth2",
        "Okta",
        "okta",
        "KEY",
        "TOKEN",
        "tokens",
        "my",
        "1",
        "12",
        "foo",
        "_",
        "=",
        "app",
        "user",
        "password",
        "B2_app",
        "0123456789abcdef01234567",
    ];

    fn texts() -> impl Iterator<Item = String> {
        let mut state = 7_usize;
        let mut below = move |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        (0..400).map(move |_| {
            let few: Vec<&str> = (0..2 + below(5)).map(|_| PARTS[below(PARTS.len())]).collect();
            let mut text = String::new();
            while text.len() < 1500 {
                let rare = if below(150) == 0 { PARTS } else { &few };
                text.push_str(rare[below(rare.len())]);
            }
            text
        })
    }

    /// Where gaps begin: behind every place where a name stands, and some at other words.
    fn ends(text: &str, name: &str) -> Vec<usize> {
        let lower = text.to_ascii_lowercase();
        let named = lower.match_indices(name).map(|(at, _)| at + name.len());
        let mut ends: Vec<usize> = named.chain((0..text.len()).step_by(97)).collect();
        ends.sort_unstable();
        ends
    }

    #[test]
    fn a_long_run_says_the_same_wherever_a_gap_begins_in_it() {
        let names = ["okta", "b2_app"].into_iter().chain(SHOUTED.iter().copied());
        let names: Vec<Name> = names.map(|name| Name::of(name, 0)).collect();
        let mut known = [0, 0];
        for text in texts() {
            let mut runs = Runs::default();
            let ends = names.iter().map(|name| ends(&text, &name.head.text.to_ascii_lowercase()));
            let mut places: Vec<(usize, &Name)> = ends
                .zip(&names)
                .flat_map(|(ends, name)| ends.into_iter().map(move |end| (end, name)))
                .collect();
            places.sort_by_key(|(end, _)| *end);
            for (end, name) in places {
                // Also by who has less of the text at hand, which never happens, and behind other words.
                let asked = [
                    (end, 1000, Last::Other),
                    (end, 300, Last::Other),
                    (end, 1000, Last::Key),
                    (end + 1, 1000, Last::Private),
                    (end + 40, 1000, Last::Other),
                ];
                for (from, most, last) in asked.into_iter().filter(|(from, ..)| *from < text.len())
                {
                    let enough = if most == 300 || from > end { usize::MAX } else { MAX_GAP };
                    let bytes = &text.as_bytes()[from..text.len().min(end + most)];
                    let mut plain = Gap { said: Said::SECRET, last, ..Gap::default() };
                    let mut again = plain;
                    let len = link(bytes, name, &mut plain);
                    let kept = runs.to > 1000 + from;
                    let found = runs.link((1000 + from, bytes), name, &mut again, enough);
                    let long = found.is_some_and(|found| found >= enough);
                    let same = (found, again.words, again.said, again.last)
                        == (len, plain.words, plain.said, plain.last);
                    assert!(same || (long && len.is_none_or(|len| len >= enough)), "{from} {text}");
                    known[usize::from(kept)] += 1;
                }
            }
        }
        assert!(known.iter().all(|many| *many > 10_000), "{known:?}");
    }

    #[test]
    fn names_in_a_long_run_do_not_read_it_again() {
        let (name, text) = (Name::of("okta", 0), "OktaKeyId".repeat(1 << 12));
        let mut runs = Runs::default();
        for (at, _) in text.match_indices("KeyId") {
            let bytes = &text.as_bytes()[at..text.len().min(at + 1280)];
            let steps = runs.to;
            runs.link((at, bytes), &name, &mut Gap::default(), MAX_GAP);
            assert!(at == 4 || runs.to <= steps + 16 || at + 1280 > text.len(), "{at}");
            assert_eq!(runs.runs.len(), 1);
            assert!(runs.runs[0].begins.len() < 1280);
        }
    }

    #[test]
    fn a_run_is_not_forgotten_where_another_is_asked() {
        let (name, long) = (Name::of("okta", 0), "KeyIdOkta".repeat(20));
        let text = format!("{long}:Key:{long}:{}", " ".repeat(LONG + AHEAD));
        let mut runs = Runs::default();
        let mut link = |at: usize| {
            let bytes = &text.as_bytes()[at..];
            runs.link((at, bytes), &name, &mut Gap::default(), MAX_GAP);
            runs.runs.len()
        };
        // Each gap in the first comes to a short one, and to the beginning of the other.
        let (short, second) = (long.len() + 1, long.len() + 5);
        for at in [0, 9, 18] {
            assert_eq!([at, short, second].map(&mut link).last(), Some(&2), "{at}");
        }
        assert_eq!(link(second + 9), 2);
    }

    #[test]
    fn the_last_three_words_say_what_they_make_of_each_other() {
        let words = [Word::Key, Word::Private, Word::Access, Word::Id, Word::Other];
        let lasts =
            [Last::Other, Last::Access, Last::Private, Last::PrivateKey, Last::Key, Last::KeyId];
        for one in words {
            for two in words {
                for three in words {
                    let after = lasts.map(|last| last.then(one).then(two).then(three));
                    assert!(
                        after.iter().all(|last| *last == after[0]),
                        "{one:?} {two:?} {three:?}"
                    );
                }
            }
        }
    }
}
