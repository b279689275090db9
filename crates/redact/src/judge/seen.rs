//! What was seen in the values before, where they reach over each other.
//!
//! Each of these goes over a text once, however many values begin in it one behind the other.

use super::form::scheme;
use super::words::Needles;

/// Where the next of a few strings stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    /// None of them is wholly in here.
    from: usize,
    to: usize,
    /// One that ends right behind.
    found: Option<(usize, usize)>,
}

impl Seen {
    /// Whether one of them is in a value that stands `at` a place.
    pub(super) fn is_in(&mut self, needles: &Needles, at: usize, value: &str) -> bool {
        let end = at + value.len();
        if !(self.from..=self.to).contains(&at) {
            *self = Self { from: at, to: at, found: None };
        }
        self.from = at;
        if let Some((start, last)) = self.found
            && at <= start
        {
            return last <= end;
        }
        if end <= self.to {
            return false;
        }
        // What ends behind all that was seen may begin in it.
        let from = at.max((self.to + 1).saturating_sub(needles.longest()));
        let unseen = value.as_bytes().get(from - at..).unwrap_or_default();
        self.found = needles.find(unseen).map(|found| (from + found.start, from + found.end));
        self.to = self.found.map_or(end, |(_, last)| last - 1);
        self.found.is_some()
    }

    /// Whether one was met close to a place, or stands behind it.
    pub(super) fn are_close(&self, at: usize) -> bool {
        self.found.is_some_and(|(start, _)| at <= start + CLOSE)
    }

    /// Whether one of them is known to be among so many bytes from a place on.
    pub(super) fn is_known_in(&self, at: usize, len: usize) -> bool {
        self.found.is_some_and(|(start, last)| at <= start && last <= at + len)
    }
}

/// Where the next address stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Schemes {
    /// No mark of one begins in here.
    from: usize,
    to: usize,
    /// Where the last one that was met begins.
    met: Option<usize>,
}

/// Bytes of the mark that an address has, `://`.
const MARK: usize = 3;

/// An address is close to a value that begins so few bytes behind it.
const CLOSE: usize = 64;

impl Schemes {
    /// Whether one was met close to a place, or behind it.
    pub(super) fn are_close(&self, at: usize) -> bool {
        self.met.is_some_and(|met| at <= met + CLOSE)
    }

    /// Whether one is in a value that stands `at` a place.
    pub(super) fn are_in(&mut self, at: usize, value: &[u8]) -> bool {
        if !(self.from..=self.to).contains(&at) {
            // One that stands before says that others are close.
            *self = Self { from: at, to: at, met: self.met.filter(|met| *met < at) };
        }
        let end = at + value.len();
        if let Some(met) = self.met
            && at <= met
        {
            return met + MARK <= end;
        }
        let unseen = value.get(self.to - at..).unwrap_or_default();
        if let Some(place) = scheme(unseen) {
            self.met = Some(self.to + place);
            self.to += place;
            return true;
        }
        // What ends behind the value may begin in it.
        self.to = self.to.max((end + 1).saturating_sub(MARK));
        false
    }
}

/// A part of the text that has fewer different bytes than anything random.
#[derive(Debug, Default)]
pub(super) struct Few {
    from: usize,
    to: usize,
    /// The bytes in it, a bit each, and how many they are.
    seen: [u64; 4],
    many: u32,
    /// Whether the byte behind it would be one too many.
    whole: bool,
}

impl Few {
    /// Whether a value that stands `at` a place is known to be in such a part, or goes on like it.
    #[inline(always)]
    pub(super) fn has(&mut self, at: usize, value: &[u8]) -> bool {
        let end = at + value.len();
        let begins = self.from <= at && at <= self.to;
        begins && (end <= self.to || (!self.whole && self.goes_on(value.get(self.to - at..))))
    }

    /// Notes that a value is one of those.
    pub(super) fn learn(&mut self, at: usize, value: &[u8]) {
        if !(self.from <= at && at <= self.to) {
            *self = Self { from: at, to: at, ..Self::default() };
            self.goes_on(Some(value));
        }
    }

    /// Goes as far as there are few; says whether that is all.
    fn goes_on(&mut self, rest: Option<&[u8]>) -> bool {
        for &byte in rest.unwrap_or_default() {
            let Some(word) = self.seen.get_mut(usize::from(byte >> 6)) else { return false };
            let bit = 1 << (byte & 63);
            if *word & bit == 0 {
                if self.many + 1 == LEAST_VARIED {
                    self.whole = true;
                    return false;
                }
                *word |= bit;
                self.many += 1;
            }
            self.to += 1;
        }
        true
    }
}

/// The different bytes that were met last, each once.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recent {
    /// What was gone over.
    from: usize,
    to: usize,
    /// The bytes, in no order, and how far behind `from` each stood last, counted from one.
    bytes: [u8; LANES],
    last: [u32; LANES],
}

/// Anything random has so many different bytes.
pub(super) const LEAST_VARIED: u32 = 6;

/// So many are kept, which fit a register, and no fewer than anybody asks for.
const LANES: usize = 8;

