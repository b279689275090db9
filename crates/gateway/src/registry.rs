//! The agents, which node has which workspace, and what was asked for before.

mod lease;
mod once;
mod ownership;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use garth_contract::{Code, Error, Result};
use garth_redact::Redactor;
use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

pub use lease::{Lease, Node};
pub(crate) use once::{Claim, Claimed, Key, Once, Settled};
pub use ownership::Owned;

use crate::{
    AgentId, Callers, Settings, approvals, callers,
    store::{Store, fault, sql},
};

/// Agents that are kept in memory; more are read again.
const MOST_KNOWN: usize = 10_000;

/// The most agents of a page.
const MOST_PAGE: u32 = 1_000;

/// An agent and its workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// Whether it may be worked with.
    pub state: State,
    /// What the operator set up.
    pub settings: Settings,
    /// How often its workspace changed hands.
    pub epoch: i64,
    /// How many changes of its workspace were committed.
    pub seq: i64,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
    /// When it was last changed.
    pub updated_ms: i64,
}

/// Whether an agent may be worked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// It may.
    Active,
    /// The operator stopped it; its files are kept.
    Stopped,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Stopped => "stopped",
        }
    }
}

/// An agent as calls need it: its rules compiled.
pub(crate) struct Known {
    pub(crate) agent: Agent,
    pub(crate) redactor: Redactor,
    pub(crate) rules: approvals::Rules,
}

impl Known {
    /// Tells whether it has rules of its own beside the built-in ones.
    pub(crate) fn has_own_redactor(&self) -> bool {
        !self.agent.settings.redaction.custom_patterns.is_empty()
    }
}

/// The agents; clones are the same ones.
#[derive(Clone)]
pub struct Registry {
    shared: Arc<Shared>,
}

struct Shared {
    store: Store,
    callers: Callers,
    known: Mutex<HashMap<AgentId, Arc<Known>>>,
    /// Goes up whenever `known` is emptied, so that nothing older gets back in.
    generation: AtomicU64,
}

impl Registry {
    /// The agents and the tokens of a database.
    #[must_use]
    pub fn new(store: Store) -> Self {
        let callers = Callers::new(store.clone());
        let (known, generation) = (Mutex::default(), AtomicU64::new(0));
        Self { shared: Arc::new(Shared { store, callers, known, generation }) }
    }

    /// The tokens.
    #[must_use]
    pub fn callers(&self) -> &Callers {
        &self.shared.callers
    }

    /// The database.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    /// Makes an agent. Its directory is made by whoever opens it.
    ///
    /// # Errors
    /// `CONFLICT` where there is one of that id; those of [`Settings::check`].
    pub async fn create(&self, id: &AgentId, settings: &Settings) -> Result<()> {
        let (text, wanted) = (settings.to_json()?, id.clone());
        let made = self.shared.store.write(move |connection| {
            let made = execute(connection, sql::WS_CREATE, (wanted.as_str(), text))?;
            bump(connection)?;
            Ok(made)
        });
        if made.await? == 0 {
            return Err(Error::new(Code::Conflict, "there is an agent of that id")
                .hint("Choose another id, or change the one there is."));
        }
        self.forget();
        Ok(())
    }

    /// An agent.
    ///
    /// # Errors
    /// `AGENT_NOT_FOUND`.
    pub async fn get(&self, id: &AgentId) -> Result<Agent> {
        let wanted = id.clone();
        let agent = self.shared.store.read(move |connection| look_up(connection, &wanted));
        agent.await?.ok_or_else(|| Error::of(Code::AgentNotFound))
    }

    /// The same for a thread that may wait; `None` where there is none.
    pub(crate) fn get_waiting(&self, id: &AgentId) -> Result<Option<Agent>> {
        self.shared.store.read_waiting(|connection| look_up(connection, id))
    }

