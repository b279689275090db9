//! Which lines of two lists were replaced by which.
//!
//! The Myers algorithm gives the best answer and is quick on real changes, but
//! two long lists of few different lines take it quadratic time. So lists that
//! are long are first split at lines that occur once in both, and what work is
//! left is bounded: where the bound is reached, a stretch counts as replaced as
//! a whole, which is still true.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Token};

/// The most work for one stretch, in pairs of lines: about a tenth of a second
/// at worst.
const STRETCH: usize = 100_000_000;

/// The most work for one comparison.
const BUDGET: usize = 4 * STRETCH;

/// How often a stretch is split again by what is unique within it.
const DEPTH: usize = 4;

/// Lines that were replaced by others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// Compares two lists of lines; the changes come in order and never touch.
pub(super) fn compare(old: &[&[u8]], new: &[&[u8]]) -> Vec<Change> {
    let whole = Change { old: 0..old.len(), new: 0..new.len() };
    if i32::try_from(old.len().max(new.len())).is_err() {
        // The algorithm counts in 31 bits.
        return vec![whole];
    }
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    if whole.work() <= STRETCH {
        let mut found = Diff::compute(Algorithm::Myers, &input);
        found.postprocess_lines(&input);
        return changes(&found, &whole).collect();
    }
    let distinct = usize::try_from(input.interner.num_tokens()).unwrap_or(usize::MAX);
    let mut comparison = Comparison {
        old: &input.before,
        new: &input.after,
        seen: vec![Seen::default(); distinct],
        budget: BUDGET,
        changes: Vec::new(),
    };
    comparison.stretch(whole, DEPTH);
    comparison.changes
}

impl Change {
    fn work(&self) -> usize {
        self.old.len().saturating_mul(self.new.len())
    }
}

/// What the algorithm found within a stretch.
fn changes(found: &Diff, stretch: &Change) -> impl Iterator<Item = Change> {
    let moved = |range: Range<u32>, by: usize| {
        let index = |at: u32| usize::try_from(at).unwrap_or(usize::MAX) + by;
        index(range.start)..index(range.end)
    };
    found.hunks().map(move |hunk| Change {
        old: moved(hunk.before, stretch.old.start),
        new: moved(hunk.after, stretch.new.start),
    })
}

/// A comparison of long lists, each distinct line a number.
struct Comparison<'a> {
    old: &'a [Token],
    new: &'a [Token],
    /// For each distinct line; empty between uses.
    seen: Vec<Seen>,
    budget: usize,
    changes: Vec<Change>,
}

impl Comparison<'_> {
    fn stretch(&mut self, stretch: Change, depth: usize) {
        let stretch = self.trimmed(stretch);
        if stretch.old.is_empty() && stretch.new.is_empty() {
            return;
        }
        // Both begin and end differently, so one line has nothing in common.
        if stretch.old.len().min(stretch.new.len()) == 0 || stretch.work() == 1 {
            self.changes.push(stretch);
            return;
        }
        if stretch.work() <= STRETCH.min(self.budget) {
            self.budget -= stretch.work();
            self.myers(&stretch);
            return;
        }
        let anchors = if depth > 0 { self.anchors(&stretch) } else { Vec::new() };
        if anchors.is_empty() {
            self.changes.push(stretch);
            return;
        }
        let (mut old, mut new) = (stretch.old.start, stretch.new.start);
        for (old_at, new_at) in anchors {
            self.stretch(Change { old: old..old_at, new: new..new_at }, depth - 1);
            (old, new) = (old_at + 1, new_at + 1);
        }
        self.stretch(Change { old: old..stretch.old.end, new: new..stretch.new.end }, depth - 1);
    }

    /// A stretch without the lines that both sides begin and end with.
    fn trimmed(&self, stretch: Change) -> Change {
        let Change { mut old, mut new } = stretch;
        let same = |old: usize, new: usize| self.old.get(old) == self.new.get(new);
        while !old.is_empty() && !new.is_empty() && same(old.start, new.start) {
            (old.start, new.start) = (old.start + 1, new.start + 1);
        }
        while !old.is_empty() && !new.is_empty() && same(old.end - 1, new.end - 1) {
            (old.end, new.end) = (old.end - 1, new.end - 1);
        }
        Change { old, new }
    }

    fn myers(&mut self, stretch: &Change) {
        let old = self.old.get(stretch.old.clone()).unwrap_or_default();
        let new = self.new.get(stretch.new.clone()).unwrap_or_default();
        let mut found = Diff::default();
        let distinct = u32::try_from(self.seen.len()).unwrap_or(u32::MAX);
        found.compute_with(Algorithm::Myers, old, new, distinct);
        self.changes.extend(changes(&found, stretch));
    }

    /// Lines that occur once on either side of a stretch, as many as stand in
    /// the same order.
    fn anchors(&mut self, stretch: &Change) -> Vec<(usize, usize)> {
        let old = self.old.get(stretch.old.clone()).unwrap_or_default();
        let new = self.new.get(stretch.new.clone()).unwrap_or_default();
        for (token, at) in old.iter().zip(stretch.old.clone()) {
            slot(&mut self.seen, *token).into_iter().for_each(|seen| seen.old.meet(at));
        }
        for (token, at) in new.iter().zip(stretch.new.clone()) {
            slot(&mut self.seen, *token).into_iter().for_each(|seen| seen.new.meet(at));
        }
        let mut pairs = Vec::new();
        for token in old.iter().chain(new) {
            let seen = slot(&mut self.seen, *token).map(std::mem::take);
            pairs.extend(seen.and_then(Seen::once_in_both));
        }
        longest_rise(&pairs)
    }
}

