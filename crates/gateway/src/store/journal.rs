//! Records that are safe before the database has them.
//!
//! A record of a mere look is to outlive this process and not the machine, so it is
//! appended to a file and not waited for any longer; the thread that writes takes what
//! came together into the database, some milliseconds later. What it had not taken when
//! the process ended is taken at the next start.
//!
//! There are two files: while what is in one is not in the database yet, the other
//! is emptied. Entries are numbered, and the database knows the last number that it has.

use std::{
    fs::File,
    io::{Read, Write},
    path::Path,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use garth_contract::Result;
use tokio::{sync::Notify, time::timeout};

use super::entries;
use crate::{audit::Entry, own_files};

/// Records that may wait for the database; more are waited for like those of changes.
const MOST_WAITING: usize = 8_192;

/// So many are taken at once without lingering.
const ENOUGH: usize = 512;

/// How long the first of them waits for others.
const LINGER: Duration = Duration::from_millis(20);

/// A file that is longer is left for the other one.
const LONG: u64 = 1 << 20;

/// The longest file that is read at a start; none gets that long.
const MOST_READ: u64 = 64 << 20;

const NAMES: [&str; 2] = ["journal-a", "journal-b"];
const WHAT: &str = "the audit's journal";

/// The journal of one database.
pub(super) struct Journal {
    inner: Mutex<Inner>,
    /// The number of the last entry that the database has.
    taken: AtomicU64,
    some: Notify,
    enough: Notify,
}

struct Inner {
    files: [File; 2],
    /// Which of them is written to, and how long it is.
    current: usize,
    bytes: u64,
    /// The number of the last entry.
    last: u64,
    waiting: Vec<Entry>,
    line: Vec<u8>,
    closed: bool,
}

/// What waits for the database, and the number of the last of it.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) entries: Vec<Entry>,
    pub(super) last: u64,
}

/// What is left from the last time, in its order.
pub(super) struct Left {
    pub(super) journal: Journal,
    pub(super) batch: Batch,
}

impl Batch {
    /// Puts another behind it.
    pub(super) fn and_then(&mut self, next: Self) {
        if !next.entries.is_empty() {
            self.entries.extend(next.entries);
            self.last = next.last;
        }
    }
}

impl Journal {
    /// Opens the journal beside a database that has the entries up to `taken`; `None`
    /// where another process has it.
    ///
    /// # Errors
    /// `INTERNAL` for files that cannot be read or made.
    pub(super) fn open(database: &Path, taken: u64) -> Result<Option<Left>> {
        let beside = |name: &str| {
            let mut path = database.as_os_str().to_owned();
            path.push("-");
            path.push(name);
            own_files::open_or_make(Path::new(&path), WHAT)
        };
        let mut files = [beside(NAMES[0])?, beside(NAMES[1])?];
        if files[0].try_lock().is_err() {
            return Ok(None);
        }
        let mut numbered = Vec::new();
        for file in &mut files {
            let mut bytes = Vec::new();
            let read = Read::take(&mut *file, MOST_READ).read_to_end(&mut bytes);
            read.map_err(|error| own_files::failed(WHAT, &error.kind().to_string()))?;
            numbered.extend(entries::read(&bytes).filter(|(number, _)| *number > taken));
        }
        // An entry that was copied from one file to the other is in both.
        numbered.sort_by_key(|(number, _)| *number);
        numbered.dedup_by_key(|(number, _)| *number);
        let last = numbered.last().map_or(taken, |(number, _)| *number);
        let entries = numbered.into_iter().map(|(_, entry)| entry).collect();
        let inner = Inner {
            files,
            current: 0,
            bytes: 0,
            last,
            waiting: Vec::new(),
            line: Vec::new(),
            closed: false,
        };
        let journal = Self {
            inner: Mutex::new(inner),
            taken: AtomicU64::new(taken),
            some: Notify::new(),
            enough: Notify::new(),
        };
        Ok(Some(Left { journal, batch: Batch { entries, last } }))
    }

    /// Says that the database has what was left, and begins anew.
    ///
    /// # Errors
    /// `INTERNAL` where the files cannot be emptied.
    pub(super) fn begin(&self, left: &Batch) -> Result<()> {
        self.taken.store(left.last, Ordering::Release);
        for file in &self.lock().files {
            file.set_len(0).map_err(|error| own_files::failed(WHAT, &error.kind().to_string()))?;
        }
        Ok(())
    }

    /// Keeps a record; it outlives the process when this returns. Gives it back where
    /// there is no room for it or it cannot be kept.
    pub(super) fn keep(&self, entry: Entry) -> Result<(), Box<Entry>> {
        let mut inner = self.lock();
        let outstanding = inner.last.saturating_sub(self.taken.load(Ordering::Acquire));
        if inner.closed || outstanding >= MOST_WAITING as u64 {
            return Err(Box::new(entry));
        }
        if inner.append(&entry).is_err() {
            return Err(Box::new(entry));
        }
        inner.waiting.push(entry);
        let count = inner.waiting.len();
        drop(inner);
        if count == 1 {
            self.some.notify_one();
        } else if count == ENOUGH {
            self.enough.notify_one();
        }
        Ok(())
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
        Batch { entries: std::mem::take(&mut inner.waiting), last: inner.last }
    }

    /// Says that the database has everything up to a number.
    pub(super) fn taken(&self, last: u64) {
        self.taken.store(last, Ordering::Release);
        let mut inner = self.lock();
        if inner.bytes > LONG {
            // Where it fails the file grows on, and the next time it may not.
            let _ = inner.change(last);
        }
    }

    /// Takes nothing any more, and empties the files where the database has everything.
    pub(super) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        if inner.last == self.taken.load(Ordering::Acquire) {
            for file in &inner.files {
                let _ = file.set_len(0);
            }
            inner.bytes = 0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn append(&mut self, entry: &Entry) -> std::io::Result<()> {
        self.line.clear();
        entries::write(&mut self.line, self.last + 1, entry);
        let [first, second] = &mut self.files;
        let file = if self.current == 0 { first } else { second };
        if let Err(error) = file.write_all(&self.line) {
            // Half an entry would hide those after it.
            self.closed = file.set_len(self.bytes).is_err();
            return Err(error);
        }
        self.bytes += self.line.len() as u64;
        self.last += 1;
        Ok(())
    }

    /// Goes on in the other file, with what the database does not have yet.
    fn change(&mut self, taken: u64) -> std::io::Result<()> {
        // Those that wait are the last ones; what is neither taken nor waits is on its
        // way, and this is not the moment.
        if self.last - taken != self.waiting.len() as u64 {
            return Ok(());
        }
        let mut text = Vec::new();
        for (number, entry) in (taken + 1..).zip(&self.waiting) {
            entries::write(&mut text, number, entry);
        }
        let [first, second] = &mut self.files;
        let (old, new) = if self.current == 0 { (first, second) } else { (second, first) };
        new.set_len(0)?;
        new.write_all(&text)?;
        old.set_len(0)?;
        self.current = 1 - self.current;
        self.bytes = text.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
