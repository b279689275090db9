//! What each caller was shown of each workspace, so that what it writes back can be
//! compared with it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use garth_gateway::{AgentId, Caller};
use garth_ops::worktree::Recall;

/// Pairs of a caller and a workspace that are remembered; who is forgotten reads again.
const MOST: usize = 1_024;

/// The memory of everybody.
#[derive(Default)]
pub(crate) struct Recalls(Mutex<HashMap<Pair, Arc<Recall>>>);

/// A caller, by the id of its token, and a workspace.
type Pair = (Arc<str>, AgentId);

impl Recalls {
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
