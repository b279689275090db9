//! The one database: agents, tokens, leases, request ids and the audit.
//!
//! One thread writes, and commits what came together in one transaction; readers
//! have connections of their own and never wait for it. SQL stands in
//! [`sql`](self::sql), in words that PostgreSQL takes too.

mod connect;
pub(crate) mod entries;
mod journal;
mod map_unsafe;
mod readers;
pub(crate) mod sql;
mod writer;

use std::{
    path::Path,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};

use garth_contract::{Code, Error, Result};
use rusqlite::Connection;
use tokio::sync::{
    mpsc::{self, error::TrySendError},
    oneshot,
};

use crate::{
    audit::{Entry, Outlives, Watcher},
    clock::Clock,
    own_files::{self, Found},
};
pub(crate) use journal::Kept;
use journal::{Journal, Left};
use readers::Readers;
use writer::{After, Message, Strays, Verdict, Writer};
pub(crate) use writer::{Along, Append, Place};

/// Operations that may be under way at once: each holds a place in the queue for its
/// audit record, so that it can be written even when its call is dropped.
pub(crate) const MOST_OPEN: usize = 8_192;

/// Places in the queue beside those.
const QUEUE: usize = 1_024;

/// The database of a gateway; clones are the same one.
#[derive(Clone)]
pub struct Store {
    #[allow(
        clippy::redundant_allocation,
        reason = "some who hold it are counted apart from others"
    )]
    shared: Arc<Arc<Shared>>,
}

struct Shared {
    queue: mpsc::Sender<Message>,
    readers: Readers,
    /// Where this process has it.
    journal: Option<Arc<Journal>>,
    clock: Clock,
    /// Sees every record as it is closed. It is here since every record has the store at hand.
    watcher: OnceLock<Watcher>,
    strays: Arc<Strays>,
    healthy: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Store {
    /// Opens the database at `path`, and makes it where there is no file.
    ///
    /// Waits for the disk; call it before the work begins.
    ///
    /// # Errors
    /// `INTERNAL` with a sentence: for a file that is no database of ours, that is
    /// damaged, or that a newer version wrote. Such a file is left as it is.
    pub fn open(path: &Path, clock: Clock) -> Result<Self> {
        if own_files::look(path, "the registry's database")? == Found::Nothing {
            // What is left of another database is no part of this one.
            Journal::forget(path);
        }
        let connection = connect::open(path, &clock)?;
        let journal = open_journal(path, &connection)?.map(Arc::new);
        let readers = Readers::new(path.to_owned(), clock.clone());
        let (queue, messages) = mpsc::channel(MOST_OPEN + QUEUE);
        let healthy = Arc::new(AtomicBool::new(true));
        let strays: Arc<Strays> = Arc::new(Mutex::new(Some(Vec::new())));
        let failed = |_| Error::new(Code::Internal, "the registry's thread cannot be started");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let writer = Writer {
            connection,
            journal: journal.clone(),
            strays: Arc::clone(&strays),
            healthy: Arc::clone(&healthy),
            runtime: runtime.map_err(failed)?,
        };
        let thread = std::thread::Builder::new()
            .name("garth-registry".to_owned())
            .spawn(move || writer.run(messages))
            .map_err(failed)?;
        let thread = Mutex::new(Some(thread));
        let watcher = OnceLock::new();
        let shared = Shared { queue, readers, journal, clock, watcher, strays, healthy, thread };
        Ok(Self { shared: Arc::new(Arc::new(shared)) })
    }

    /// The same database, for somebody who clones it often beside others who do.
    pub(crate) fn apart(&self) -> Self {
        Self { shared: Arc::new(Arc::clone(&self.shared)) }
    }

    /// The clock that everything in it goes by.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// Ends the thread that writes, after everything that was sent to it.
    ///
    /// What comes later is refused with `INTERNAL`.
    pub async fn close(&self) {
        let (done, wait) = oneshot::channel();
        if self.shared.queue.send(Message::Close(done)).await.is_ok() {
            let _ = wait.await;
        }
        if let Some(journal) = &self.shared.journal {
            journal.close();
        }
        let thread = self.shared.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = tokio::task::spawn_blocking(move || drop(thread.join())).await;
        }
    }

