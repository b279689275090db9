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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_known_by_its_place_and_state_as_far_as_the_text_is_at_hand() {
        let mut trail = Trail::default();
        assert!(trail.pass(64, 5, 1000).is_none());
        trail.stop(End { at: 500, state: 9, matched: Some(64) });
        for (at, state, most, known) in [
            (64, 5, 500, true),
            (64, 5, 1000, true),
            // Whoever sees less of the text ends before.
            (64, 5, 499, false),
            (64, 6, 500, false),
            (96, 5, 500, false),
        ] {
            let end = trail.pass(at, state, most);
            assert_eq!(
                end.map(|end| (end.at, end.state)),
                known.then_some((500, 9)),
                "{at} {state}"
            );
            // The last one that was not known is noted instead.
            trail.notes = [(64, 5); STEPS];
        }
        // A match that ends before a place was none of who comes there.
        for (matched, at, known) in [(64, 64, Some(64)), (63, 64, None)] {
            trail.stop(End { at: 500, state: 9, matched: Some(matched) });
            assert_eq!(trail.pass(at, 5, 500).and_then(|end| end.matched), known);
        }
    }

    #[test]
    fn a_secret_is_known_to_who_came_the_same_way_from_before_it() {
        let mut trails = Trails::default();
        trails.settle(3, 100, 80);
        assert!(!trails.is_settled(3, 100, 64), "a rule without a trail has nothing settled");
        assert!(trails.of(3).is_some());
        trails.settle(3, 100, 80);
        for (index, end, joined, known) in [
            (3, 100, 64, true),
            (3, 100, 80, true),
            // The ways met inside of it, so that it may begin elsewhere.
            (3, 100, 96, false),
            (3, 101, 64, false),
            (4, 100, 64, false),
        ] {
            assert_eq!(trails.is_settled(index, end, joined), known, "{index} {end} {joined}");
        }
    }
}
