//! Which processes there are, and for how long those that ended are kept.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use garth_contract::{Code, Detail, Error, ProcessId, Result};

use super::{
    Bounds,
    entry::{Entry, stopped},
    lock,
};

/// All processes of a workspace.
#[derive(Debug)]
pub(super) struct Table {
    bounds: Bounds,
    next: u64,
    entries: BTreeMap<u64, Arc<Entry>>,
    /// Those that ended, in the order in which they did.
    ended: Vec<(Instant, u64)>,
    /// Those that run or are being started.
    running: usize,
    open: bool,
}

impl Table {
    pub(super) fn new(bounds: Bounds, first: u64) -> Self {
        Self {
            bounds,
            next: first,
            entries: BTreeMap::new(),
            ended: Vec::new(),
            running: 0,
            open: true,
        }
    }

    /// Takes a place for a process that is to be started.
    ///
    /// # Errors
    /// `QUOTA_EXCEEDED` when as many run as may; `PROVIDER_UNAVAILABLE` after the end.
    pub(super) fn reserve(&mut self) -> Result<()> {
        self.check_open()?;
        if self.running >= self.bounds.processes {
            let (limit, actual) = (self.bounds.processes as u64, self.running as u64 + 1);
            return Err(Error::new(Code::QuotaExceeded, "too many processes run at once")
                .with(Detail::Limit { limit, actual })
                .hint("End one of them; the list shows them."));
        }
        self.running += 1;
        Ok(())
    }

    /// Gives a place back whose process was not started.
    pub(super) fn release(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// Enters a process under the next number.
    pub(super) fn enter(&mut self, make: impl FnOnce(ProcessId) -> Entry) -> Arc<Entry> {
        let number = self.next;
        self.next += 1;
        let entry = Arc::new(make(ProcessId(number)));
        self.entries.insert(number, Arc::clone(&entry));
        entry
    }

    /// Notes the end of a process.
    pub(super) fn note_end(&mut self, id: ProcessId, now: Instant) {
        self.running = self.running.saturating_sub(1);
        self.ended.push((now, id.0));
    }

    /// Forgets what ended too long ago, and the oldest of what ended if there are too
    /// many; gives them to the caller, to be dropped when the table is not locked.
    #[must_use]
    pub(super) fn trim(&mut self, now: Instant) -> Vec<Arc<Entry>> {
        let too_many = self.ended.len().saturating_sub(self.bounds.kept);
        let old =
            |(at, _): &(Instant, u64)| now.saturating_duration_since(*at) >= self.bounds.keep_for;
        let too_old = self.ended.partition_point(old);
        let forgotten = self.ended.drain(..too_many.max(too_old));
        forgotten.filter_map(|(_, number)| self.entries.remove(&number)).collect()
    }

    /// When something is to be forgotten next.
    pub(super) fn next_trim(&self) -> Option<Instant> {
        let (at, _) = self.ended.first()?;
        at.checked_add(self.bounds.keep_for)
    }

    /// A process by its number.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for one that is not there; `PROVIDER_UNAVAILABLE` after the end.
    pub(super) fn get(&self, id: ProcessId) -> Result<Arc<Entry>> {
        self.check_open()?;
        self.entries.get(&id.0).cloned().ok_or_else(|| id.unknown())
    }

    /// All, oldest first.
    pub(super) fn all(&self) -> Result<Vec<Arc<Entry>>> {
        self.check_open()?;
        Ok(self.entries.values().cloned().collect())
    }

    /// Frees what the oldest process that ended has in the store; tells whether any had.
    pub(super) fn make_room(&self) -> bool {
        let ended = self.ended.iter().filter_map(|(_, number)| self.entries.get(number));
        for entry in ended {
            let spool = &mut lock(&entry.output).spool;
            if spool.is_stored() {
                spool.drop_stored();
                return true;
            }
        }
        false
    }

    /// Lets nobody in any more.
    pub(super) fn close(&mut self) {
        self.open = false;
    }

    /// How many run or are being started.
    pub(super) fn running(&self) -> usize {
        self.running
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) -> Vec<Arc<Entry>> {
        self.ended.clear();
        std::mem::take(&mut self.entries).into_values().collect()
    }

    fn check_open(&self) -> Result<()> {
        if self.open { Ok(()) } else { Err(stopped()) }
    }
}
