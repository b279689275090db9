//! What a caller has at hand of the workspace that it works in.
//!
//! Most callers work in one workspace, call after call. What is known of it, both budgets and
//! where it is open are looked up for the first of them; the next ones ask only whether that is
//! still so. It is the caller's own: two connections that work at the same time would else take
//! turns at the same few places of memory, which costs more than what they look up there.

use std::sync::{Arc, OnceLock, Weak};

use crate::{
    AgentId, Caller, Gateway, Limits,
    limits::{Demand, Sides},
    registry::Known,
    workspaces::Slot,
};

/// A workspace as a caller has it at hand.
pub(crate) struct Standing {
    pub(crate) known: Arc<Known>,
    pub(crate) sides: Arc<Sides>,
    /// Whose it is: a caller may turn to another gateway of this process.
    of: Weak<Limits>,
    /// Agents were changed so often when this was looked up.
    generation: u64,
    /// Where it is open; whoever holds this does not keep it open.
    pub(crate) slot: OnceLock<Weak<Slot>>,
}

impl Standing {
    /// Whether it is about this agent, and nothing has changed since.
    pub(crate) fn is_of(&self, id: &AgentId, gateway: &Gateway) -> bool {
        self.known.agent.id == *id
            && self.generation == gateway.inner.registry.generation()
            && self.slot.get().is_none_or(|slot| slot.strong_count() > 0)
            && Weak::as_ptr(&self.of) == Arc::as_ptr(&gateway.inner.limits)
    }
}

impl Gateway {
    /// What a caller has at hand of an agent's workspace, where it need not be read.
    pub(crate) fn standing_now(&self, caller: &Caller, id: &AgentId) -> Option<Arc<Standing>> {
        if let Some(standing) = caller.standing().filter(|standing| standing.is_of(id, self)) {
            return Some(standing);
        }
        // Before it is looked up: what changes meanwhile makes this one old.
        let generation = self.inner.registry.generation();
        let known = self.inner.registry.known_now(id)?;
        Some(self.stand(caller, known, generation))
    }

    /// The same, once it was read.
    pub(crate) fn stand(
        &self,
        caller: &Caller,
        known: Arc<Known>,
        generation: u64,
    ) -> Arc<Standing> {
        let sides = Arc::new(self.inner.limits.sides(&Demand {
            workspace: Some((&known.agent.id, known.agent.settings.limits)),
            ..Demand::of(caller)
        }));
        let (of, slot) = (Arc::downgrade(&self.inner.limits), OnceLock::new());
        let standing = Arc::new(Standing { known, sides, of, generation, slot });
        caller.stands(&standing);
        standing
    }
}
