//! The workspaces that are open here, each owned by this node.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use garth_contract::{BoxFuture, Code, Error, Result};
use garth_workspace::Workspace;
use tokio::sync::OnceCell;

use crate::{
    Settings,
    agent_id::AgentId,
    registry::{Agent, Lease, Owned, Registry, State},
};

/// Workspaces that stay open without being used; beyond them idle ones are closed.
const MOST_IDLE: usize = 1_024;

/// Opens the workspace of an agent: its files, its processes, its redactor.
///
/// It is asked once, however many calls wait, and again when the agent's settings
/// have changed.
pub trait Opener: Send + Sync + 'static {
    /// Opens a workspace.
    ///
    /// Errors: `WORKSPACE_NOT_FOUND` where its directory is missing; whatever the
    /// provider says.
    ///
    /// Cancel: another call may begin anew.
    fn open<'a>(&'a self, agent: &'a Agent) -> BoxFuture<'a, Result<Arc<Workspace>>>;

    /// Tells whether what was opened for an agent last is still what is there; where it
    /// is not, it is opened anew. It is asked before every call, so it must be quick.
    fn is_current(&self, agent: &Agent) -> bool {
        let _ = agent;
        true
    }
}

pub(crate) struct Workspaces {
    opener: Arc<dyn Opener>,
    lease: Arc<Lease>,
    open: Mutex<HashMap<AgentId, Arc<Slot>>>,
}

/// A workspace that is open, or being opened.
struct Slot {
    settings: Settings,
    created_ms: i64,
    cell: OnceCell<Opened>,
}

struct Opened {
    workspace: Arc<Workspace>,
    // Held, so that whoever commits a change of the files knows under which epoch.
    _owned: Owned,
}

impl Workspaces {
    pub(crate) fn new(opener: Arc<dyn Opener>, lease: Arc<Lease>) -> Self {
        Self { opener, lease, open: Mutex::default() }
    }

    /// The open workspace of an agent.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` without a lease or where another node has it; those of
    /// the opener.
    pub(crate) async fn open(&self, agent: &Agent) -> Result<Arc<Workspace>> {
        if let Err(error) = self.lease.check() {
            self.lock().clear();
            return Err(error);
        }
        if agent.state == State::Stopped {
            self.close(&agent.id);
            return Err(Error::new(Code::ProviderUnavailable, "the workspace is stopped"));
        }
        if !self.opener.is_current(agent) {
            self.close(&agent.id);
        }
        let slot = self.slot(agent);
        let opened = slot.cell.get_or_try_init(|| async {
            let owned = self.lease.acquire(&agent.id).await?;
            let workspace = self.opener.open(agent).await?;
            Ok::<_, Error>(Opened { workspace, _owned: owned })
        });
        Ok(Arc::clone(&opened.await?.workspace))
    }

    /// Lets a workspace go; calls that use it go on to their end.
    pub(crate) fn close(&self, id: &AgentId) {
        self.lock().remove(id);
    }

    /// Closes what was deleted, stopped or set up anew. It waits for the disk.
    pub(crate) fn recheck(&self, registry: &Registry) -> Result<()> {
        let open: Vec<_> =
            self.lock().iter().map(|(id, slot)| (id.clone(), Arc::clone(slot))).collect();
        for (id, slot) in open {
            let now = registry.get_waiting(&id)?;
            if !now.is_some_and(|agent| agent.state == State::Active && slot.is_of(&agent)) {
                self.close(&id);
            }
        }
        Ok(())
    }

    /// How many are open.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    fn slot(&self, agent: &Agent) -> Arc<Slot> {
        let mut open = self.lock();
        if let Some(slot) = open.get(&agent.id).filter(|slot| slot.is_of(agent)) {
            return Arc::clone(slot);
        }
        if open.len() >= MOST_IDLE {
            open.retain(|_, slot| !slot.is_idle());
        }
        let slot = Arc::new(Slot {
            settings: agent.settings.clone(),
            created_ms: agent.created_ms,
            cell: OnceCell::new(),
        });
        open.insert(agent.id.clone(), Arc::clone(&slot));
        slot
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AgentId, Arc<Slot>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn is_of(&self, agent: &Agent) -> bool {
        self.created_ms == agent.created_ms && self.settings == agent.settings
    }

    fn is_idle(self: &Arc<Self>) -> bool {
        let unused = |opened: &Opened| Arc::strong_count(&opened.workspace) == 1;
        Arc::strong_count(self) == 1 && self.cell.get().is_none_or(unused)
    }
}