    /// Changes something: all of `work` or, when it fails, nothing.
    ///
    /// After: it is on the disk.
    ///
    /// Cancel: it may happen or not.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (message, wait) = prepared(work);
        self.shared.queue.send(message).await.map_err(|_| closed())?;
        wait.await.unwrap_or_else(|_| Err(closed()))
    }

    /// The same for a thread that may wait.
    pub(crate) fn write_waiting<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (message, wait) = prepared(work);
        self.shared.queue.blocking_send(message).map_err(|_| closed())?;
        wait.blocking_recv().unwrap_or_else(|_| Err(closed()))
    }

    /// Reads something, as it is on the disk.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.shared.readers.read(work).await
    }

    /// The same for a thread that may wait.
    pub(crate) fn read_waiting<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.shared.readers.read_waiting(work)
    }

    /// A place for a record, until it is used or given back.
    pub(crate) async fn place(&self, outlives: Outlives) -> Result<Place> {
        match self.place_now(outlives) {
            Some(place) => Ok(place),
            None => {
                let permit = self.shared.queue.clone().reserve_owned().await;
                permit.map(Place::kept).map_err(|_| closed())
            }
        }
    }

    /// The same where there is one at once. What goes to the journal needs none in the queue,
    /// as long as there is much room in it.
    pub(crate) fn place_now(&self, outlives: Outlives) -> Option<Place> {
        let roomy = |journal: &Arc<Journal>| journal.is_roomy() && !self.shared.queue.is_closed();
        match outlives {
            Outlives::Gateway if self.shared.journal.as_ref().is_some_and(roomy) => {
                Some(Place::in_the_journal())
            }
            Outlives::Gateway | Outlives::Machine => {
                self.shared.queue.clone().try_reserve_owned().ok().map(Place::kept)
            }
        }
    }

    /// Writes a record that has no place of its own; never waits.
    fn send_astray(&self, append: Append) {
        match self.shared.queue.try_reserve() {
            Ok(place) => place.send(Message::Append(Box::new(append))),
            // Whoever writes has much to do, and takes them along with it.
            Err(TrySendError::Full(())) => {
                let mut strays = self.shared.strays.lock().unwrap_or_else(PoisonError::into_inner);
                // Where nobody does, it is dropped, and whoever waits for it sees that.
                if let Some(strays) = strays.as_mut() {
                    strays.push(append);
                }
            }
            Err(TrySendError::Closed(())) => {}
        }
    }

    /// Lets somebody see every record as it is closed; the first who asks does.
    pub(crate) fn watch(&self, watcher: Watcher) {
        let _ = self.shared.watcher.set(watcher);
    }

    /// Who sees every record as it is closed.
    pub(crate) fn watcher(&self) -> Option<&Watcher> {
        self.shared.watcher.get()
    }

    /// Keeps a record in the journal, where it outlives this process; tells whether that
    /// could be done.
    #[must_use]
    pub(crate) fn keep<T: AsRef<str>>(&self, entry: &Entry<T>) -> Kept {
        self.shared.journal.as_ref().map_or(Kept::No, |journal| journal.keep(entry))
    }

    /// Waits until the database has every record that was kept.
    pub(crate) async fn settle(&self) -> Result<()> {
        let (done, wait) = oneshot::channel();
        self.shared.queue.send(Message::Settle(done)).await.map_err(|_| closed())?;
        wait.await.map_err(|_| closed())
    }

    /// Tells whether the last record of the audit could be committed.
    pub(crate) fn is_healthy(&self) -> bool {
        self.shared.healthy.load(Ordering::Relaxed)
    }
}

/// Opens the journal, and takes what it held into the database.
fn open_journal(path: &Path, connection: &Connection) -> Result<Option<Journal>> {
    let taken: i64 = connection
        .query_row(sql::JOURNAL_GET, [], |row| row.get(0))
        .map_err(|error| fault(&error))?;
    let taken = u64::try_from(taken).unwrap_or(0);
    let Some(Left { journal, batch }) = Journal::open(path, taken)? else { return Ok(None) };
    writer::take_left(connection, &batch)?;
    journal.begin(&batch);
    Ok(Some(journal))
}

fn prepared<T: Send + 'static>(
    work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
) -> (Message, oneshot::Receiver<Result<T>>) {
    let (reply, wait) = oneshot::channel();
    let message = Message::Work(Box::new(move |connection| {
        let result = work(connection);
        let verdict = if result.is_ok() { Verdict::Keep } else { Verdict::Undo };
        let after: After = Box::new(move |committed| {
            // Nobody may be waiting any more, which is nothing to speak of.
            let _ = reply.send(result.and_then(|value| committed.map(|()| value)));
        });
        (verdict, after)
    }));
    (message, wait)
}

fn closed() -> Error {
    Error::new(Code::Internal, "the registry is closed or failed")
}

/// What went wrong in the database, without what was in it.
pub(crate) fn fault(error: &rusqlite::Error) -> Error {
    let why = match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => "the disk is full",
        Some(rusqlite::ErrorCode::DatabaseBusy) => "another process holds it",
        Some(rusqlite::ErrorCode::ReadOnly) => "it cannot be written",
        Some(rusqlite::ErrorCode::SystemIoFailure) => "the disk failed",
        Some(rusqlite::ErrorCode::NotADatabase) => "it is not a database",
        Some(rusqlite::ErrorCode::DatabaseCorrupt) => "it is damaged",
        Some(rusqlite::ErrorCode::CannotOpen) => "it cannot be opened",
        Some(_) | None => "a statement was refused",
    };
    Error::new(Code::Internal, format!("the registry failed: {why}"))
}

#[cfg(test)]
mod tests;
