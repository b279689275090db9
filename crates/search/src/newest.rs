//! Keeps the newest results of a walk, however many there are.

use std::{cmp::Reverse, collections::BTreeMap, time::SystemTime};

use garth_contract::{Query, WsPath};

use crate::hits::Hits;

/// The results of the files modified last, as many as a query wants.
///
/// Files come in any order; what cannot be among the wanted ones any more is
/// dropped at once.
#[derive(Debug)]
pub struct Newest {
    wanted: u64,
    kept: BTreeMap<Key, Kept>,
    kept_matches: u64,
    total: u64,
}

type Key = (Reverse<Option<SystemTime>>, WsPath);

#[derive(Debug)]
struct Kept {
    hits: Hits,
    matches: u64,
}

impl Newest {
    /// Keeps what `query` can want.
    #[must_use]
    pub fn new(query: &Query) -> Self {
        let wanted = query.skip.saturating_add(query.take);
        Self { wanted, kept: BTreeMap::new(), kept_matches: 0, total: 0 }
    }

    /// How many results came by.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Takes the results of one file or entry: `matches` of them, in `hits`.
    pub fn push(&mut self, path: WsPath, modified: Option<SystemTime>, matches: u64, hits: Hits) {
        self.total = self.total.saturating_add(matches);
        self.kept_matches = self.kept_matches.saturating_add(matches);
        self.kept.insert((Reverse(modified), path), Kept { hits, matches });
        while let Some(oldest) = self.kept.last_entry() {
            let without = self.kept_matches.saturating_sub(oldest.get().matches);
            if without < self.wanted {
                break;
            }
            self.kept_matches = without;
            oldest.remove();
        }
    }

    /// Tells whether a result of that time could still be among those wanted.
    ///
    /// A walk asks before it builds a result that would be dropped at once.
    #[must_use]
    pub fn wants(&self, modified: Option<SystemTime>) -> bool {
        self.kept_matches < self.wanted
            || self
                .kept
                .last_key_value()
                .is_some_and(|((oldest, _), _)| Reverse(modified) <= *oldest)
    }

    /// Counts results that [`Newest::wants`] said are not wanted.
    pub fn pass(&mut self, matches: u64) {
        self.total = self.total.saturating_add(matches);
    }

    /// The results, newest first.
    pub fn into_hits(self) -> impl Iterator<Item = Hits> {
        self.kept.into_values().map(|kept| kept.hits)
    }
}

#[cfg(test)]
mod tests;
