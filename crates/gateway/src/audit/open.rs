//! A record that is open while its operation runs.

use std::time::Instant;

use garth_contract::{Code, Error, Result};
use tokio::sync::oneshot;

use super::{Audit, Entry, OK, Word};
use crate::{
    Trace,
    store::{Along, Append, Kept, Place, Store},
};

/// What is known when an operation begins.
#[derive(Clone, Debug, Default)]
pub struct Begin {
    /// Who asked: the id of the token.
    pub caller: Word,
    /// As what.
    pub role: Word,
    /// The session that the caller named, or the connection.
    pub session: Word,
    /// The workspace it is about; empty where it is about none.
    pub workspace: Word,
    /// The operation's name, as it was asked for.
    pub operation: Word,
    /// What it is to do.
    pub summary: Word,
    /// How large the request was.
    pub bytes_in: u64,
    /// What the record outlives once its operation's answer is told.
    pub outlives: Outlives,
    /// The trace it is a part of; it is told to who watches, and not written down.
    pub trace: Option<Trace>,
}

/// What a record outlives once its operation's answer is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outlives {
    /// The machine: it is on the disk.
    #[default]
    Machine,
    /// The gateway, however it dies: the system has it, and brings it to the disk with
    /// the next record that is waited for, some seconds later at most.
    Gateway,
}

/// A record that is open: it is closed with an outcome, or dropped as `CANCELLED`.
pub struct Open {
    began: Instant,
    entry: Entry<Word>,
    outlives: Outlives,
    trace: Option<Trace>,
    store: Store,
    place: Option<Place>,
}

impl Audit {
    /// Begins a record.
    ///
    /// # Errors
    /// `INTERNAL` when the database is closed.
    ///
    /// Cancel: there is no record yet.
    pub async fn open(&self, begin: Begin) -> Result<Open> {
        let place = self.store.place(begin.outlives).await?;
        Ok(self.open_in(place, begin))
    }

    /// A place for a record, where there is one at once.
    pub(crate) fn place_now(&self, begin: &Begin) -> Option<Place> {
        self.store.place_now(begin.outlives)
    }

    /// Begins a record in its place.
    pub(crate) fn open_in(&self, place: Place, begin: Begin) -> Open {
        let entry = Entry {
            time_ms: self.store.clock().now_ms(),
            caller: begin.caller,
            role: begin.role,
            session: begin.session,
            workspace: begin.workspace,
            operation: begin.operation,
            summary: begin.summary,
            outcome: Code::Cancelled.row().name.into(),
            duration_us: 0,
            bytes_in: i64::try_from(begin.bytes_in).unwrap_or(i64::MAX),
            bytes_out: 0,
        };
        Open {
            began: Instant::now(),
            entry,
            outlives: begin.outlives,
            trace: begin.trace,
            store: self.store.clone(),
            place: Some(place),
        }
    }

    /// Tells whether the last record could be written. While it could not, nothing is
    /// to be run, since it would leave no trace.
    pub(crate) fn is_writable(&self) -> bool {
        self.store.is_healthy()
    }
}

impl Open {
    /// Says more about what the operation is to do.
    pub fn note(&mut self, more: &str) {
        let mut summary = self.entry.summary.take();
        if !summary.is_empty() {
            summary.push_str("; ");
        }
        summary.push_str(more);
        self.entry.summary = summary.into();
    }

    /// When the operation began, in milliseconds since 1970.
    pub(crate) fn time_ms(&self) -> i64 {
        self.entry.time_ms
    }

    /// Says what it is about.
    pub(crate) fn describe(&mut self, summary: String) {
        self.entry.summary = summary.into();
    }

    /// Writes the record, and waits until it outlives what it is to outlive.
    ///
    /// `outcome` is how large the reply is, or why there is none. Gives the record's
    /// number, where it has one already.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be written; then no reply may leave.
    ///
    /// Cancel: the record is written as it would have been.
    pub fn close(
        self,
        outcome: Result<u64, Code>,
    ) -> impl Future<Output = Result<Option<i64>>> + use<> {
        self.close_along(outcome, None).told()
    }

    /// The same with something that is written along with it, or neither is; it is on its way
    /// when this returns.
    pub(crate) fn close_along(
        mut self,
        outcome: Result<u64, Code>,
        along: Option<Along>,
    ) -> Closing {
        self.entry.outcome = outcome.err().map_or(OK, |code| code.row().name).into();
        self.entry.bytes_out = i64::try_from(outcome.unwrap_or(0)).unwrap_or(i64::MAX);
        let Some((place, entry)) = self.end() else { return Closing::Failed };
        if self.outlives == Outlives::Gateway
            && along.is_none()
            && self.store.keep(&entry) == Kept::Yes
        {
            place.leave();
            return Closing::Kept;
        }
        let (reply, wait) = oneshot::channel();
        let append = Append { entry, outlives: self.outlives, along, reply: Some(reply) };
        place.fill(append, &self.store);
        Closing::Waits(wait)
    }

    /// The record as it is to be written, once.
    fn end(&mut self) -> Option<(Place, Entry<Word>)> {
        let place = self.place.take()?;
        self.entry.duration_us =
            i64::try_from(self.began.elapsed().as_micros()).unwrap_or(i64::MAX);
        let entry = std::mem::take(&mut self.entry);
        if let Some(watcher) = self.store.watcher() {
            watcher(&entry.borrowed(), self.trace.as_ref());
        }
        Some((place, entry))
    }
}

/// A record that is being closed.
pub(crate) enum Closing {
    /// It outlives what it is to outlive, and gets its number later.
    Kept,
    /// It is on its way.
    Waits(oneshot::Receiver<Result<i64>>),
    Failed,
}

impl Closing {
    /// Waits until the record outlives what it is to outlive.
    pub(crate) async fn told(self) -> Result<Option<i64>> {
        let closed = || Err(Error::new(Code::Internal, "the operation could not be recorded"));
        match self {
            Self::Kept => Ok(None),
            Self::Waits(wait) => wait.await.unwrap_or_else(|_| closed()).map(Some),
            Self::Failed => closed().map(Some),
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some((place, entry)) = self.end() {
            let append = Append { entry, outlives: self.outlives, along: None, reply: None };
            place.fill(append, &self.store);
        }
    }
}