    /// Agents by id; those behind `after`.
    ///
    /// # Errors
    /// `INTERNAL` when the registry cannot be read.
    pub async fn list(&self, after: &str, limit: u32) -> Result<Vec<Agent>> {
        let (after, limit) = (after.to_owned(), limit.clamp(1, MOST_PAGE));
        let read = self.shared.store.read(move |connection| {
            let mut statement =
                connection.prepare_cached(sql::WS_LIST).map_err(|error| fault(&error))?;
            let rows = statement.query_map((after, limit), |row| Ok(read_agent(row)));
            let rows = rows.and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>);
            rows.map_err(|error| fault(&error))?.into_iter().collect()
        });
        read.await
    }

    /// Changes what the operator set up; it holds from the next call on.
    ///
    /// # Errors
    /// `AGENT_NOT_FOUND`; those of [`Settings::check`].
    pub async fn configure(&self, id: &AgentId, settings: &Settings) -> Result<()> {
        let (text, wanted) = (settings.to_json()?, id.clone());
        self.change(move |connection| {
            execute(connection, sql::WS_CONFIGURE, (text, wanted.as_str()))
        })
        .await
    }

    /// Stops an agent, or lets it go on.
    ///
    /// # Errors
    /// `AGENT_NOT_FOUND`.
    pub async fn set_state(&self, id: &AgentId, state: State) -> Result<()> {
        let wanted = id.clone();
        self.change(move |connection| {
            execute(connection, sql::WS_STATE, (state.name(), wanted.as_str()))
        })
        .await
    }

    /// Forgets an agent and takes back its tokens. Its files are left as they are.
    ///
    /// # Errors
    /// `AGENT_NOT_FOUND`.
    pub async fn delete(&self, id: &AgentId) -> Result<()> {
        let wanted = id.clone();
        self.change(move |connection| {
            let count = execute(connection, sql::WS_DELETE, [wanted.as_str()])?;
            callers::revoke_all_of(connection, &wanted)?;
            Ok(count)
        })
        .await?;
        let callers = self.shared.callers.clone();
        let stopped = |_| Error::new(Code::Internal, "a thread of the registry was stopped");
        tokio::task::spawn_blocking(move || callers.recheck()).await.map_err(stopped)?
    }

    /// Changes one agent.
    async fn change(
        &self,
        work: impl FnOnce(&Connection) -> Result<usize> + Send + 'static,
    ) -> Result<()> {
        let changed = self.shared.store.write(move |connection| {
            let count = work(connection)?;
            bump(connection)?;
            Ok(count)
        });
        let count = changed.await?;
        self.forget();
        if count == 0 { Err(Error::of(Code::AgentNotFound)) } else { Ok(()) }
    }

    /// An agent as calls need it, from memory where it was read before.
    ///
    /// # Errors
    /// `AGENT_NOT_FOUND`.
    pub(crate) async fn known(&self, id: &AgentId) -> Result<Arc<Known>> {
        if let Some(known) = self.known_now(id) {
            return Ok(known);
        }
        let generation = self.generation();
        let agent = self.get(id).await?;
        let redactor = agent.settings.audit_redactor()?;
        let rules = approvals::Rules::compile(&agent.settings.approvals)?;
        let known = Arc::new(Known { agent, redactor, rules });
        let mut all = self.lock();
        if all.len() >= MOST_KNOWN {
            all.clear();
        }
        if self.generation() == generation {
            all.insert(id.clone(), Arc::clone(&known));
        }
        Ok(known)
    }

    /// The same where it is in memory.
    pub(crate) fn known_now(&self, id: &AgentId) -> Option<Arc<Known>> {
        self.lock().get(id).map(Arc::clone)
    }

    /// How often agents were changed, as far as this process knows.
    pub(crate) fn generation(&self) -> u64 {
        self.shared.generation.load(Ordering::SeqCst)
    }

    /// Reads everything anew from now on.
    pub(crate) fn forget(&self) {
        let mut all = self.lock();
        self.shared.generation.fetch_add(1, Ordering::SeqCst);
        all.clear();
    }

    /// A number that goes up with every change of agents or tokens, of any process.
    ///
    /// It waits for the disk.
    pub(crate) fn revision(&self) -> Result<i64> {
        self.shared.store.read_waiting(|connection| {
            let mut statement =
                connection.prepare_cached(sql::REVISION_GET).map_err(|error| fault(&error))?;
            statement.query_row([], |row| row.get(0)).map_err(|error| fault(&error))
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AgentId, Arc<Known>>> {
        self.shared.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn look_up(connection: &Connection, id: &AgentId) -> Result<Option<Agent>> {
    let mut statement = connection.prepare_cached(sql::WS_GET).map_err(|error| fault(&error))?;
    let row = statement.query_row([id.as_str()], |row| Ok(read_agent(row))).optional();
    row.map_err(|error| fault(&error))?.transpose()
}

fn read_agent(row: &rusqlite::Row<'_>) -> Result<Agent> {
    let damaged = || Error::new(Code::Internal, "the registry holds a damaged agent");
    let text = |index| row.get::<_, String>(index).map_err(|_| damaged());
    let number = |index| row.get::<_, i64>(index).map_err(|_| damaged());
    let state = text(1)?;
    let state = [State::Active, State::Stopped].into_iter().find(|one| one.name() == state);
    Ok(Agent {
        id: AgentId::parse(&text(0)?).map_err(|_| damaged())?,
        state: state.ok_or_else(damaged)?,
        settings: Settings::from_json(&text(2)?)?,
        epoch: number(3)?,
        seq: number(4)?,
        created_ms: number(5)?,
        updated_ms: number(6)?,
    })
}

fn execute(connection: &Connection, text: &str, values: impl rusqlite::Params) -> Result<usize> {
    let mut statement = connection.prepare_cached(text).map_err(|error| fault(&error))?;
    statement.execute(values).map_err(|error| fault(&error))
}

fn bump(connection: &Connection) -> Result<()> {
    execute(connection, sql::REVISION_BUMP, []).map(drop)
}
