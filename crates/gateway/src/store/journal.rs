//! Records that are safe before the database has them.
//!
//! A record of a mere look is to outlive this process and not the machine, so it is
//! copied into memory that is a file's, and not waited for any longer; the thread that
//! writes takes what came together into the database, some milliseconds later. What it
//! had not taken when the process ended is taken at the next start.
//!
//! There are two files: when one has become long, what the database does not have yet is
//! copied to the other, which is gone on with. Entries are numbered, and the database
//! knows the last number that it has, so whatever else is in a file is passed over.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use garth_contract::Result;
use memmap2::MmapMut;
use tokio::{sync::Notify, time::timeout};

use super::{
    entries::{self, Line},
    map_unsafe::map,
};
use crate::{audit::Entry, own_files};

/// Records that may wait for the database; more are waited for like those of changes.
const MOST_WAITING: usize = 8_192;

/// So many are taken at once without lingering.
const ENOUGH: usize = 512;

/// How long the first of them waits for others.
const LINGER: Duration = Duration::from_millis(20);

/// A file that is longer is left for the other one.
const LONG: usize = 1 << 20;

/// The room in a file: twice what may wait at the length that most have.
const ROOM: usize = 4 << 20;

const NAMES: [&str; 2] = ["journal-a", "journal-b"];
const WHAT: &str = "the audit's journal";

/// The journal of one database.
pub(super) struct Journal {
    inner: Mutex<Inner>,
    /// The number of the last entry that the database has.
    taken: AtomicU64,
    /// The number of the last entry.
    kept: AtomicU64,
    some: Notify,
    enough: Notify,
}

struct Inner {
    current: MmapMut,
    other: MmapMut,
    /// How long what is in the current one is.
    bytes: usize,
    /// Where in it those begin that nobody has taken, and how many they are.
    waiting: (usize, usize),
    /// The number of the last entry.
    last: u64,
    closed: bool,
    // Held, since the first of them is locked.
    _files: [File; 2],
}

/// What waits for the database, and the number of the last of it.
#[derive(Default)]
pub(super) struct Batch {
    /// The entries as they stand in a journal, so that none is taken apart before it is
    /// written, and how many they are.
    bytes: Vec<u8>,
    pub(super) count: usize,
    pub(super) last: u64,
}

/// Whether a record was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    Yes,
    No,
}

/// What is left from the last time, in its order.
pub(super) struct Left {
    pub(super) journal: Journal,
    pub(super) batch: Batch,
}

impl Batch {
    /// Puts another behind it.
    pub(super) fn and_then(&mut self, next: Self) {
        if self.count == 0 {
            *self = next;
        } else if next.count > 0 {
            self.bytes.extend_from_slice(&next.bytes);
            (self.count, self.last) = (self.count + next.count, next.last);
        }
    }

    /// The entries, in their order.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry<&str>> {
        entries::of_ours(&self.bytes).map(|(_, entry)| entry)
    }

    /// Their bytes, those of so many at a time.
    pub(super) fn parts(&self, most: usize) -> impl Iterator<Item = &[u8]> {
        let mut rest: &[u8] = &self.bytes;
        std::iter::from_fn(move || {
            let (part, behind) = entries::split(rest, most);
            rest = behind;
            (!part.is_empty()).then_some(part)
        })
    }
}

impl Journal {
    /// Removes what is beside a database that is not there.
    pub(super) fn forget(database: &Path) {
        NAMES.iter().for_each(|name| own_files::discard(&beside(database, name)));
    }

    /// Opens the journal beside a database that has the entries up to `taken`; `None`
    /// where another process has it, or the directory cannot hold one.
    ///
    /// # Errors
    /// `INTERNAL` for files that cannot be opened.
    pub(super) fn open(database: &Path, taken: u64) -> Result<Option<Left>> {
        let open = |name| own_files::open_or_make(&beside(database, name), WHAT);
        let files = [open(NAMES[0])?, open(NAMES[1])?];
        if files[0].try_lock().is_err() {
            return Ok(None);
        }
        let (Ok(current), Ok(other)) = (map(&files[0], ROOM), map(&files[1], ROOM)) else {
            return Ok(None);
        };
        let both = entries::read(&current).chain(entries::read(&other));
        let mut numbered: Vec<_> = both.filter(|(number, _)| *number > taken).collect();
        // An entry that was copied from one file to the other is in both.
        numbered.sort_by_key(|(number, _)| *number);
        numbered.dedup_by_key(|(number, _)| *number);
        let last = numbered.last().map_or(taken, |(number, _)| *number);
        let mut batch = Batch { bytes: Vec::new(), count: numbered.len(), last };
        for (number, entry) in numbered {
            batch.bytes.extend_from_slice(Line::of(&entry).numbered(number));
        }
        let inner =
            Inner { current, other, bytes: 0, waiting: (0, 0), last, closed: false, _files: files };
        let journal = Self {
            inner: Mutex::new(inner),
            taken: AtomicU64::new(taken),
            kept: AtomicU64::new(last),
            some: Notify::new(),
            enough: Notify::new(),
        };
        Ok(Some(Left { journal, batch }))
    }

