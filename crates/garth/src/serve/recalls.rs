//! What each caller was shown of each workspace, so that what it writes back can be
//! compared with it.

use std::{
    collections::HashMap,
    ops::Deref,
    sync::{Arc, Mutex, PoisonError},
};

use garth_gateway::{AgentId, At, Caller};
use garth_ops::worktree::Recall;

use super::ws::Link;

/// Pairs of a caller and a workspace that are remembered; who is forgotten reads again.
const MOST: usize = 1_024;

/// The memory of everybody.
#[derive(Default)]
pub(crate) struct Recalls(Mutex<HashMap<Pair, Arc<Recall>>>);

/// A caller, by the id of its token, and a workspace.
type Pair = (Arc<str>, AgentId);

/// What a caller was shown of a workspace, as one connection has it: how many hold it is
/// counted apart from other connections.
#[derive(Clone)]
pub(crate) struct AtHand(Arc<(AgentId, Arc<Recall>)>);

impl AtHand {
    /// Whether it is about this agent's workspace.
    pub(crate) fn is_of(&self, agent: &AgentId) -> bool {
        self.0.0 == *agent
    }
}

impl Deref for AtHand {
    type Target = Recall;

    fn deref(&self) -> &Recall {
        &self.0.1
    }
}

impl Recalls {
    /// What the caller was shown of the workspace, remembered by the connection that asks.
    pub(crate) fn at_hand(&self, link: Option<&Link>, at: At<'_>) -> AtHand {
        let look_up = || AtHand(Arc::new((at.agent.clone(), self.of(at.caller, at.agent))));
        match link {
            Some(link) => link.recall(at.agent, look_up),
            None => look_up(),
        }
    }

    /// What this caller was shown of this agent's workspace.
    pub(crate) fn of(&self, caller: &Caller, agent: &AgentId) -> Arc<Recall> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Arc::clone(caller.shared_id()), agent.clone());
        if let Some(recall) = all.get(&key) {
            return Arc::clone(recall);
        }
        if all.len() >= MOST {
            // Those that nobody uses now; if all are in use, all but theirs.
            all.retain(|_, recall| Arc::strong_count(recall) > 1);
        }
        let recall = Arc::new(Recall::default());
        all.insert(key, Arc::clone(&recall));
        recall
    }
}
