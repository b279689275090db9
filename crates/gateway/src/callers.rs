//! Tokens: given out once, found again by their hash, taken back at once.
//!
//! A token that is in use has one [`Life`] for all its connections. Revoking ends it,
//! here at once, and in another process as soon as that sees that the registry has
//! changed.

mod row;
mod ticket;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use blake3::Hash;
use garth_contract::{Code, Error, Result, escape};
use rusqlite::OptionalExtension;

pub use row::Token;
use row::{Row, Use};

use crate::{
    AgentId,
    caller::{Credential, Kind, Life, Role},
    clock::millis,
    store::{Store, fault, sql},
    token::Secret,
};

/// Tokens that are kept in memory; more are looked up again.
const MOST_KNOWN: usize = 10_000;

/// The longest label, in bytes.
const MOST_LABEL: usize = 200;

/// The most tokens of a page.
const MOST_PAGE: u32 = 1_000;

/// A token to be given out.
#[derive(Clone, Debug)]
pub struct Grant {
    /// What it gives a right to.
    pub role: Role,
    /// What the operator calls it.
    pub label: String,
    /// How long it is good; `None` until it is revoked.
    pub ttl: Option<Duration>,
}

/// The tokens of a registry; clones are the same ones.
#[derive(Clone)]
pub struct Callers {
    shared: Arc<Shared>,
}

struct Shared {
    store: Store,
    known: Mutex<HashMap<String, Row>>,
    lives: Mutex<HashMap<String, Weak<Life>>>,
    /// Goes up whenever `known` is emptied, so that nothing older gets back in.
    generation: AtomicU64,
}

impl Callers {
    pub(crate) fn new(store: Store) -> Self {
        let (known, lives) = (Mutex::default(), Mutex::default());
        Self { shared: Arc::new(Shared { store, known, lives, generation: AtomicU64::new(0) }) }
    }

    /// Gives out a token. The secret is shown here and nowhere else.
    ///
    /// # Errors
    /// `AGENT_NOT_FOUND` for a token of an agent that does not exist; `INVALID_PARAMS`
    /// for a label that is too long or a time of nothing.
    pub async fn issue(&self, grant: Grant) -> Result<(Secret, Token)> {
        if grant.label.len() > MOST_LABEL {
            return Err(Error::new(Code::InvalidParams, "the label of a token is too long"));
        }
        if grant.ttl.is_some_and(|ttl| millis(ttl) == 0) {
            return Err(Error::new(Code::InvalidParams, "a token must be good for some time"));
        }
        self.make(grant, Use::Token).await
    }

    async fn make(&self, grant: Grant, used: Use) -> Result<(Secret, Token)> {
        let secret = Secret::new()?;
        let stored = secret.stored();
        let now_ms = self.shared.store.clock().now_ms();
        let row = Row {
            id: stored.id,
            hash: stored.hash,
            used,
            role: grant.role,
            label: escape(grant.label.as_bytes()),
            created_ms: now_ms,
            expires_ms: grant.ttl.map(|ttl| now_ms.saturating_add(millis(ttl))),
            revoked_ms: None,
        };
        let token = Token::from(&row);
        self.shared.store.write(move |connection| row.insert(connection)).await?;
        Ok((secret, token))
    }

    /// Finds out whose token this is.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` for anything that is not a token which is good now; the answer
    /// does not say what is wrong with it.
    pub async fn authenticate(&self, text: &str) -> Result<Credential> {
        let refused = || Error::of(Code::Unauthenticated);
        let secret = Secret::parse(text).ok_or_else(refused)?;
        let stored = secret.stored();
        // Taken before the row is read: whoever revokes it after that ends this life.
        let life = self.life(&stored.id);
        let row = self.find(&stored.id).await?;
        // Also where there is none something is compared, and in constant time.
        let hash = row.as_ref().map_or(Hash::from_bytes([0; 32]), |row| row.hash);
        let same = hash == stored.hash;
        let now_ms = self.shared.store.clock().now_ms();
        let row = row.filter(|row| same && row.is_good(now_ms)).ok_or_else(refused)?;
        let kind = match row.used {
            Use::Token => Kind::Token,
            Use::Session => Kind::Session,
            Use::Ticket => return Err(refused()),
        };
        life.expires(row.expires_ms);
        if life.is_over(now_ms) {
            return Err(refused());
        }
        let (id, label) = (Arc::from(row.id), Arc::from(row.label));
        Ok(Credential { id, role: row.role, label, kind, life })
    }

