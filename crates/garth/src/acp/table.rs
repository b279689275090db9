//! Requests that wait for their answer, of one side: bounded, each id once.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::message::Id;

/// The most requests of one side that wait at once: far more than any editor or agent has.
pub(super) const MOST_WAITING: usize = 1_024;

/// Requests that wait for their answer, and what is to be done with it.
#[derive(Debug)]
pub(super) struct Table<P>(Mutex<HashMap<Id, Waiting<P>>>);

/// A request that waits.
#[derive(Debug)]
pub(super) struct Waiting<P> {
    /// The id as it was written, for an answer of ours.
    pub(super) raw_id: String,
    /// What is to be done with the answer.
    pub(super) purpose: P,
}

/// Why a request is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// Another of the same id waits.
    Twice,
    /// Too many wait.
    TooMany,
}

impl Full {
    /// What is said to whoever asked.
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Twice => "a request with this id waits for its answer already",
            Self::TooMany => "too many requests wait for their answers",
        }
    }
}

impl<P> Table<P> {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }

    /// Takes a request.
    ///
    /// # Errors
    /// Where one of the same id waits, or too many do; its purpose comes back.
    pub(super) fn put(&self, id: Id, waiting: Waiting<P>) -> Result<(), (Full, Waiting<P>)> {
        let mut table = self.lock();
        if table.contains_key(&id) {
            return Err((Full::Twice, waiting));
        }
        if table.len() >= MOST_WAITING {
            return Err((Full::TooMany, waiting));
        }
        table.insert(id, waiting);
        Ok(())
    }

    /// Ends the wait of a request; `None` for one that was never asked.
    pub(super) fn take(&self, id: &Id) -> Option<Waiting<P>> {
        self.lock().remove(id)
    }

    /// Ends the wait of all.
    pub(super) fn take_all(&self) -> Vec<Waiting<P>> {
        self.lock().drain().map(|(_, waiting)| waiting).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Waiting<P>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(raw_id: &str) -> Waiting<()> {
        Waiting { raw_id: raw_id.to_owned(), purpose: () }
    }

    #[test]
    fn an_id_waits_once_and_is_answered_once() {
        let table = Table::new();
        let id = Id::Text("a".to_owned());
        table.put(id.clone(), one("\"a\"")).unwrap();
        assert_eq!(table.put(id.clone(), one("\"a\"")).unwrap_err().0, Full::Twice);
        assert!(table.take(&id).is_some());
        assert!(table.take(&id).is_none());
    }

    #[test]
    fn there_is_a_bound() {
        let table = Table::new();
        for number in 0..MOST_WAITING {
            table.put(Id::Number(number.to_string()), one("1")).unwrap();
        }
        assert_eq!(table.put(Id::Null, one("null")).unwrap_err().0, Full::TooMany);
        assert_eq!(table.take_all().len(), MOST_WAITING);
    }
}
