//! What was admitted and refused, for whoever watches the gateway.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use super::{Takes, slots::Open};

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Requests,
    Bytes,
    Reads,
    Watches,
    Processes,
    InFlight,
}

impl Why {
    pub(super) fn of(takes: Takes) -> Self {
        match takes {
            Takes::Nothing => Self::InFlight,
            Takes::Read => Self::Reads,
            Takes::Watch => Self::Watches,
            Takes::Process => Self::Processes,
        }
    }

    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Requests => "too many requests in a minute",
            Self::Bytes => "too many bytes in a minute",
            Self::Reads => "too many reads at a time",
            Self::Watches => "too many watches are open",
            Self::Processes => "too many processes are running",
            Self::InFlight => "the gateway has too much to do",
        }
    }
}

/// Counts since the start.
#[derive(Default)]
pub(super) struct Counters {
    admitted: AtomicU64,
    requests: AtomicU64,
    bytes: AtomicU64,
    reads: AtomicU64,
    watches: AtomicU64,
    processes: AtomicU64,
    in_flight: AtomicU64,
}

/// What was counted since the start, and what is open now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Calls that were admitted.
    pub admitted: u64,
    /// Calls that were refused for too many requests a minute,
    pub refused_requests: u64,
    /// for too many bytes a minute,
    pub refused_bytes: u64,
    /// for too many reads at a time,
    pub refused_reads: u64,
    /// for too many open watches,
    pub refused_watches: u64,
    /// for too many processes,
    pub refused_processes: u64,
    /// and for too many operations at a time.
    pub refused_in_flight: u64,
    /// Operations under way.
    pub in_flight: u64,
    /// Reads under way.
    pub reads: u64,
    /// Open watches.
    pub watches: u64,
    /// Running processes.
    pub processes: u64,
    /// Budgets that are remembered.
    pub budgets: u64,
}

impl Counters {
    pub(super) fn admitted(&self) {
        self.admitted.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn refused(&self, why: Why) {
        let counter = match why {
            Why::Requests => &self.requests,
            Why::Bytes => &self.bytes,
            Why::Reads => &self.reads,
            Why::Watches => &self.watches,
            Why::Processes => &self.processes,
            Why::InFlight => &self.in_flight,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn snapshot(&self, open: Open, budgets: usize) -> Snapshot {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Snapshot {
            admitted: read(&self.admitted),
            refused_requests: read(&self.requests),
            refused_bytes: read(&self.bytes),
            refused_reads: read(&self.reads),
            refused_watches: read(&self.watches),
            refused_processes: read(&self.processes),
            refused_in_flight: read(&self.in_flight),
            in_flight: open.calls,
            reads: open.reads,
            watches: open.watches,
            processes: open.processes,
            budgets: budgets as u64,
        }
    }
}
