//! A connection as operations see it that leave something open on it: watches,
//! terminals, uploads. All of it ends with the connection.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use garth_contract::{Code, Error, Result};
use garth_gateway::AgentId;
use tokio::task::AbortHandle;

use super::outbox::Outbox;
use crate::serve::{
    recalls::AtHand,
    table::{Terminal, Upload},
};

/// Things that may be open on one connection: more than the budgets of callers allow.
const MOST: usize = 256;

/// A connection, and what is open on it.
pub(crate) struct Link {
    pub(crate) outbox: Outbox,
    open: Mutex<Open>,
    /// What was shown of the workspace that was asked for last.
    recall: Mutex<Option<AtHand>>,
}

#[derive(Default)]
struct Open {
    last: u64,
    closed: bool,
    things: HashMap<String, Owned>,
}

struct Owned {
    agent: AgentId,
    thing: Thing,
    // It ends with this.
    _task: Task,
}

/// Something that is open.
pub(crate) enum Thing {
    /// A watch.
    Watch,
    /// A terminal.
    Terminal(Arc<Terminal>),
    /// An upload.
    Upload(Arc<Upload>),
    /// An archive that is being sent.
    Archive,
}

/// Work in the background that ends with whoever holds this.
pub(crate) struct Task(AbortHandle);

impl Task {
    /// Does it.
    pub(crate) fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(tokio::spawn(work).abort_handle())
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Link {
    pub(crate) fn new(outbox: Outbox) -> Self {
        Self { outbox, open: Mutex::default(), recall: Mutex::default() }
    }

    /// What was shown of this agent's workspace, looked up where another was asked for last.
    pub(crate) fn recall(&self, agent: &AgentId, look_up: impl FnOnce() -> AtHand) -> AtHand {
        let mut last = self.recall.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recall) = last.as_ref().filter(|recall| recall.is_of(agent)) {
            return recall.clone();
        }
        let recall = look_up();
        *last = Some(recall.clone());
        recall
    }

    /// A name that nothing on this connection had before.
    pub(crate) fn name(&self, kind: char) -> String {
        let mut open = self.lock();
        open.last += 1;
        format!("{kind}{}", open.last)
    }

    /// Keeps something open, and the work that it does. On a connection that has ended, or has too much open
    /// already, it ends at once.
    pub(crate) fn keep(&self, name: String, agent: AgentId, thing: Thing, task: Task) {
        let mut open = self.lock();
        if open.closed || open.things.len() >= MOST {
            // What it does when it ends must not happen under the lock.
            drop(open);
            drop((thing, task));
            return;
        }
        open.things.insert(name, Owned { agent, thing, _task: task });
    }

    /// Ends something; tells whether it was open.
    pub(crate) fn end(&self, name: &str) -> bool {
        let ended = self.lock().things.remove(name);
        ended.is_some()
    }

    /// Whose workspace something open belongs to.
    pub(crate) fn owner(&self, name: &str) -> Option<AgentId> {
        self.lock().things.get(name).map(|owned| owned.agent.clone())
    }

    /// How many things of a kind are open.
    pub(crate) fn count(&self, is: impl Fn(&Thing) -> bool) -> usize {
        self.lock().things.values().filter(|owned| is(&owned.thing)).count()
    }

    /// Looks at something that is open and belongs to this agent.
    ///
    /// # Errors
    /// `INVALID_PARAMS` where there is no such thing.
    pub(crate) fn find<T>(
        &self,
        name: &str,
        agent: &AgentId,
        look: impl FnOnce(&Thing) -> Option<T>,
    ) -> Result<T> {
        let open = self.lock();
        let owned = open.things.get(name).filter(|owned| owned.agent == *agent);
        owned.and_then(|owned| look(&owned.thing)).ok_or_else(|| {
            Error::new(Code::InvalidParams, "nothing of that name is open")
                .hint("What a connection opened ends with it, and is known to it alone.")
        })
    }

    /// Ends everything, also what would be opened from now on.
    pub(crate) fn close(&self) {
        let mut open = self.lock();
        open.closed = true;
        let things = std::mem::take(&mut open.things);
        drop(open);
        drop(things);
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