    /// Says that the database has what was left, and begins anew.
    pub(super) fn begin(&self, left: &Batch) {
        self.taken.store(left.last, Ordering::Release);
        let mut inner = self.lock();
        empty(&mut inner.current);
        empty(&mut inner.other);
    }

    /// Keeps a record; it outlives the process when this returns. Tells whether it does:
    /// there may be no room for it.
    #[must_use]
    pub(super) fn keep<T: AsRef<str>>(&self, entry: &Entry<T>) -> Kept {
        // Whoever holds the lock keeps all others waiting, so it is written before.
        let mut line = Line::of(entry);
        let mut inner = self.lock();
        let outstanding = inner.last.saturating_sub(self.taken.load(Ordering::Acquire));
        if inner.closed || outstanding >= MOST_WAITING as u64 || inner.append(&mut line).is_none() {
            return Kept::No;
        }
        inner.waiting.1 += 1;
        let count = inner.waiting.1;
        self.kept.store(inner.last, Ordering::Release);
        drop(inner);
        if count == 1 {
            self.some.notify_one();
        } else if count == ENOUGH {
            self.enough.notify_one();
        }
        Kept::Yes
    }

    /// Tells whether it has so much room that whoever begins a record can count on some for it.
    pub(super) fn is_roomy(&self) -> bool {
        let taken = self.taken.load(Ordering::Acquire);
        self.kept.load(Ordering::Acquire).saturating_sub(taken) < MOST_WAITING as u64 / 2
    }

    /// Waits until it is worth taking what waits.
    ///
    /// Cancel: somebody takes it for another reason.
    pub(super) async fn ready(&self) {
        self.some.notified().await;
        let _ = timeout(LINGER, self.enough.notified()).await;
    }

    /// Takes what waits.
    pub(super) fn take(&self) -> Batch {
        let mut inner = self.lock();
        let (from, count) = inner.waiting;
        let bytes = inner.current.get(from..inner.bytes).unwrap_or_default().to_vec();
        inner.waiting = (inner.bytes, 0);
        Batch { bytes, count, last: inner.last }
    }

    /// Says that the database has everything up to a number.
    pub(super) fn taken(&self, last: u64) {
        self.taken.store(last, Ordering::Release);
        let mut inner = self.lock();
        if inner.bytes > LONG {
            inner.change(last);
        }
    }

    /// Takes nothing any more.
    pub(super) fn close(&self) {
        self.lock().closed = true;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Puts an entry behind the others; `None` where there is no room.
    fn append(&mut self, line: &mut Line) -> Option<()> {
        let line = line.numbered(self.last + 1);
        let end = self.bytes + line.len();
        self.current.get_mut(self.bytes..end)?.copy_from_slice(line);
        self.bytes = end;
        self.last += 1;
        Some(())
    }

    /// Goes on in the other file, with what the database does not have yet.
    fn change(&mut self, taken: u64) {
        let (from, count) = self.waiting;
        // Those that wait are the last ones; what is neither taken nor waits is on its
        // way, and this is not the moment.
        if self.last - count as u64 != taken {
            return;
        }
        let Some(kept) = self.current.get(from..self.bytes) else { return };
        empty(&mut self.other);
        let Some(room) = self.other.get_mut(..kept.len()) else { return };
        room.copy_from_slice(kept);
        self.bytes = kept.len();
        self.waiting = (0, count);
        std::mem::swap(&mut self.current, &mut self.other);
    }
}

fn beside(database: &Path, name: &str) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push("-");
    path.push(name);
    path.into()
}

/// Lets a file begin with what is no entry.
fn empty(map: &mut MmapMut) {
    for byte in map.iter_mut().take(entries::HEAD) {
        *byte = 0;
    }
}

#[cfg(test)]
mod tests;
