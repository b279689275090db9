//! The one thread that writes: what came while it waited for the disk is committed
//! together with one wait more.
//!
//! A record of the audit gets its number and its hash here, in the order of the
//! queue, so that no two writers can fork the chain. A change that fails undoes
//! itself alone; when the transaction itself cannot be committed, everybody in it is
//! told so.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use garth_contract::{Error, Result};
use rusqlite::Connection;
use tokio::{
    runtime::Runtime,
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until},
};

use super::{
    Store, fault,
    journal::{Batch, Journal},
    sql,
};
use crate::audit::{Appender, Entry, Known, Link, Outlives, Word, packs};

/// The most that is committed at once: some milliseconds of work, so that nobody
/// waits much longer than the disk needs.
const MOST_GROUP: usize = 1_024;

/// How long to wait before what could not be committed is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// What the thread is asked for.
pub(super) enum Message {
    /// A change of the registry.
    Work(Work),
    /// A record of the audit.
    Append(Box<Append>),
    /// That what is in the journal is in the database.
    Settle(oneshot::Sender<()>),
    /// The end.
    Close(oneshot::Sender<()>),
}

/// A change, and what to do once it is known whether it was committed.
pub(super) type Work = Box<dyn FnOnce(&Connection) -> (Verdict, After) + Send>;

/// Tells whoever waits.
pub(super) type After = Box<dyn FnOnce(Result<()>) + Send>;

/// Whether a change is to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Keep,
    Undo,
}

/// A record to be appended, and what is written with it or not at all.
pub(crate) struct Append {
    pub(crate) entry: Entry<Word>,
    pub(crate) outlives: Outlives,
    pub(crate) along: Option<Along>,
    pub(crate) reply: Option<oneshot::Sender<Result<i64>>>,
}

/// What is written together with a record.
pub(crate) type Along = Box<dyn FnOnce(&Connection) -> Result<()> + Send>;

/// What a record has that is begun: a place in the queue that is kept for it, or the journal's
/// word that there is room.
pub(crate) struct Place(Option<mpsc::OwnedPermit<Message>>);

/// Records for which there was room in the journal when they began and nowhere when they ended:
/// no more than were under way when the room came to an end. `None` once nobody writes them.
pub(super) type Strays = Mutex<Option<Vec<Append>>>;

impl Place {
    pub(super) fn kept(permit: mpsc::OwnedPermit<Message>) -> Self {
        Self(Some(permit))
    }

    pub(super) fn in_the_journal() -> Self {
        Self(None)
    }

    /// Gives the place back.
    pub(crate) fn leave(self) {
        drop(self);
    }

    /// Puts the record into its place; never waits.
    pub(crate) fn fill(self, append: Append, store: &Store) {
        match self.0 {
            Some(place) => drop(place.send(Message::Append(Box::new(append)))),
            None => store.send_astray(append),
        }
    }
}

/// What the thread works with.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) journal: Option<Arc<Journal>>,
    pub(super) strays: Arc<Strays>,
    pub(super) healthy: Arc<AtomicBool>,
    pub(super) runtime: Runtime,
}

impl Writer {
    /// Works until the end.
    pub(super) fn run(self, messages: mpsc::Receiver<Message>) {
        self.work(messages);
        // Whoever waits for one that comes now sees that nobody is here.
        drop(self.strays().take());
    }

