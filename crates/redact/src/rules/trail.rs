//! The way that a pattern went through a text, so that it is not gone twice.
//!
//! A pattern that reaches over many lines may be tried at each of them. Wherever two tries of one
//! pattern come to the same place in the same state, they go on alike: the second goes on where the
//! first ended.

use std::collections::VecDeque;

/// A state is noted at every place that is a multiple of this.
pub(super) const STEP: usize = 32;

/// So many notes are kept: more than the longest look has. An older one in the same slot has another
/// place.
const STEPS: usize = 64;

/// The ways of so many patterns are kept.
const KEPT: usize = 8;

/// The ways of the patterns that went far last.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    kept: VecDeque<(usize, Box<Trail>)>,
}

impl Trails {
    /// The last way of the rule at an index.
    pub(super) fn of(&mut self, index: usize) -> Option<&mut Trail> {
        let place = match self.kept.iter().position(|(rule, _)| *rule == index) {
            Some(place) => place,
            None => {
                self.kept.truncate(KEPT - 1);
                self.kept.push_front((index, Box::default()));
                0
            }
        };
        self.kept.get_mut(place).map(|(_, trail)| &mut **trail)
    }

    /// Notes that it is known whether the rule at an index takes a secret, in a match that ends at a
    /// place.
    pub(crate) fn settle(&mut self, index: usize, end: usize, secret: usize) {
        if let Some((_, trail)) = self.kept.iter_mut().find(|(rule, _)| *rule == index) {
            trail.settled = (end, secret);
        }
    }

    /// Whether that is known of the secret in a match that ends at a place, to which the rule went
    /// the same way from before that secret on.
    pub(super) fn is_settled(&self, index: usize, end: usize, joined: usize) -> bool {
        let trail = self.kept.iter().find(|(rule, _)| *rule == index);
        trail.is_some_and(|(_, trail)| trail.settled.0 == end && joined <= trail.settled.1)
    }
}

/// The last way of a pattern, in places of the whole text.
#[derive(Debug)]
pub(super) struct Trail {
    /// Where a state was noted, and which.
    notes: [(usize, u32); STEPS],
    end: End,
    /// Where a match ends whose secret was taken or refused, and where that begins.
    settled: (usize, usize),
}

/// Where a way ended.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct End {
    pub(super) at: usize,
    pub(super) state: u32,
    /// Where the last match on it ends.
    pub(super) matched: Option<usize>,
}

impl Default for Trail {
    fn default() -> Self {
        let notes = [(usize::MAX, 0); STEPS];
        Self { notes, end: End::default(), settled: (0, 0) }
    }
}

impl Trail {
    /// Where one ends who comes to a place in a state, where that is known; else notes it.
    pub(super) fn pass(&mut self, at: usize, state: u32, most: usize) -> Option<End> {
        let note = self.notes.get_mut(at / STEP % STEPS)?;
        if *note == (at, state) && (at + 1..=most).contains(&self.end.at) {
            // One that ends here is known by the byte behind.
            let matched = self.end.matched.filter(|matched| *matched >= at);
            return Some(End { matched, ..self.end });
        }
        *note = (at, state);
        None
    }

    /// Notes where the last way ends.
    pub(super) fn stop(&mut self, end: End) {
        self.end = end;
    }
}