impl Recent {
    /// Whether a value that stands `at` a place has as many different bytes as anything random;
    /// `None` where what was gone over reaches beyond it.
    pub(super) fn are_varied(&mut self, at: usize, value: &[u8]) -> Option<bool> {
        let end = at + value.len();
        let goes_on = (self.from..=self.to).contains(&at);
        if goes_on && self.to > end {
            return None;
        }
        if !goes_on || u32::try_from(end - self.from).is_err() {
            *self = Self { from: at, to: at, ..Self::default() };
        }
        let unseen = value.get(self.to - at..).unwrap_or_default();
        for (place, &byte) in (self.to - self.from..).zip(unseen) {
            self.meet(byte, u32::try_from(place + 1).unwrap_or(u32::MAX));
        }
        self.to = end;
        let begin = u32::try_from(at - self.from).unwrap_or(u32::MAX);
        let varied = self.last.iter().map(|last| u32::from(*last > begin)).sum::<u32>();
        Some(varied >= LEAST_VARIED)
    }

    /// Notes where a byte stands, in the place of the one that was not met for longest.
    #[inline(always)]
    fn meet(&mut self, byte: u8, place: u32) {
        const ONES: u64 = 0x0101_0101_0101_0101;
        // The lowest byte that is the same becomes zero, and only what is above it may be mistaken.
        let other = u64::from_le_bytes(self.bytes) ^ (u64::from(byte) * ONES);
        let zero = other.wrapping_sub(ONES) & !other & (ONES << 7);
        let lane = usize::try_from(zero.trailing_zeros() / 8).unwrap_or(LANES);
        if let Some(last) = self.last.get_mut(lane).filter(|last| **last > 0) {
            *last = place;
            return;
        }
        let oldest = (0..LANES).min_by_key(|lane| self.last.get(*lane).copied()).unwrap_or(0);
        if let (Some(known), Some(last)) = (self.bytes.get_mut(oldest), self.last.get_mut(oldest)) {
            (*known, *last) = (byte, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::has_distinct;
    use super::*;

    #[test]
    fn an_address_is_seen_in_every_value_that_has_one_and_in_no_other() {
        let mut found = [0, 0];
        for seed in 1..60 {
            let mut schemes = Schemes::default();
            for (at, value) in values_of(SCHEMES, seed) {
                let has = value.contains("://");
                assert_eq!(schemes.are_in(at, value.as_bytes()), has, "{at} {value}");
                found[usize::from(has)] += 1;
            }
        }
        assert!(found.iter().all(|many| *many > 500), "{found:?}");
    }

    static NEEDLES: Needles = Needles::new(&["change", "xxxx", "_here", "here_goes"]);

    const PARTS: &[&str] =
        &["a", "xx", "x", "_her", "e", "here_", "goes", "chang", "bb", "c", "d", "_", "ab"];

    const SCHEMES: &[&str] = &["aaaaaaaaaaaa", ":", "/", "://", "b:/", "//c"];

    /// Values of a text that reach over each other, and a few that begin earlier again.
    fn values(seed: usize) -> Vec<(usize, String)> {
        values_of(PARTS, seed)
    }

    fn values_of(parts: &[&str], seed: usize) -> Vec<(usize, String)> {
        let (mut text, mut state) = (String::new(), seed);
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 33
        };
        while text.len() < 2000 {
            text.push_str(parts[next() % (2 + seed % parts.len()).min(parts.len())]);
        }
        let places = (0..1900).step_by(3).map(|at: usize| at.saturating_sub(next() % 9));
        let mut values = Vec::new();
        for at in places.collect::<Vec<_>>() {
            values.push((1000 + at, text[at..at + next() % 90].to_owned()));
        }
        values
    }

    #[test]
    fn a_string_is_seen_in_every_value_that_has_it_and_in_no_other() {
        let mut found = [0, 0];
        for seed in 1..40 {
            let mut seen = Seen::default();
            for (at, value) in values(seed) {
                let is_in = NEEDLES.find(value.as_bytes()).is_some();
                assert!(is_in || !seen.is_known_in(at, value.len()), "{at} {value}");
                assert_eq!(seen.is_in(&NEEDLES, at, &value), is_in, "{at} {value}");
                found[usize::from(is_in)] += 1;
            }
        }
        assert!(found.iter().all(|many| *many > 1000), "{found:?}");
    }

    #[test]
    fn a_value_of_few_different_bytes_is_known_by_them() {
        let mut few_of = [0, 0];
        for seed in 1..80 {
            let mut few = Few::default();
            for (at, value) in values(seed) {
                let varied = has_distinct(&value, LEAST_VARIED);
                let has = few.has(at, value.as_bytes());
                assert!(!has || !varied, "{at} {value}");
                if !varied {
                    few.learn(at, value.as_bytes());
                    // What was learned before may go on elsewhere.
                    assert!(few.has(at, value.as_bytes()) || few.whole, "{at} {value}");
                }
                few_of[usize::from(has)] += 1;
            }
        }
        assert!(few_of.iter().all(|many| *many > 1000), "{few_of:?}");
    }

    #[test]
    fn different_bytes_are_counted_wherever_a_value_begins() {
        let mut varied = [0, 0];
        for seed in 1..80 {
            let mut recent = Recent::default();
            for (at, value) in values(seed) {
                let has = has_distinct(&value, LEAST_VARIED);
                if let Some(varied_bytes) = recent.are_varied(at, value.as_bytes()) {
                    assert_eq!(varied_bytes, has, "{at} {value}");
                    varied[usize::from(has)] += 1;
                }
            }
        }
        assert!(varied.iter().all(|many| *many > 1000), "{varied:?}");
    }
}
