//! Which node has a workspace, and the fence that keeps all others out.

use garth_contract::{Code, Error, Result};
use rusqlite::OptionalExtension;

use super::{Lease, execute};
use crate::{
    AgentId,
    store::{fault, sql},
};

/// A workspace that this node has, as of when it was acquired or last committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// Whose workspace it is.
    pub agent: AgentId,
    /// How often it changed hands, this time included.
    pub epoch: i64,
    /// How many changes were committed.
    pub seq: i64,
    /// What the last commit said the files are.
    pub manifest: Option<Vec<u8>>,
}

impl Lease {
    /// Takes a workspace that no live node has, or that this one has already; either
    /// way under a new epoch.
    ///
    /// # Errors
    /// `AGENT_NOT_FOUND`; `PROVIDER_UNAVAILABLE` where another node has it, where it was
    /// stopped, or where this node's lease is over.
    pub async fn acquire(&self, agent: &AgentId) -> Result<Owned> {
        self.check()?;
        let (node, session) = (self.node().to_owned(), self.session().to_owned());
        let id = agent.clone();
        let acquired = self.registry().store().write(move |connection| {
            let mut statement =
                connection.prepare_cached(sql::WS_ACQUIRE).map_err(|error| fault(&error))?;
            let row = statement.query_row((node, session, id.as_str()), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            });
            row.optional().map_err(|error| fault(&error))
        });
        if let Some((epoch, seq, manifest)) = acquired.await? {
            return Ok(Owned { agent: agent.clone(), epoch, seq, manifest });
        }
        self.registry().get(agent).await?;
        let message = "the workspace is stopped, or another node has it";
        Err(Error::new(Code::ProviderUnavailable, message))
    }

    /// Commits one change of a workspace: its manifest and the next number.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` when this node does not have it any more, at this epoch
    /// and with this number; then nothing was committed, and the workspace is to be
    /// let go.
    pub async fn commit(&self, owned: Owned, manifest: Vec<u8>) -> Result<Owned> {
        let fenced = || Error::new(Code::ProviderUnavailable, "this node lost the workspace");
        self.check()?;
        let seq = owned.seq + 1;
        let (node, session) = (self.node().to_owned(), self.session().to_owned());
        let (id, epoch, stored) = (owned.agent.clone(), owned.epoch, manifest.clone());
        let committed = self.registry().store().write(move |connection| {
            let values = (seq, stored, id.as_str(), node, session, epoch);
            execute(connection, sql::WS_COMMIT, values)
        });
        if committed.await? != 1 {
            return Err(fenced());
        }
        Ok(Owned { seq, manifest: Some(manifest), ..owned })
    }

    /// Lets a workspace go, so that any node can take it at once.
    ///
    /// # Errors
    /// `INTERNAL` when the registry cannot be written; the lease then ends it.
    pub async fn release(&self, owned: Owned) -> Result<()> {
        let (node, session) = (self.node().to_owned(), self.session().to_owned());
        let released = self.registry().store().write(move |connection| {
            let values = (owned.agent.as_str(), node, session, owned.epoch);
            execute(connection, sql::WS_RELEASE, values)
        });
        released.await.map(drop)
    }
}
