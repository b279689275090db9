//! The changes of one moment, each path once.

use std::collections::HashMap;

use garth_contract::{Change, Event, WsPath};

use super::queue::MAX_QUEUE;

/// What happened since the readers were last told.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// In the order of each path's first change; `None` where nothing is left of it.
    changes: Vec<Option<(WsPath, Change)>>,
    index: HashMap<WsPath, usize>,
    overflow: bool,
}

impl Pending {
    /// Takes one change in.
    pub(super) fn note(&mut self, path: WsPath, change: Change) {
        if self.overflow {
            return;
        }
        if let Some(place) = self.index.get(&path).and_then(|at| self.changes.get_mut(*at)) {
            let after = place.take().map_or(Some(change), |(_, before)| merge(before, change));
            match after {
                Some(change) => *place = Some((path, change)),
                // A path that comes back later stands where it came back.
                None => drop(self.index.remove(&path)),
            }
            return;
        }
        // No reader could be told of more than its queue holds.
        if self.changes.len() >= MAX_QUEUE {
            return self.lose();
        }
        self.index.insert(path.clone(), self.changes.len());
        self.changes.push(Some((path, change)));
    }

    /// Forgets the changes: the readers must look for themselves.
    pub(super) fn lose(&mut self) {
        self.changes.clear();
        self.index.clear();
        self.overflow = true;
    }

    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    /// Hands out what the readers are to be told, and starts afresh.
    pub(super) fn take(&mut self) -> Vec<Event> {
        self.index.clear();
        if std::mem::take(&mut self.overflow) {
            return vec![Event::Overflow];
        }
        self.changes
            .drain(..)
            .flatten()
            .map(|(path, change)| Event::Changed { path, change })
            .collect()
    }
}

/// One change after another of the same path, as one; `None` when they undo
/// each other.
fn merge(before: Change, after: Change) -> Option<Change> {
    match (before, after) {
        (Change::Created, Change::Deleted) => None,
        (Change::Created, Change::Created | Change::Modified) => Some(Change::Created),
        (Change::Modified, Change::Created | Change::Modified) => Some(Change::Modified),
        (Change::Modified | Change::Deleted, Change::Deleted) => Some(Change::Deleted),
        // It was there when the readers last heard of it, and it is there now.
        (Change::Deleted, Change::Created | Change::Modified) => Some(Change::Modified),
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
            (&[Created, Modified, Modified][..], Some(Created)),
            (&[Created, Deleted], None),
            (&[Created, Modified, Deleted], None),
            (&[Created, Deleted, Created], Some(Created)),
            (&[Modified, Modified], Some(Modified)),
            (&[Modified, Deleted], Some(Deleted)),
            (&[Deleted, Created], Some(Modified)),
            (&[Deleted, Created, Deleted], Some(Deleted)),
            (&[Deleted, Created, Modified], Some(Modified)),
        ] {
            let changes: Vec<_> = changes.iter().map(|change| ("a", *change)).collect();
            let expected: Vec<_> =
                expected.map(|change| changed("a", change)).into_iter().collect();
            assert_eq!(told(&changes), expected, "{changes:?}");
        }
    }

    #[test]
    fn paths_come_in_the_order_of_their_first_change() {
        let changes = [("b", Created), ("a", Deleted), ("b", Modified), ("c", Created)];
        let expected = [changed("b", Created), changed("a", Deleted), changed("c", Created)];
        assert_eq!(told(&changes), expected);
    }

    #[test]
    fn more_than_a_queue_holds_is_an_overflow_and_then_afresh() {
        let mut pending = Pending::default();
        for number in 0..=MAX_QUEUE {
            pending.note(path(&number.to_string()), Created);
        }
        assert_eq!(pending.take(), [Event::Overflow]);
        pending.note(path("a"), Created);
        assert_eq!(pending.take(), [changed("a", Created)]);
    }
}
