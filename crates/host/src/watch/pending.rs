//! The changes that somebody is yet to be told of, each path once.
//!
//! It holds those of one moment, before all readers are told, and those that one
//! reader has not read yet: a change is what is new since the last event about a
//! path, so a reader that lags behind hears less, and not later.

use std::collections::{HashMap, VecDeque};

use garth_contract::{Change, Event, WsPath};

/// How many changes wait for one reader; more are an overflow.
///
/// A large checkout fits in. It bounds a reader that stalls to some two megabytes.
pub(super) const MAX_PENDING: usize = 8192;

/// Changes in the order in which each path first changed.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Whether changes were lost before those that are here.
    overflow: bool,
    changes: VecDeque<Changed>,
    /// The number of the first of `changes`; each has one more than that before it.
    first: usize,
    /// The numbers by path.
    index: HashMap<WsPath, usize>,
}

/// All changes of one path.
#[derive(Debug)]
struct Changed {
    path: WsPath,
    first: Change,
    last: Change,
}

impl Pending {
    /// Takes one change in.
    pub(super) fn note(&mut self, path: WsPath, change: Change) {
        let place = self.index.get(&path).and_then(|number| number.checked_sub(self.first));
        if let Some(changed) = place.and_then(|place| self.changes.get_mut(place)) {
            changed.last = change;
            return;
        }
        if self.changes.len() >= MAX_PENDING {
            return self.lose();
        }
        self.index.insert(path.clone(), self.first + self.changes.len());
        self.changes.push_back(Changed { path, first: change, last: change });
    }

    /// Takes in what somebody else was told.
    pub(super) fn extend(&mut self, events: &[Event]) {
        for event in events {
            match event {
                Event::Changed { path, change } => self.note(path.clone(), *change),
                Event::Overflow => self.lose(),
            }
        }
    }

    /// Forgets the changes: who must look for itself has no use for them.
    pub(super) fn lose(&mut self) {
        *self = Self { overflow: true, ..Self::default() };
    }

    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    /// The next thing to be told.
    pub(super) fn pop(&mut self) -> Option<Event> {
        if std::mem::take(&mut self.overflow) {
            return Some(Event::Overflow);
        }
        let changed = self.changes.pop_front()?;
        self.first += 1;
        self.index.remove(&changed.path);
        let change = changed.as_one();
        Some(Event::Changed { path: changed.path, change })
    }

    /// All that is to be told.
    pub(super) fn take(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.pop()).collect()
    }
}

impl Changed {
    /// All changes as one.
    ///
    /// What was made and removed again is told as removed and not passed over: who
    /// listed the directory in between has seen it.
    fn as_one(&self) -> Change {
        match (self.first, self.last) {
            (_, Change::Deleted) => Change::Deleted,
            (Change::Created, Change::Created | Change::Modified) => Change::Created,
            // What was removed and made again was there before and is there now.
            (Change::Modified | Change::Deleted, Change::Created | Change::Modified) => {
                Change::Modified
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use Change::{Created, Deleted, Modified};

    use super::*;

    fn path(name: &str) -> WsPath {
        WsPath::from_bytes(name.as_bytes()).unwrap()
    }

    fn told(changes: &[(&str, Change)]) -> Vec<Event> {
        let mut pending = Pending::default();
        for (name, change) in changes {
            pending.note(path(name), *change);
        }
        pending.take()
    }

    fn changed(name: &str, change: Change) -> Event {
        Event::Changed { path: path(name), change }
    }

    #[test]
    fn several_changes_of_a_path_are_one() {
        for (changes, expected) in [
            (&[Created, Modified, Modified][..], Created),
            (&[Created, Deleted], Deleted),
            (&[Created, Modified, Deleted], Deleted),
            (&[Created, Deleted, Created], Created),
            (&[Modified, Modified], Modified),
            (&[Modified, Deleted], Deleted),
            (&[Deleted, Created], Modified),
            (&[Deleted, Created, Deleted], Deleted),
            (&[Deleted, Created, Modified], Modified),
        ] {
            let changes: Vec<_> = changes.iter().map(|change| ("a", *change)).collect();
            assert_eq!(told(&changes), [changed("a", expected)], "{changes:?}");
        }
    }

    #[test]
    fn paths_come_in_the_order_of_their_first_change() {
        let changes = [("b", Created), ("a", Deleted), ("b", Modified), ("c", Created)];
        let expected = [changed("b", Created), changed("a", Deleted), changed("c", Created)];
        assert_eq!(told(&changes), expected);
    }

    #[test]
    fn too_many_are_an_overflow_before_what_comes_after_it() {
        let mut pending = Pending::default();
        for number in 0..=MAX_PENDING {
            pending.note(path(&number.to_string()), Created);
        }
        pending.note(path("a"), Modified);
        assert_eq!(pending.take(), [Event::Overflow, changed("a", Modified)]);
        pending.note(path("a"), Created);
        assert_eq!(pending.take(), [changed("a", Created)]);
    }

    #[test]
    fn what_was_told_is_not_merged_with_what_comes_after_it() {
        let mut pending = Pending::default();
        for name in ["a", "b", "c"] {
            pending.note(path(name), Created);
        }
        assert_eq!(pending.pop(), Some(changed("a", Created)));
        for name in ["c", "b", "a"] {
            pending.note(path(name), Modified);
        }
        let expected = [changed("b", Created), changed("c", Created), changed("a", Modified)];
        assert_eq!(pending.take(), expected);
    }
}
