//! What a text is made of, counted once for all the values that begin in it one close behind the
//! other.
//!
//! A text may be full of names, and what stands behind each reaches over the next ones. So sums are
//! kept for every place: what a value has is the difference of two of them, however long it is.
//! Where values stand far apart that gains nothing, and nothing is counted.

mod row;
mod speech;

use super::words::runs;
use super::words::{EXAMPLE_BEGINNINGS, is_unspeakable};
use row::row;
pub(crate) use row::{Made, made_of};
use speech::{Kinds, NUMBERS, Speech, WORDS};

/// Values are close where so few bytes are between their beginnings.
const CLOSE: usize = 64;

/// So many have to follow each other closely before anything is counted.
const PATIENCE: u8 = 3;

/// No value has more bytes: a sum of them has to fit into eight bits.
const MOST: usize = 192;

/// So many places are kept, and then all begins anew.
const KEPT: usize = 1 << 10;

/// The sums of the part of a text that the last values stand in.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Where the last value was asked for, and how many were close to the one before.
    last: usize,
    close: u8,
    /// Where the part begins.
    from: usize,
    /// What is before each of its places; at the first there is nothing.
    sums: Vec<Sum>,
    /// Where its last byte leaves off.
    step: Step,
}

/// What a part of a text has; the difference of two says what stands between.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    /// Bytes of each kind.
    made: u64,
    /// What shows by several bytes.
    events: u64,
}

/// What a value has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    made: Made,
    /// The first bytes would look back at what is no part of the value, so only what shows behind
    /// them was counted.
    head: [u8; 2],
    rest: u64,
    len: usize,
    /// It begins in the middle of a word, so that what cannot be spoken is not known.
    cut: bool,
}

/// Where events are counted, beside the beginnings of words and numbers.
const UNSPEAKABLE: u64 = 16;
const EXAMPLES: u64 = 24;

impl Tally {
    /// The sums of a value that begins `at` a place, where others begin close to it.
    pub(crate) fn sums<'t>(&'t mut self, at: usize, value: &'t [u8]) -> Option<Sums<'t>> {
        if at != self.last {
            let is_close = at.abs_diff(self.last) < CLOSE;
            self.close = if is_close { PATIENCE.min(self.close + 1) } else { 0 };
            self.last = at;
        }
        if self.close < PATIENCE || value.len() > MOST {
            return None;
        }
        self.reach(at, value);
        let place = at - self.from;
        let before = place.checked_sub(1).and_then(|before| self.sums.get(before));
        Some(Sums { before, sums: self.sums.get(place..)?, head: *value.first_chunk()? })
    }

    /// Counts as far as a value goes.
    fn reach(&mut self, at: usize, value: &[u8]) {
        let known = (self.from..self.from + self.sums.len()).contains(&at);
        if !known || self.sums.len() > KEPT {
            self.from = at;
            self.sums.clear();
            self.sums.push(Sum::default());
            self.step = Step::default();
        }
        let counted = self.from + self.sums.len() - 1 - at;
        let Some(uncounted) = value.get(counted..).filter(|rest| !rest.is_empty()) else { return };
        let mut sum = self.sums.last().copied().unwrap_or_default();
        // On its own it stays in registers.
        let mut step = self.step;
        self.sums.extend(uncounted.iter().map(|byte| {
            sum = sum.and(step.take(*byte));
            sum
        }));
        self.step = step;
    }
}

/// The sums at every place of a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sums<'t> {
    /// What is right before it.
    before: Option<&'t Sum>,
    sums: &'t [Sum],
    head: [u8; 2],
}

impl Sums<'_> {
    /// What its first bytes have, of which there are at least two.
    pub(crate) fn counts(&self, len: usize) -> Option<Counts> {
        let [begin, _, behind, ..] = self.sums else { return None };
        let end = self.sums.get(len)?;
        let cut = self.before.is_some_and(|before| {
            let last = Made(begin.made.wrapping_sub(before.made));
            last.lower() + last.upper() > 0
        });
        let made = Made(end.made.wrapping_sub(begin.made));
        let rest = end.events.wrapping_sub(behind.events);
        (len > 1).then_some(Counts { made, head: self.head, rest, len, cut })
    }
}

impl Counts {
    /// How many bytes of each kind there are.
    pub(crate) fn made(&self) -> Made {
        self.made
    }

    /// Whether the value, which is `text`, is made of words.
    pub(super) fn is_wordy(&self, text: &[u8]) -> bool {
        let made = self.made();
        let counts = runs::Counts {
            words: self.event(WORDS),
            numbers: self.event(NUMBERS),
            letters: made.lower() + made.upper(),
            digits: made.digits(),
        };
        made.odd() == 0 && counts.are_wordy() && !self.is_unspeakable(text)
    }

    /// Whether the value, which is `text`, has a word that cannot be spoken.
    pub(crate) fn is_unspeakable(&self, text: &[u8]) -> bool {
        if self.cut { is_unspeakable(text) } else { self.event(UNSPEAKABLE) > 0 }
    }

    /// Whether a word for an example may be in it.
    pub(super) fn may_be_example(&self) -> bool {
        self.event(EXAMPLES) > 0
    }

    /// Bytes of the value.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether there are only letters and digits.
    pub(crate) fn are_joined(&self) -> bool {
        self.made().joined() == self.len
    }

    pub(super) fn has_digit(&self) -> bool {
        self.made().digits() > 0
    }

    /// Whether there is a letter that every language has.
    pub(super) fn has_letter(&self) -> bool {
        self.made().lower() + self.made().upper() > 0
    }

    /// Whether it is written like the name of an environment variable.
    pub(super) fn is_upper_name(&self) -> bool {
        let made = self.made();
        made.low_lines() > 0 && made.upper() + made.digits() + made.low_lines() == self.len
    }

    fn event(&self, place: u64) -> usize {
        let mut step = Step::default();
        let head = self.head.map(|byte| step.take(byte).events);
        let events = head.iter().fold(self.rest, |events, head| events.wrapping_add(*head));
        usize::try_from(events >> place & 0xff).unwrap_or(usize::MAX)
    }
}

impl Sum {
    // What flows over from one count into the next flows back where two sums are subtracted.
    fn and(self, more: Self) -> Self {
        Self {
            made: self.made.wrapping_add(more.made),
            events: self.events.wrapping_add(more.events),
        }
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
    fn take(&mut self, byte: u8) -> Sum {
        let row = row(byte);
        self.beginnings = EXAMPLE_BEGINNINGS.step(self.beginnings, byte);
        let example = EXAMPLE_BEGINNINGS.is_whole(self.beginnings);
        let unspeakable = self.speech.step(row.sound);
        let events = u64::from(unspeakable) << UNSPEAKABLE
            | u64::from(example) << EXAMPLES
            | self.kinds.step(row.kind);
        Sum { made: row.made, events }
    }
}

#[cfg(test)]
mod tests;