fn slot(seen: &mut [Seen], token: Token) -> Option<&mut Seen> {
    seen.get_mut(usize::try_from(token.0).ok()?)
}

/// Where a line occurs on either side.
#[derive(Clone, Copy, Default)]
struct Seen {
    old: Occurrence,
    new: Occurrence,
}

#[derive(Clone, Copy, Default)]
enum Occurrence {
    #[default]
    Never,
    Once(usize),
    Often,
}

impl Occurrence {
    fn meet(&mut self, at: usize) {
        *self = match self {
            Self::Never => Self::Once(at),
            Self::Once(_) | Self::Often => Self::Often,
        };
    }
}

impl Seen {
    fn once_in_both(self) -> Option<(usize, usize)> {
        match (self.old, self.new) {
            (Occurrence::Once(old), Occurrence::Once(new)) => Some((old, new)),
            (
                Occurrence::Never | Occurrence::Once(_) | Occurrence::Often,
                Occurrence::Never | Occurrence::Once(_) | Occurrence::Often,
            ) => None,
        }
    }
}

/// The longest run of pairs that rises on both sides; it rises on the left by
/// itself.
fn longest_rise(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair with the lowest end that a rise of that length
    // can have; and for each pair, the one before it in its rise.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let right = |index: usize| pairs.get(index).map(|pair| pair.1);
    for (index, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| right(*end) < Some(pair.1));
        before.push(length.checked_sub(1).and_then(|last| ends.get(last).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut rise = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(index) = at {
        rise.extend(pairs.get(index).copied());
        at = before.get(index).copied().flatten();
    }
    rise.reverse();
    rise
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rise_is_found() {
        assert_eq!(longest_rise(&[]), []);
        assert_eq!(
            longest_rise(&[(0, 5), (1, 1), (2, 2), (3, 0), (4, 3)]),
            [(1, 1), (2, 2), (4, 3)]
        );
    }

    #[test]
    fn a_long_list_is_split_at_lines_that_occur_once() {
        let text = |changed: &[usize]| -> Vec<String> {
            (0..30_000)
                .map(|line| if changed.contains(&line) { "new".into() } else { line.to_string() })
                .collect()
        };
        let (old, new) = (text(&[]), text(&[3, 9_000, 29_999]));
        let lines = |text: &'static [String]| -> Vec<&'static [u8]> {
            text.iter().map(String::as_bytes).collect()
        };
        let (old, new) = (lines(old.leak()), lines(new.leak()));
        let expected: Vec<_> =
            [3, 9_000, 29_999].map(|at| Change { old: at..at + 1, new: at..at + 1 }).into();
        assert_eq!(compare(&old, &new), expected);
    }

    #[test]
    fn work_without_end_is_not_begun() {
        let old = [&b"a"[..], b"b"].repeat(300_000);
        let new = [&b"b"[..], b"c", b"a", b"a"].repeat(150_000);
        let whole = Change { old: 0..old.len(), new: 0..new.len() };
        assert_eq!(compare(&old, &new), [whole]);
    }
}
