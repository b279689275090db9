//! What a workspace forbids, compiled, and where its links may lead.

use garth_contract::{Access, Aliases, Code, Detail, Error, MAX_PATH, Policy, Result, WsPath};
use garth_search::{Fold, Rules, Stands};

use crate::{
    tree::{Dir, Node},
    walk::Walk,
};

/// The most entries a tree may have, since directories and empty files take room
/// that no quota of bytes counts.
pub(crate) const MAX_ENTRIES: u64 = 10_000_000;

/// The rules of one workspace.
#[derive(Clone, Debug)]
pub(crate) struct Fence {
    pub(crate) policy: Policy,
    pub(crate) rules: Rules,
    pub(crate) aliases: Aliases,
}

impl Fence {
    pub(crate) fn new(policy: Policy) -> Result<Self> {
        let rules = Rules::compile(&policy)?;
        Ok(Self { policy, rules, aliases: Aliases::none() })
    }

    /// Tells whether a real path can be neither seen nor touched.
    pub(crate) fn denies(&self, path: &[u8], stands: Stands) -> bool {
        !self.rules.is_empty() && self.rules.denies(path, Fold::Exact, stands)
    }

    /// Refuses every change of a read-only workspace.
    pub(crate) fn check_access(&self) -> Result<()> {
        match self.policy.access {
            Access::ReadWrite => Ok(()),
            Access::ReadOnly => Err(Error::of(Code::ReadOnly)),
        }
    }

    /// Refuses to change, make or remove what stands at a real path that is not denied.
    pub(crate) fn check_change(&self, path: &WsPath, asked: &WsPath) -> Result<()> {
        if !self.rules.is_empty() && self.rules.protects(path.as_bytes(), Fold::Exact) {
            return Err(Error::at(Code::PermissionDenied, asked));
        }
        Ok(())
    }

    /// Refuses to remove or move a directory that holds what may not be changed,
    /// or to move it to where what it holds may not be made.
    pub(crate) fn check_below(&self, path: &WsPath, dir: &Dir, asked: &WsPath) -> Result<()> {
        if self.rules.is_empty() || !self.rules.covers_below(path.as_bytes()) {
            return Ok(());
        }
        let mut walk = Walk::new(path, dir);
        while let Some(step) = walk.next() {
            let denied = self.denies(step.path, step.node.kind().into());
            if denied || self.rules.protects(step.path, Fold::Exact) {
                let error = Error::at(Code::PermissionDenied, asked);
                return Err(error.hint("The directory holds something that may not be changed."));
            }
        }
        Ok(())
    }

    /// Refuses a tree that outgrew the quota by the step from `before` to `after`.
    pub(crate) fn check_room(&self, before: &Dir, after: &Dir, asked: &WsPath) -> Result<()> {
        let over = |limit, actual| {
            Error::at(Code::QuotaExceeded, asked).with(Detail::Limit { limit, actual })
        };
        let (was, is) = (before.below, after.below);
        if let Some(quota) = self.policy.quota
            && is.bytes > quota
            && is.bytes > was.bytes
        {
            return Err(over(quota, is.bytes));
        }
        if is.entries > MAX_ENTRIES && is.entries > was.entries {
            return Err(over(MAX_ENTRIES, is.entries));
        }
        Ok(())
    }

    /// Refuses to put a directory where paths in it would be longer than a path can be.
    pub(crate) fn check_length(&self, at: &WsPath, node: &Node, asked: &WsPath) -> Result<()> {
        let Node::Dir(dir) = node else { return Ok(()) };
        let room = MAX_PATH.saturating_sub(at.as_bytes().len() + 1);
        // The sum is an upper bound; only when it says no is it worth to look closer.
        if dir.below.longest > room && dir.longest_path() > room {
            let error = Error::at(Code::InvalidPath, asked);
            return Err(error.hint("A path in the directory would be longer than 4,096 bytes."));
        }
        Ok(())
    }
}
