//! What shows by several bytes: words and numbers, what cannot be spoken, what examples begin with.
//!
//! It is summed up like what a text is made of, but costs much more a byte. Most values are refused
//! before anybody asks, so it is counted only as far as somebody does.

use super::super::words::{EXAMPLE_BEGINNINGS, is_unspeakable};
use super::row::{LETTER, row};
use super::speech::{Kinds, NUMBERS, Speech, WORDS};
use super::{KEPT, MOST};

/// The sums of the part of a text that the last values stand in.
#[derive(Debug, Default)]
pub(in crate::judge) struct Events {
    /// Where the part begins.
    from: usize,
    /// What is before each of its places; at the first there is nothing.
    pub(super) sums: Vec<u64>,
    /// Where its last byte leaves off.
    step: Step,
}

/// What shows in a value.
#[derive(Debug, Clone, Copy)]
pub(in crate::judge) struct Shown<'v> {
    value: &'v [u8],
    /// The first bytes would look back at what is no part of the value, so only what shows behind
    /// them was counted.
    rest: u64,
    /// It begins in the middle of a word, so that what cannot be spoken is not known.
    cut: bool,
}

/// Where events are counted, beside the beginnings of words and numbers.
const UNSPEAKABLE: u64 = 16;
const EXAMPLES: u64 = 24;
const LETTERS: u64 = 32;

/// So many bytes look back at others.
const LOOK_BACK: usize = 2;

impl Events {
    /// What shows in a value that begins `at` a place; `None` where it is too short or too long.
    pub(in crate::judge) fn of<'v>(&mut self, at: usize, value: &'v [u8]) -> Option<Shown<'v>> {
        if !(LOOK_BACK..=MOST).contains(&value.len()) {
            return None;
        }
        self.reach(at, value);
        let place = at - self.from;
        let sum = |place: usize| self.sums.get(place).copied();
        let last = place.checked_sub(1).and_then(sum);
        let begin = sum(place)?;
        let cut = last.is_some_and(|last| begin.wrapping_sub(last) >> LETTERS & 0xff > 0);
        let rest = sum(place + value.len())?.wrapping_sub(sum(place + LOOK_BACK)?);
        Some(Shown { value, rest, cut })
    }

    /// Counts as far as a value goes.
    fn reach(&mut self, at: usize, value: &[u8]) {
        let known = (self.from..self.from + self.sums.len()).contains(&at);
        if !known || self.sums.len() > KEPT {
            self.from = at;
            self.sums.clear();
            self.sums.push(0);
            self.step = Step::default();
        }
        let counted = self.from + self.sums.len() - 1 - at;
        let Some(uncounted) = value.get(counted..).filter(|rest| !rest.is_empty()) else { return };
        let mut sum = self.sums.last().copied().unwrap_or_default();
        // On its own it stays in registers.
        let mut step = self.step;
        self.sums.extend(uncounted.iter().map(|byte| {
            // What flows over from one count into the next flows back where two are subtracted.
            sum = sum.wrapping_add(step.take(*byte));
            sum
        }));
        self.step = step;
    }
}

impl Shown<'_> {
    /// How many words and numbers there are.
    pub(super) fn words_and_numbers(&self) -> [usize; 2] {
        [WORDS, NUMBERS].map(|place| self.count(place))
    }

    /// Whether there is a word that cannot be spoken.
    pub(in crate::judge) fn is_unspeakable(&self) -> bool {
        if self.cut { is_unspeakable(self.value) } else { self.count(UNSPEAKABLE) > 0 }
    }

    /// Whether a word for an example may be there.
    pub(in crate::judge) fn may_be_example(&self) -> bool {
        self.count(EXAMPLES) > 0
    }

    fn count(&self, place: u64) -> usize {
        let mut step = Step::default();
        let head = self.value.iter().take(LOOK_BACK);
        let events = head.fold(self.rest, |events, byte| events.wrapping_add(step.take(*byte)));
        usize::try_from(events >> place & 0xff).unwrap_or(usize::MAX)
    }
}

/// What the bytes before leave off with.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    kinds: Kinds,
    speech: Speech,
    /// What examples may begin with.
    beginnings: u64,
}

impl Step {
    /// What one byte more adds.
    #[inline(always)]
    fn take(&mut self, byte: u8) -> u64 {
        let row = row(byte);
        self.beginnings = EXAMPLE_BEGINNINGS.step(self.beginnings, byte);
        let example = EXAMPLE_BEGINNINGS.is_whole(self.beginnings);
        let unspeakable = self.speech.step(row.sound);
        u64::from(unspeakable) << UNSPEAKABLE
            | u64::from(example) << EXAMPLES
            | u64::from(row.sound & LETTER) << LETTERS
            | self.kinds.step(row.kind)
    }
}
