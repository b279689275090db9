//! One sandbox of this wire while the gateway runs: its record, what runs in it, who
//! watches it.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use garth_contract::ProcessId;
use garth_gateway::AgentId;
use tokio::sync::watch;

use super::{interpreter::Contexts, metadata::Kept, poll::Watchers, record::Record};

/// Processes whose start is remembered; of older ones the command alone is known.
const MOST_STARTED: usize = 4_096;

/// One sandbox.
pub(super) struct Sandbox {
    /// Its id, which is that of the agent whose workspace it is.
    pub(super) id: AgentId,
    record: Mutex<Record>,
    /// What it is now, for whoever follows something in it.
    phase: watch::Sender<Phase>,
    started: Mutex<BTreeMap<u64, Started>>,
    /// Watches that are asked from time to time.
    pub(super) watchers: Watchers,
    /// What callers said of files.
    pub(super) metadata: Kept,
    /// Where code is run.
    pub(super) contexts: Contexts,
    /// Held by whoever pauses, resumes or ends it.
    pub(super) turn: tokio::sync::Mutex<()>,
    /// Held by whoever changes its record, until that is kept.
    pub(super) keeping: tokio::sync::Mutex<()>,
}

/// What a sandbox is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Running,
    Paused,
    Ended,
}

/// How a process was started.
#[derive(Clone, Debug, Default)]
pub(super) struct Started {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) directory: Option<String>,
    pub(super) tag: Option<String>,
    pub(super) terminal: bool,
    /// It serves the wire itself, and no caller started it.
    pub(super) hidden: bool,
}

impl Sandbox {
    pub(super) fn new(id: AgentId, record: Record) -> Self {
        let phase = match record.state {
            super::record::State::Running => Phase::Running,
            super::record::State::Paused => Phase::Paused,
        };
        Self {
            id,
            record: Mutex::new(record),
            phase: watch::Sender::new(phase),
            started: Mutex::default(),
            watchers: Watchers::default(),
            metadata: Kept::default(),
            contexts: Contexts::default(),
            turn: tokio::sync::Mutex::default(),
            keeping: tokio::sync::Mutex::default(),
        }
    }

    /// A copy of its record.
    pub(super) fn record(&self) -> Record {
        self.lock().clone()
    }

    /// Whether it has a user `root`.
    pub(super) fn has_root(&self) -> bool {
        self.lock().root
    }

    /// Changes its record, and gives a copy.
    pub(super) fn change(&self, change: impl FnOnce(&mut Record)) -> Record {
        let mut record = self.lock();
        change(&mut record);
        record.clone()
    }

    pub(super) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.send_replace(phase);
    }

    /// Waits until it no longer runs.
    ///
    /// Cancel: nothing happens.
    pub(super) async fn stopped(&self) -> Phase {
        let mut seen = self.phase.subscribe();
        match seen.wait_for(|phase| *phase != Phase::Running).await {
            Ok(phase) => *phase,
            Err(_) => Phase::Ended,
        }
    }

    /// Remembers how a process was started.
    pub(super) fn remember(&self, id: ProcessId, started: Started) {
        let mut all = self.started();
        all.insert(id.0, started);
        while all.len() > MOST_STARTED {
            all.pop_first();
        }
    }

    /// Keeps a process that serves the wire itself out of what callers are told.
    pub(super) fn hide(&self, id: ProcessId) {
        self.remember(id, Started { hidden: true, ..Started::default() });
    }

    /// How a process was started, if that is remembered.
    pub(super) fn how(&self, id: ProcessId) -> Option<Started> {
        self.started().get(&id.0).cloned()
    }

    /// The youngest process of a tag.
    pub(super) fn tagged(&self, tag: &str) -> Option<ProcessId> {
        let all = self.started();
        let mut named = all.iter().filter(|(_, started)| started.tag.as_deref() == Some(tag));
        named.next_back().map(|(id, _)| ProcessId(*id))
    }

    fn started(&self) -> MutexGuard<'_, BTreeMap<u64, Started>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
