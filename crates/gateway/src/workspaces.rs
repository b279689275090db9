//! The workspaces that are open here, each owned by this node.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use garth_contract::{BoxFuture, Code, Error, Result};
use garth_workspace::Workspace;
use tokio::sync::OnceCell;

use crate::{
    Latest, Moment,
    agent_id::AgentId,
    registry::{Agent, Lease, Owned, Registry, State},
    standing::Standing,
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
    /// is not, it is opened anew. It is asked before every call, for several at once where they came
    /// together, so it must be quick.
    fn is_current(&self, agent: &Agent) -> bool {
        let _ = agent;
        true
    }

    /// Takes note that a workspace, as it was set up, is no more, so that what it runs
    /// outside this process can be ended. It does not wait.
    ///
    /// A workspace that is opened anew with other settings is not told of here.
    fn closed(&self, _agent: &Agent, _why: Closed) {}
}

/// Why a workspace is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// Its agent was deleted.
    Deleted,
    /// Its agent was stopped or set up anew.
    Changed,
}

pub(crate) struct Workspaces {
    opener: Arc<dyn Opener>,
    lease: Arc<Lease>,
    open: Mutex<HashMap<AgentId, Arc<Slot>>>,
}

/// A workspace that is open, or being opened.
pub(crate) struct Slot {
    /// As it was when the slot was made.
    agent: Agent,
    cell: OnceCell<Opened>,
    /// When what is open was last found to be what is there.
    looked_at: Latest,
    /// Whether another one has its place.
    gone: AtomicBool,
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

    /// The open workspace of an agent, as it is at some moment after the call was here.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` without a lease or where another node has it; those of
    /// the opener.
    pub(crate) async fn open(&self, agent: &Agent, arrived: Moment) -> Result<Arc<Workspace>> {
        self.check(agent)?;
        let slot = self.current(agent, (self.slot(agent), arrived));
        self.open_slot(agent, &slot).await.cloned()
    }

    /// The slot of the workspace that a caller has at hand, likewise; it may have to be opened.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` without a lease, and where the workspace is stopped.
    pub(crate) fn slot_now(&self, standing: &Standing, arrived: Moment) -> Result<Arc<Slot>> {
        let agent = &standing.known.agent;
        self.check(agent)?;
        let at_hand = standing.slot.get().and_then(Weak::upgrade).filter(|slot| !slot.is_gone());
        let slot = at_hand.unwrap_or_else(|| {
            let slot = self.slot(agent);
            // Where it has one already, the next call looks up everything anew.
            let _ = standing.slot.set(Arc::downgrade(&slot));
            slot
        });
        Ok(self.current(agent, (slot, arrived)))
    }

    fn check(&self, agent: &Agent) -> Result<()> {
        if let Err(error) = self.lease.check() {
            self.lock().drain().for_each(|(_, slot)| slot.leave());
            return Err(error);
        }
        if agent.state == State::Stopped {
            if let Some(slot) = self.remove(&agent.id) {
                self.opener.closed(&slot.agent, Closed::Changed);
            }
            return Err(Error::new(Code::ProviderUnavailable, "the workspace is stopped"));
        }
        Ok(())
    }

    /// Opens what is not open yet, once for all who wait.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub(crate) async fn open_slot<'s>(
        &self,
        agent: &Agent,
        slot: &'s Slot,
    ) -> Result<&'s Arc<Workspace>> {
        let opened = slot.cell.get_or_try_init(|| async {
            let owned = self.lease.acquire(&agent.id).await?;
            let workspace = self.opener.open(agent).await?;
            Ok::<_, Error>(Opened { workspace, _owned: owned })
        });
        Ok(&opened.await?.workspace)
    }

    /// Lets a workspace go; calls that use it go on to their end.
    pub(crate) fn close(&self, id: &AgentId) {
        self.remove(id);
    }

    /// Closes what was deleted, stopped or set up anew. It waits for the disk.
    pub(crate) fn recheck(&self, registry: &Registry) -> Result<()> {
        let open: Vec<_> =
            self.lock().iter().map(|(id, slot)| (id.clone(), Arc::clone(slot))).collect();
        for (id, slot) in open {
            let now = registry.get_waiting(&id)?;
            let why = match now {
                None => Closed::Deleted,
                Some(agent) if agent.state == State::Active && slot.is_of(&agent) => continue,
                Some(_) => Closed::Changed,
            };
            // Somebody may have opened it anew meanwhile.
            let mut open = self.lock();
            if open.get(&id).is_some_and(|there| Arc::ptr_eq(there, &slot)) {
                open.remove(&id);
            }
            drop(open);
            slot.leave();
            self.opener.closed(&slot.agent, why);
        }
        Ok(())
    }

    /// How many are open.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    /// The slot, or another where what was opened is no longer what is there. Calls that came
    /// together share the look at that.
    fn current(&self, agent: &Agent, (slot, arrived): (Arc<Slot>, Moment)) -> Arc<Slot> {
        if slot.looked_at.is_after(arrived) {
            return slot;
        }
        let now = Moment::next();
        if self.opener.is_current(agent) {
            slot.looked_at.raise(now);
            return slot;
        }
        if let Some(slot) = self.remove(&agent.id) {
            self.opener.closed(&slot.agent, Closed::Changed);
        }
        self.slot(agent)
    }

    /// Takes a slot out, which counts for nobody any more.
    fn remove(&self, id: &AgentId) -> Option<Arc<Slot>> {
        let slot = self.lock().remove(id)?;
        slot.leave();
        Some(slot)
    }

    fn slot(&self, agent: &Agent) -> Arc<Slot> {
        let mut open = self.lock();
        if let Some(slot) = open.get(&agent.id).filter(|slot| slot.is_of(agent)) {
            return Arc::clone(slot);
        }
        if open.len() >= MOST_IDLE {
            open.retain(|_, slot| !slot.is_idle());
        }
        let slot = Arc::new(Slot::of(agent.clone()));
        if let Some(before) = open.insert(agent.id.clone(), Arc::clone(&slot)) {
            before.leave();
        }
        slot
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AgentId, Arc<Slot>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn of(agent: Agent) -> Self {
        let (cell, looked_at) = (OnceCell::new(), Latest::default());
        Self { agent, cell, looked_at, gone: AtomicBool::new(false) }
    }

    /// The workspace, if it is open.
    pub(crate) fn workspace(&self) -> Option<&Arc<Workspace>> {
        self.cell.get().map(|opened| &opened.workspace)
    }

    /// Says that it is no longer the one of its agent.
    fn leave(&self) {
        self.gone.store(true, Ordering::Release);
    }

    fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    fn is_of(&self, agent: &Agent) -> bool {
        self.agent.created_ms == agent.created_ms && self.agent.settings == agent.settings
    }

    fn is_idle(self: &Arc<Self>) -> bool {
        let unused = |opened: &Opened| Arc::strong_count(&opened.workspace) == 1;
        Arc::strong_count(self) == 1 && self.cell.get().is_none_or(unused)
    }
}
