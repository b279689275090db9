//! A request id makes a call happen at most once: the second call with it gets the
//! first one's answer.
//!
//! The id is claimed on the disk before anything is run, and settled in the same
//! transaction as the audit's record. A claim that was never settled was cut off by a
//! crash: whether it happened is not known, and the caller is told so.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use blake3::Hash;
use garth_contract::{Code, Error, Result};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::execute;
use crate::{
    clock::millis,
    store::{Along, Store, fault, sql},
};

/// How long an answer is kept for whoever asks again.
const KEPT: Duration = Duration::from_secs(24 * 3_600);

/// The largest answer that is kept; of a larger one it is known that it was given.
const MOST_ANSWER: usize = 256 << 10;

/// The longest request id.
const MOST_ID: usize = 128;

/// Whose call it is, and what the caller named it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) workspace: String,
    pub(crate) caller: String,
    pub(crate) request: String,
}

/// The calls that are known by a request id.
pub(crate) struct Once {
    store: Store,
    session: String,
    running: Arc<Mutex<Running>>,
}

type Running = HashMap<Key, watch::Receiver<()>>;

/// What is to be done with a call.
pub(crate) enum Claim {
    /// It is the first; run it and settle it.
    Run(Claimed),
    /// It was done before, with this answer.
    Done(Settled),
}

/// A call that is being run.
pub(crate) struct Claimed {
    key: Key,
    session: String,
    running: Arc<Mutex<Running>>,
    _told: watch::Sender<()>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Settled {
    /// With an answer.
    Answer(String),
    /// With an answer that was not kept.
    Unkept,
    /// With an error: its code's name and its message.
    Error(String, String),
}

/// A row of the table.
struct Row {
    digest: Vec<u8>,
    session: String,
    state: String,
    result: Option<String>,
}

impl Once {
    pub(crate) fn new(store: Store, session: String) -> Self {
        Self { store, session, running: Arc::default() }
    }

    /// Claims a request id for a call of this digest.
    ///
    /// Waits for a call with the same id that is under way here.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for an id that was used for another call, or is none;
    /// `CONFLICT` where an earlier call was cut off.
    pub(crate) async fn claim(&self, key: Key, digest: Hash) -> Result<Claim> {
        if key.request.is_empty() || key.request.len() > MOST_ID {
            let message = format!("a request id has 1 to {MOST_ID} bytes");
            return Err(Error::new(Code::InvalidParams, message));
        }
        let claimed = loop {
            let mut other = match self.enter(&key) {
                Ok(claimed) => break claimed,
                Err(other) => other,
            };
            // An error says that the other call is over, which is what is waited for.
            let _ = other.changed().await;
        };
        let row = self.insert(key, digest).await?;
        let Some(row) = row else { return Ok(Claim::Run(claimed)) };
        if row.digest != digest.as_bytes() {
            let message = "this request id was used for another call";
            return Err(Error::new(Code::InvalidParams, message));
        }
        let settled = row.result.as_deref().and_then(|text| serde_json::from_str(text).ok());
        match settled.filter(|_| row.state == "done") {
            Some(settled) => Ok(Claim::Done(settled)),
            None => Err(cut_off(&row.session, &self.session)),
        }
    }

    /// Marks the call as under way here, or gives what tells when it is over.
    fn enter(&self, key: &Key) -> Result<Claimed, watch::Receiver<()>> {
        let mut running = lock(&self.running);
        if let Some(other) = running.get(key) {
            return Err(other.clone());
        }
        let (told, tells) = watch::channel(());
        running.insert(key.clone(), tells);
        let (key, session) = (key.clone(), self.session.clone());
        Ok(Claimed { key, session, running: Arc::clone(&self.running), _told: told })
    }

    /// Puts the claim on the disk; gives the row that is there already.
    async fn insert(&self, key: Key, digest: Hash) -> Result<Option<Row>> {
        let session = self.session.clone();
        let written = self.store.write(move |connection| {
            let Key { workspace, caller, request } = &key;
            let values = (workspace, caller, request, digest.as_bytes(), &session);
            if execute(connection, sql::OP_CLAIM, values)? == 1 {
                return Ok(None);
            }
            let row = connection.query_row(sql::OP_GET, (workspace, caller, request), |row| {
                Ok(Row {
                    digest: row.get(0)?,
                    session: row.get(1)?,
                    state: row.get(2)?,
                    result: row.get(3)?,
                })
            });
            row.map(Some).map_err(|error| fault(&error))
        });
        written.await
    }

    /// Forgets what is older than a day. It waits for the disk.
    pub(crate) fn sweep(&self) -> Result<()> {
        self.store.write_waiting(|connection| {
            execute(connection, sql::OP_SWEEP, [millis(KEPT)]).map(drop)
        })
    }
}

fn cut_off(theirs: &str, ours: &str) -> Error {
    let message = if theirs == ours {
        "an earlier call with this request id ended without a record"
    } else {
        "an earlier call with this request id was cut off, or is under way elsewhere"
    };
    Error::new(Code::Conflict, message)
        .hint("Look at what is there, then call again with another request id.")
}

impl Claimed {
    /// What is to be written along with the audit's record.
    pub(crate) fn settle(&self, settled: Settled) -> Along {
        let settled = match settled {
            Settled::Answer(text) if text.len() > MOST_ANSWER => Settled::Unkept,
            kept @ (Settled::Answer(_) | Settled::Unkept | Settled::Error(..)) => kept,
        };
        let (key, session) = (self.key.clone(), self.session.clone());
        Box::new(move |connection: &Connection| {
            let text = serde_json::to_string(&settled)
                .map_err(|_| Error::new(Code::Internal, "an answer could not be kept"))?;
            let Key { workspace, caller, request } = key;
            execute(connection, sql::OP_SETTLE, (text, workspace, caller, request, session))
                .map(drop)
        })
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        lock(&self.running).remove(&self.key);
    }
}

fn lock(running: &Mutex<Running>) -> MutexGuard<'_, Running> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}
