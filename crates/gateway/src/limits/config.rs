//! The numbers.

use serde::{Deserialize, Serialize};

use crate::OwnLimits;

/// Every bound of a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Config {
    /// For callers with a token: agents and programs.
    pub programs: Budget,
    /// For people in the web UI, whose browser asks for much at once.
    pub people: Budget,
    /// Operations at a time, of all together.
    pub in_flight: u32,
}

/// The bounds of one kind of caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Budget {
    /// What one caller may ask for.
    pub caller: Numbers,
    /// What may be asked of one workspace.
    pub workspace: Numbers,
}

/// The bounds of one caller or one workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Numbers {
    /// Requests of `worktree.*` a minute.
    pub worktree_per_minute: u32,
    /// Calls of tools a minute.
    pub tools_per_minute: u32,
    /// Calls into sandboxes a minute, by programs that use them like machines.
    pub sandbox_per_minute: u32,
    /// Requests about the gateway itself a minute.
    pub admin_per_minute: u32,
    /// Bytes a minute, in and out together.
    pub bytes_per_minute: u64,
    /// Reads at a time.
    pub concurrent_reads: u32,
    /// Watches that are open at a time.
    pub watches: u32,
    /// Processes at a time.
    pub processes: u32,
}

/// What kind of operation is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// `worktree.*`, for UIs.
    Worktree,
    /// Tools, for models.
    Tool,
    /// Calls into sandboxes, by programs that use them like machines.
    Sandbox,
    /// The gateway itself: agents, tokens, the audit.
    Admin,
}

/// What an operation holds while it runs, or as long as what it opened lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Takes {
    /// Nothing that is counted.
    Nothing,
    /// A read.
    Read,
    /// A watch.
    Watch,
    /// A process.
    Process,
}

impl Config {
    /// What fits most gateways.
    #[must_use]
    pub const fn standard() -> Self {
        let program = Numbers {
            worktree_per_minute: 60,
            tools_per_minute: 600,
            sandbox_per_minute: 6_000,
            admin_per_minute: 600,
            bytes_per_minute: 100_000_000,
            concurrent_reads: 5,
            watches: 10,
            processes: 32,
        };
        let person = Numbers {
            worktree_per_minute: 1_200,
            tools_per_minute: 1_200,
            sandbox_per_minute: 6_000,
            admin_per_minute: 1_200,
            bytes_per_minute: 500_000_000,
            concurrent_reads: 20,
            watches: 50,
            processes: 32,
        };
        Self {
            programs: Budget { caller: program, workspace: program },
            people: Budget { caller: person, workspace: person },
            in_flight: 4_096,
        }
    }
}

impl Numbers {
    pub(super) fn requests(&self, family: Family) -> u32 {
        match family {
            Family::Worktree => self.worktree_per_minute,
            Family::Tool => self.tools_per_minute,
            Family::Sandbox => self.sandbox_per_minute,
            Family::Admin => self.admin_per_minute,
        }
    }

    /// How many of what an operation takes there may be; `None` is no bound.
    pub(super) fn places(&self, takes: Takes) -> Option<u32> {
        match takes {
            Takes::Nothing => None,
            Takes::Read => Some(self.concurrent_reads),
            Takes::Watch => Some(self.watches),
            Takes::Process => Some(self.processes),
        }
    }

    /// The same, with what a workspace has of its own.
    pub(super) fn with(self, own: &OwnLimits) -> Self {
        Self {
            worktree_per_minute: own.requests_per_minute.unwrap_or(self.worktree_per_minute),
            tools_per_minute: own.requests_per_minute.unwrap_or(self.tools_per_minute),
            sandbox_per_minute: own.requests_per_minute.unwrap_or(self.sandbox_per_minute),
            admin_per_minute: self.admin_per_minute,
            bytes_per_minute: own.bytes_per_minute.unwrap_or(self.bytes_per_minute),
            concurrent_reads: own.concurrent_reads.unwrap_or(self.concurrent_reads),
            watches: own.watches.unwrap_or(self.watches),
            processes: own.processes.unwrap_or(self.processes),
        }
    }
}
