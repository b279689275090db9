//! What a text is made of, counted once for all the values that begin in it one close behind the
//! other.
//!
//! A text may be full of names, and what stands behind each reaches over the next ones. So sums are
//! kept for every place: what a value has is the difference of two of them, however long it is.
//! Where values stand far apart that gains nothing, and nothing is counted.

mod events;
mod row;
mod speech;

use super::words::runs;
pub(super) use events::{Events, Shown};
use row::row;
pub(crate) use row::{Made, made_of};

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
    /// What is before each of its places, bytes of each kind; at the first there is nothing.
    sums: Vec<u64>,
}

/// What a value is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    made: Made,
    len: usize,
}

impl Tally {
    /// The sums of a value that begins `at` a place, where others begin close to it.
    pub(crate) fn sums(&mut self, at: usize, value: &[u8]) -> Option<Sums<'_>> {
        if at != self.last {
            let is_close = at.abs_diff(self.last) < CLOSE;
            self.close = if is_close { PATIENCE.min(self.close + 1) } else { 0 };
            self.last = at;
        }
        if self.close < PATIENCE || value.len() > MOST {
            return None;
        }
        self.reach(at, value);
        self.sums.get(at - self.from..).map(Sums)
    }

    /// Counts as far as a value goes.
    fn reach(&mut self, at: usize, value: &[u8]) {
        let known = (self.from..self.from + self.sums.len()).contains(&at);
        if !known || self.sums.len() > KEPT {
            self.from = at;
            self.sums.clear();
            self.sums.push(0);
        }
        let counted = self.from + self.sums.len() - 1 - at;
        let Some(uncounted) = value.get(counted..).filter(|rest| !rest.is_empty()) else { return };
        let mut sum = self.sums.last().copied().unwrap_or_default();
        self.sums.extend(uncounted.iter().map(|byte| {
            // What flows over from one count into the next flows back where two are subtracted.
            sum = sum.wrapping_add(row(*byte).made);
            sum
        }));
    }
}

/// The sums at every place of a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sums<'t>(&'t [u64]);

impl Sums<'_> {
    /// What its first bytes are, of which there are at least two.
    pub(crate) fn counts(&self, len: usize) -> Option<Counts> {
        let (begin, end) = (self.0.first()?, self.0.get(len)?);
        (len > 1).then_some(Counts { made: Made(end.wrapping_sub(*begin)), len })
    }
}

impl Counts {
    /// How many bytes of each kind there are.
    pub(crate) fn made(&self) -> Made {
        self.made
    }

    /// Whether the value is made of words, as far as its bytes say: what shows by several of them
    /// costs more.
    pub(super) fn may_be_wordy(&self) -> bool {
        let made = self.made();
        let letters = made.lower() + made.upper();
        made.odd() == 0 && letters > 0 && made.digits() * 2 <= letters
    }

    /// Whether it is, by what is `shown` in it.
    pub(super) fn is_wordy(&self, shown: &Shown<'_>) -> bool {
        let made = self.made();
        let [words, numbers] = shown.words_and_numbers();
        let (letters, digits) = (made.lower() + made.upper(), made.digits());
        let counts = runs::Counts { words, numbers, letters, digits };
        made.odd() == 0 && counts.are_wordy() && !shown.is_unspeakable()
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
}

#[cfg(test)]
mod tests;
