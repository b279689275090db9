//! What reaches a repository's remote: whoever holds the credential, outside the sandbox.
//!
//! The objects move as bundles. For a push, [`Repository::bundle_out`] makes one inside the
//! sandbox, and the other side reads it as a file, since it believes nothing that is in it.
//! For a fetch it writes one, and [`Repository::bundle_in`] takes it in. Neither side reads
//! the other's configuration.

use garth_contract::{BoxFuture, Result};

use crate::{Branch, Oid, RefName, Repository};

/// The remote of one workspace.
///
/// The address and what is allowed there are the operator's, never the repository's.
/// Common to all: `PERMISSION_DENIED` for what the operator did not allow,
/// `PROVIDER_UNAVAILABLE` where the remote cannot be reached, `GIT_FAILED` for what it
/// refuses and where it does not take the credential. No message holds one.
///
/// Cancel: nothing is half done on the remote; what was begun inside is left out of sight.
pub trait Remotes: Send + Sync {
    /// Sends a branch.
    ///
    /// *Errors*: `CONFLICT` where the remote's branch has commits that this one lacks.
    /// *After*: the remote's branch is at `wanted.tip`, and `refs/remotes/origin/<branch>`
    /// of the repository says so.
    fn push<'a>(
        &'a self,
        repository: Repository<'a>,
        wanted: Push,
    ) -> BoxFuture<'a, Result<Pushed>>;

    /// Brings what the remote has that the repository lacks.
    ///
    /// *After*: `refs/remotes/origin/*` of what was asked for are as on the remote; neither
    /// a branch nor a file has changed.
    fn fetch<'a>(
        &'a self,
        repository: Repository<'a>,
        wanted: Fetch,
    ) -> BoxFuture<'a, Result<Fetched>>;

    /// Fills a repository that was just made and has nothing in it.
    ///
    /// *After*: as for `fetch`; what is checked out is the caller's affair.
    fn clone_into<'a>(
        &'a self,
        repository: Repository<'a>,
        wanted: Fetch,
    ) -> BoxFuture<'a, Result<Cloned>>;
}

/// What is to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The branch, which has the same name on both sides.
    pub branch: Branch,
    /// Where it is in the repository.
    pub tip: Oid,
}

/// What came of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// The remote's address, without a credential.
    pub url: String,
    /// Where the remote's branch was; nowhere if it is new.
    pub before: Option<Oid>,
    /// Where it is now.
    pub now: Oid,
}

/// What is to be brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fetch {
    /// The branches; all of them where none is named.
    pub branches: Vec<Branch>,
}

/// What came of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The remote's address, without a credential.
    pub url: String,
    /// The refs below `refs/remotes/origin/` and `refs/tags/` that are not where they were.
    pub moved: Vec<Moved>,
}

/// What came of a clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cloned {
    /// The remote's address, without a credential.
    pub url: String,
    /// The branch that is the remote's own first choice; none where it has no commit.
    pub head: Option<Branch>,
    /// The refs that were brought.
    pub moved: Vec<Moved>,
}

/// A ref that is not where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Its full name in the repository.
    pub name: RefName,
    /// Where it was; nowhere if it is new.
    pub before: Option<Oid>,
    /// Where it is now; nowhere if it is gone.
    pub now: Option<Oid>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_are_object_safe() {
        fn takes(_: Option<&dyn Remotes>) {}
        takes(None);
    }
}