    fn strays(&self) -> MutexGuard<'_, Option<Vec<Append>>> {
        self.strays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, mut messages: mpsc::Receiver<Message>) {
        let mut syncs = Syncs::Always;
        // Of the journal, what could not be committed yet.
        let mut batch = Batch::default();
        let mut again = None;
        let mut known = Known::default();
        while let Some(first) = self.next(&mut messages, again) {
            let mut taken = gather(first, &mut messages);
            let strays = self.strays().replace(Vec::new()).unwrap_or_default();
            taken.extend(strays.into_iter().map(|append| Message::Append(Box::new(append))));
            batch.and_then(self.journal.as_deref().map(Journal::take).unwrap_or_default());
            let mut group = Group { known, ..Group::default() };
            let ready = syncs.set(&self.connection, &taken);
            let committed = group.commit(&self.connection, &batch, taken, ready);
            // Only a record shows whether records can be written.
            if group.records > 0 {
                self.healthy.store(committed.is_ok(), Ordering::Relaxed);
            }
            again = committed.is_err().then(|| Instant::now() + AGAIN);
            if committed.is_ok()
                && let Some(journal) = &self.journal
                && batch.count > 0
            {
                journal.taken(batch.last);
                batch = Batch::default();
            }
            group.answer(&committed);
            if let Some(done) = group.close {
                // What is still in the queue was sent after the end; it is dropped, and
                // whoever waits for it sees that.
                let _ = self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
                let _ = done.send(());
                return;
            }
            known = group.known;
        }
    }

    /// Waits for a message, for enough in the journal, or for the time to try again;
    /// `None` at the end of all who could ask.
    fn next(
        &self,
        messages: &mut mpsc::Receiver<Message>,
        again: Option<Instant>,
    ) -> Option<Vec<Message>> {
        let message = |message: Option<Message>| message.map(|message| vec![message]);
        // Most often it waits already.
        if let Ok(next) = messages.try_recv() {
            return Some(vec![next]);
        }
        let Some(journal) = &self.journal else { return message(messages.blocking_recv()) };
        self.runtime.block_on(async {
            let later = async {
                match again {
                    Some(again) => sleep_until(again).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                next = messages.recv() => message(next),
                () = journal.ready(), if again.is_none() => Some(Vec::new()),
                () = later => Some(Vec::new()),
            }
        })
    }
}

/// Takes what waits, up to an end or as much as is committed at once.
fn gather(mut taken: Vec<Message>, messages: &mut mpsc::Receiver<Message>) -> Vec<Message> {
    while taken.len() < MOST_GROUP
        && !matches!(taken.last(), Some(Message::Close(_)))
        && let Ok(next) = messages.try_recv()
    {
        taken.push(next);
    }
    taken
}

/// Whether a commit waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syncs {
    Always,
    /// The system has what was written when it returns; that outlives this process.
    Later,
}

impl Syncs {
    /// Sets what these messages need, before their transaction begins.
    fn set(&mut self, connection: &Connection, messages: &[Message]) -> Result<()> {
        let outlives_gateway = |message: &Message| match message {
            Message::Append(append) => {
                append.outlives == Outlives::Gateway && append.along.is_none()
            }
            Message::Settle(_) => true,
            Message::Work(_) | Message::Close(_) => false,
        };
        let wanted = if messages.iter().all(outlives_gateway) { Self::Later } else { Self::Always };
        if wanted != *self {
            let text = match wanted {
                Self::Always => "PRAGMA synchronous = FULL",
                Self::Later => "PRAGMA synchronous = NORMAL",
            };
            connection.execute_batch(text).map_err(|error| fault(&error))?;
            *self = wanted;
        }
        Ok(())
    }
}

/// Takes what was left of a journal into the database.
///
/// # Errors
/// `INTERNAL` where it cannot be written.
pub(super) fn take_left(connection: &Connection, left: &Batch) -> Result<()> {
    Group::default().commit(connection, left, Vec::new(), Ok(()))
}

/// What is committed together.
#[derive(Default)]
struct Group {
    after: Vec<After>,
    appended: Vec<(i64, oneshot::Sender<Result<i64>>)>,
    settled: Vec<oneshot::Sender<()>>,
    close: Option<oneshot::Sender<()>>,
    head: Option<Link>,
    journal: Option<u64>,
    records: usize,
    known: Known,
}

impl Group {
    fn commit(
        &mut self,
        connection: &Connection,
        journal: &Batch,
        messages: Vec<Message>,
        ready: Result<()>,
    ) -> Result<()> {
        let batch = |text: &str| connection.execute_batch(text).map_err(|error| fault(&error));
        let mut outcome = ready.and_then(|()| batch("BEGIN IMMEDIATE"));
        let begun = outcome.is_ok();
        // They were told before what comes now.
        outcome = outcome.and_then(|()| self.of_journal(connection, journal));
        for message in messages {
            // Once something failed the rest is only heard, to be told the same.
            if let Err(error) = self.take(connection, message, outcome.is_ok()) {
                outcome = Err(error);
            }
        }
        outcome = outcome.and_then(|()| self.move_head(connection)).and_then(|()| batch("COMMIT"));
        if begun && outcome.is_err() {
            self.known.forget();
            // It may have been rolled back already; then this has nothing to do.
            let _ = batch("ROLLBACK");
        }
        outcome
    }

