//! Git inside a workspace's sandbox: fixed arguments in, typed facts out.
//!
//! A repository is its agent's, and everything in it may be hostile: hooks, filters, drivers,
//! names. So git runs where the agent's own commands run, through [`Shell`], with the
//! agent's powers and nothing more; it is never run beside the gateway. What a caller sends is
//! checked into a type that no option can hide in ([`Branch`], [`Revision`], [`Oid`]), what git
//! prints is taken apart by pure functions that trust none of it.
//!
//! What needs a credential is not here: [`Remotes`] is the door to whoever has one.
//!
//! [`Shell`]: garth_contract::Shell

mod branches;
mod bundle;
mod checkout;
mod commit;
mod diff;
mod failed;
mod identity;
mod invocation;
mod log;
mod make;
mod names;
#[cfg(test)]
mod properties;
mod records;
mod refs;
mod remotes;
mod repository;
mod restore;
mod stash;
mod status;
mod track;

pub use branches::{Listed, Loss, Whose};
pub use bundle::{Bundle, Mapped};
pub use checkout::CheckedOut;
pub use commit::NewCommit;
pub use diff::{Between, Detail, Diff, FileDiff, Hunk, Line, Patch, Sign};
pub use failed::{Failed, Result};
pub use identity::Identity;
pub use invocation::Hooks;
pub use log::{Commit, Commits, Signature, Wanted};
pub use make::{Diverged, Merged, discover};
pub use names::{Branch, Oid, RefName, Revision};
pub use records::Kind;
pub use refs::Tip;
pub use remotes::{Cloned, Fetch, Fetched, Moved, Push, Pushed, Remotes};
pub use repository::Repository;
pub use restore::Restored;
pub use stash::{Stashed, Then, Unknown};
pub use status::{Change, Conflict, ConflictKind, Status, Submodule, Untracked, Upstream};