    /// Takes a token back. Every connection that it opened ends.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a token that does not exist or was taken back before.
    pub async fn revoke(&self, id: &str) -> Result<()> {
        let wanted = id.to_owned();
        let revoked = self.shared.store.write(move |connection| {
            let count =
                connection.execute(sql::TOKEN_REVOKE, [&wanted]).map_err(|error| fault(&error))?;
            connection.execute(sql::REVISION_BUMP, []).map_err(|error| fault(&error))?;
            Ok(count)
        });
        if revoked.await? == 0 {
            return Err(Error::new(Code::InvalidParams, "there is no such token in use"));
        }
        self.forget();
        self.end(id);
        Ok(())
    }

    /// Tokens and sessions, without their secrets, by id; those behind `after`.
    ///
    /// # Errors
    /// `INTERNAL` when the registry cannot be read.
    pub async fn list(&self, after: &str, limit: u32) -> Result<Vec<Token>> {
        let (after, limit) = (after.to_owned(), limit.clamp(1, MOST_PAGE));
        let read = self.shared.store.read(move |connection| {
            let mut statement =
                connection.prepare_cached(sql::TOKEN_LIST).map_err(|error| fault(&error))?;
            let rows = statement.query_map((after, limit), |row| Ok(Row::read(row)));
            let rows = rows.and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>);
            rows.map_err(|error| fault(&error))?.into_iter().collect::<Result<Vec<_>>>()
        });
        Ok(read.await?.iter().map(Token::from).collect())
    }

    /// Looks at every token in use again, and ends those that are no longer good.
    ///
    /// It waits for the disk.
    pub(crate) fn recheck(&self) -> Result<()> {
        self.forget();
        let mut lives = self.lives();
        lives.retain(|_, life| life.strong_count() > 0);
        let in_use: Vec<_> = lives.keys().cloned().collect();
        drop(lives);
        for id in in_use {
            let row = self.shared.store.read_waiting(|connection| look_up(connection, &id))?;
            let now_ms = self.shared.store.clock().now_ms();
            if !row.is_some_and(|row| row.is_good(now_ms)) {
                self.end(&id);
            }
        }
        Ok(())
    }

    /// Ends the tokens that have expired.
    pub(crate) fn expire(&self) {
        let now_ms = self.shared.store.clock().now_ms();
        let lives: Vec<_> = self.lives().values().filter_map(Weak::upgrade).collect();
        lives.iter().filter(|life| life.is_over(now_ms)).for_each(|life| life.end());
    }

    /// The row of a token, from memory where it was read before.
    async fn find(&self, id: &str) -> Result<Option<Row>> {
        if let Some(row) = self.known().get(id) {
            return Ok(Some(row.clone()));
        }
        let generation = self.shared.generation.load(Ordering::SeqCst);
        let wanted = id.to_owned();
        let row = self.shared.store.read(move |connection| look_up(connection, &wanted)).await?;
        if let Some(row) = &row {
            let mut known = self.known();
            if known.len() >= MOST_KNOWN {
                known.clear();
            }
            if self.shared.generation.load(Ordering::SeqCst) == generation {
                known.insert(row.id.clone(), row.clone());
            }
        }
        Ok(row)
    }

    fn life(&self, id: &str) -> Arc<Life> {
        let mut lives = self.lives();
        if let Some(life) = lives.get(id).and_then(Weak::upgrade) {
            return life;
        }
        if lives.len() >= MOST_KNOWN {
            lives.retain(|_, life| life.strong_count() > 0);
        }
        let life = Arc::new(Life::new());
        lives.insert(id.to_owned(), Arc::downgrade(&life));
        life
    }

    fn end(&self, id: &str) {
        if let Some(life) = self.lives().remove(id).and_then(|life| life.upgrade()) {
            life.end();
        }
    }

    fn forget(&self) {
        let mut known = self.known();
        self.shared.generation.fetch_add(1, Ordering::SeqCst);
        known.clear();
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Row>> {
        self.shared.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lives(&self) -> MutexGuard<'_, HashMap<String, Weak<Life>>> {
        self.shared.lives.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn look_up(connection: &rusqlite::Connection, id: &str) -> Result<Option<Row>> {
    let mut statement = connection.prepare_cached(sql::TOKEN_GET).map_err(|error| fault(&error))?;
    let row = statement.query_row([id], |row| Ok(Row::read(row))).optional();
    row.map_err(|error| fault(&error))?.transpose()
}

/// Takes back every token of an agent, in the transaction of whoever deletes it.
pub(crate) fn revoke_all_of(connection: &rusqlite::Connection, agent: &AgentId) -> Result<()> {
    let revoked = connection.execute(sql::TOKEN_REVOKE_AGENT, [agent.as_str()]);
    revoked.map(drop).map_err(|error| fault(&error))
}
