//! What is checked out, and what differs from it.

pub(crate) mod parse;

use garth_contract::WsPath;

use crate::{Kind, Oid, Repository, Result, invocation::Invocation};

/// The state of a work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The commit that is checked out; none before the first.
    pub commit: Option<Oid>,
    /// The branch that is checked out, in the bytes of its name; none where the head is
    /// detached.
    pub branch: Option<Vec<u8>>,
    /// What the branch follows.
    pub upstream: Option<Upstream>,
    /// Files that are not as in the commit, in git's order.
    pub changes: Vec<Change>,
    /// Files in conflict.
    pub conflicts: Vec<Conflict>,
    /// Files that git does not know.
    pub untracked: Vec<Untracked>,
    /// Whether there is more than could be read.
    pub cut: bool,
}

/// What a branch follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    /// Its short name, as bytes.
    pub name: Vec<u8>,
    /// How many commits the branch has that it lacks, and the other way round; not known
    /// where it is gone.
    pub counts: Option<(u64, u64)>,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where it is.
    pub path: WsPath,
    /// Where it was, for one that moved or was copied.
    pub from: Option<WsPath>,
    /// How the index differs from the commit.
    pub staged: Option<Kind>,
    /// How the work tree differs from the index.
    pub unstaged: Option<Kind>,
    /// What is said of a submodule.
    pub submodule: Option<Submodule>,
}

/// How a submodule differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submodule {
    /// Another commit is checked out in it.
    pub commit: bool,
    /// Files in it are changed.
    pub changed: bool,
    /// Files in it are not known to git.
    pub untracked: bool,
}

/// A file in conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Where it is.
    pub path: WsPath,
    /// What both sides did.
    pub kind: ConflictKind,
}

/// What both sides of a conflict did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names say it, and git's own words for them are the same")]
pub enum ConflictKind {
    BothDeleted,
    AddedByUs,
    DeletedByThem,
    AddedByThem,
    DeletedByUs,
    BothAdded,
    BothModified,
}

impl ConflictKind {
    /// In words that stand together.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BothDeleted => "both_deleted",
            Self::AddedByUs => "added_by_us",
            Self::DeletedByThem => "deleted_by_them",
            Self::AddedByThem => "added_by_them",
            Self::DeletedByUs => "deleted_by_us",
            Self::BothAdded => "both_added",
            Self::BothModified => "both_modified",
        }
    }
}

/// What git does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untracked {
    /// Where it is.
    pub path: WsPath,
    /// A directory in which git knows nothing.
    pub directory: bool,
}

impl Repository<'_> {
    /// Looks at the work tree; at these files alone, where some are named.
    ///
    /// # Errors
    /// Those of running git.
    pub async fn status(&self, files: &[WsPath]) -> Result<Status> {
        let options = ["status", "--porcelain=v2", "-z", "--branch", "--untracked-files=normal"];
        let call = Invocation::new(&options).and("--").and_all(self.pathspecs(files)?);
        let output = self.look(call).await?;
        let cut = output.cut;
        let mut status = parse::status(&output.done()?, self.directory)?;
        status.cut = cut;
        Ok(status)
    }
}