    /// Does what a message asks for, inside the transaction.
    ///
    /// # Errors
    /// Where the whole transaction is to be given up.
    fn take(&mut self, connection: &Connection, message: Message, sound: bool) -> Result<()> {
        match message {
            Message::Close(done) => self.close = Some(done),
            Message::Settle(done) => self.settled.push(done),
            Message::Work(work) if sound => return self.work(connection, work),
            Message::Append(append) if sound => return self.append(connection, *append),
            // Dropped: a sender that is gone says that nothing was written.
            Message::Work(_) => {}
            Message::Append(append) => {
                self.records += 1;
                self.appended.extend(append.reply.map(|reply| (0, reply)));
            }
        }
        Ok(())
    }

    /// Appends the records of the journal.
    fn of_journal(&mut self, connection: &Connection, journal: &Batch) -> Result<()> {
        if journal.count == 0 {
            return Ok(());
        }
        self.records += journal.count;
        let mut head = Link::head(connection, &mut self.known)?;
        let mut appender = Appender::new(connection, &mut self.known)?;
        if journal.count < packs::LEAST {
            for entry in journal.entries() {
                head = appender.append(&head, &entry)?;
            }
        } else {
            for part in journal.parts(packs::MOST) {
                head = appender.append_pack(&head, part)?;
            }
        }
        self.head = Some(head);
        self.journal = Some(journal.last);
        Ok(())
    }

    fn work(&mut self, connection: &Connection, work: Work) -> Result<()> {
        let batch = |text: &str| connection.execute_batch(text).map_err(|error| fault(&error));
        batch("SAVEPOINT work")?;
        let (verdict, after) = work(connection);
        // It may have dropped records.
        self.known.forget();
        self.after.push(after);
        match verdict {
            Verdict::Keep => batch("RELEASE SAVEPOINT work"),
            Verdict::Undo => batch("ROLLBACK TO SAVEPOINT work; RELEASE SAVEPOINT work"),
        }
    }

    fn append(&mut self, connection: &Connection, append: Append) -> Result<()> {
        let Append { entry, along, reply, .. } = append;
        self.records += 1;
        // Whoever waits is told of a failure too, so the sender is kept first.
        let at = reply.map(|reply| {
            self.appended.push((0, reply));
            self.appended.len() - 1
        });
        let head = match self.head.take() {
            Some(head) => head,
            None => Link::head(connection, &mut self.known)?,
        };
        let next = Appender::new(connection, &mut self.known)?.append(&head, &entry)?;
        let sequence = next.sequence;
        self.head = Some(next);
        if let Some(along) = along {
            along(connection)?;
        }
        if let Some((number, _)) = at.and_then(|at| self.appended.get_mut(at)) {
            *number = sequence;
        }
        Ok(())
    }

    fn move_head(&self, connection: &Connection) -> Result<()> {
        let Some(head) = &self.head else { return Ok(()) };
        let mut statement =
            connection.prepare_cached(sql::AUDIT_MOVE_HEAD).map_err(|error| fault(&error))?;
        let moved = statement.execute((head.sequence, head.hash.as_bytes(), head.total));
        moved.map_err(|error| fault(&error))?;
        let Some(journal) = self.journal else { return Ok(()) };
        let mut statement =
            connection.prepare_cached(sql::JOURNAL_TAKEN).map_err(|error| fault(&error))?;
        let moved = statement.execute([i64::try_from(journal).unwrap_or(i64::MAX)]);
        moved.map(drop).map_err(|error| fault(&error))
    }

    /// Tells everybody how it ended.
    fn answer(&mut self, committed: &Result<()>) {
        for after in self.after.drain(..) {
            after(committed.clone());
        }
        if committed.is_ok() {
            for settled in self.settled.drain(..) {
                let _ = settled.send(());
            }
        }
        for (sequence, reply) in self.appended.drain(..) {
            let told: Result<i64, Error> = committed.clone().map(|()| sequence);
            let _ = reply.send(told);
        }
    }
}

#[cfg(test)]
mod tests;
