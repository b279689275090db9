//! What a caller sends, and which of it belongs to which action.

use garth_contract::{Result, WsPath};
use garth_git::{Branch, Identity, Revision};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    names::{Names, Naming},
    params::{Patterns, invalid},
    worktree::Reach,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// What to do.
    pub(super) action: Action,
    /// The repository's directory, or one in it, relative to the workspace's root; the root
    /// without it. For init and clone, where the repository is to be.
    pub(super) path: Option<String>,
    /// Files, relative to the workspace's root, taken literally; a directory stands for all in
    /// it. For commit exactly what is committed, deleted files too; all that changed without.
    #[schemars(with = "Option<Vec<String>>")]
    pub(super) files: Option<Patterns>,
    /// A branch. checkout makes it if it is not there, branch makes it or deletes it; push and
    /// pull take the one that is checked out without it.
    pub(super) branch: Option<String>,
    /// A commit: an id, a branch, a tag, HEAD~2. What show shows, where log begins, what diff
    /// compares with, what checkout detaches at, what restore restores from.
    #[serde(rename = "ref", alias = "revision", alias = "commit", alias = "target")]
    pub(super) revision: Option<String>,
    /// diff: the commit to compare ref with, instead of the files.
    pub(super) to: Option<String>,
    /// The commit at which checkout or branch makes a new branch; HEAD without it.
    pub(super) start: Option<String>,
    /// diff: true for what is staged alone, false for what is not. restore: true to unstage.
    pub(super) staged: Option<bool>,
    /// How many lines around each change a diff shows; 3 unless said otherwise.
    pub(super) context: Option<u32>,
    /// The commit's message, or what a stash is for.
    pub(super) message: Option<String>,
    /// Who else had a part in the commit: Name <address>.
    pub(super) co_author: Option<String>,
    /// Lets the repository's hooks run, in the sandbox.
    pub(super) hooks: Option<bool>,
    /// log: commits no older than this, such as 2026-01-31 or 2 weeks ago.
    pub(super) since: Option<String>,
    /// log: commits no younger than this.
    pub(super) until: Option<String>,
    /// log: commits by an author whose name or address holds this.
    pub(super) author: Option<String>,
    /// branch: lists those known of the remote too.
    pub(super) all: Option<bool>,
    /// branch: deletes the branch.
    pub(super) delete: Option<bool>,
    /// branch: deletes it also where commits are lost.
    pub(super) force: Option<bool>,
    /// stash: what to do, push without it.
    pub(super) operation: Option<Stashing>,
    /// stash: which one, 0 is the newest.
    pub(super) index: Option<u64>,
    /// stash: takes files that git does not know too.
    pub(super) include_untracked: Option<bool>,
    /// pull: makes a merge where both sides have moved on.
    pub(super) merge: Option<bool>,
    /// How many lines of a diff, or entries of a list, are passed over.
    pub(super) offset: Option<u64>,
    /// How many of them to show.
    pub(super) limit: Option<u64>,
    /// How long git may take, in milliseconds: 120,000 unless said otherwise, 3,600,000 at most.
    pub(super) timeout_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    /// Branch, and which files are staged, changed, untracked, in conflict.
    Status,
    /// Changes that are staged and those that are not, or against a commit.
    Diff,
    /// Stages files and commits them.
    Commit,
    /// Another branch, made if it is not there, or a commit.
    Checkout,
    /// Lists branches, makes or deletes one.
    Branch,
    /// Commits, newest first.
    Log,
    /// One commit and its changes.
    Show,
    /// Files as they were.
    Restore,
    /// Puts changes aside and brings them back.
    Stash,
    /// A new repository.
    Init,
    /// Sends a branch to the remote.
    Push,
    /// Fetches, then moves the branch on.
    Pull,
    /// Brings what the remote has.
    Fetch,
    /// The remote's repository into a directory.
    Clone,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stashing {
    /// Puts changes aside.
    Push,
    /// Lists what is put aside.
    List,
    /// Brings it back and keeps it.
    Apply,
    /// Brings it back.
    Pop,
    /// Forgets it.
    Drop,
}

impl Action {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Diff => "diff",
            Self::Commit => "commit",
            Self::Checkout => "checkout",
            Self::Branch => "branch",
            Self::Log => "log",
            Self::Show => "show",
            Self::Restore => "restore",
            Self::Stash => "stash",
            Self::Init => "init",
            Self::Push => "push",
            Self::Pull => "pull",
            Self::Fetch => "fetch",
            Self::Clone => "clone",
        }
    }

    /// The parameters that it has beside action, path and timeout_ms.
    fn takes(self) -> &'static [&'static str] {
        match self {
            Self::Status => &["files", "offset", "limit"],
            Self::Diff => &["files", "ref", "to", "staged", "context", "offset", "limit"],
            Self::Commit => &["files", "message", "co_author", "hooks"],
            Self::Checkout => &["branch", "ref", "start", "hooks"],
            Self::Branch => &["branch", "start", "all", "delete", "force", "offset", "limit"],
            Self::Log => &["files", "ref", "since", "until", "author", "offset", "limit"],
            Self::Show => &["files", "ref", "context", "offset", "limit"],
            Self::Restore => &["files", "ref", "staged"],
            Self::Stash => &["files", "message", "operation", "index", "include_untracked"],
            Self::Push => &["branch"],
            Self::Pull => &["branch", "merge", "hooks"],
            Self::Fetch | Self::Clone | Self::Init => &["branch"],
        }
    }
}

impl Params {
    /// Refuses what says nothing to the action, since it was meant to say something.
    ///
    /// # Errors
    /// `INVALID_PARAMS`.
    pub(super) fn check(&self) -> Result<()> {
        let takes = self.action.takes();
        match self.sent().into_iter().find(|(name, sent)| *sent && !takes.contains(name)) {
            None => Ok(()),
            Some((name, _)) => {
                let action = self.action.name();
                let known = takes.join(", ");
                let message = format!("{name} is no parameter of action {action}");
                Err(invalid(message).hint(format!("It has path, timeout_ms, {known}.")))
            }
        }
    }

    /// Tells whether it changes something.
    pub(super) fn changes(&self) -> bool {
        match self.action {
            Action::Status | Action::Diff | Action::Log | Action::Show => false,
            Action::Branch => self.branch.is_some(),
            Action::Stash => self.operation != Some(Stashing::List),
            Action::Commit
            | Action::Checkout
            | Action::Restore
            | Action::Init
            | Action::Push
            | Action::Pull
            | Action::Fetch
            | Action::Clone => true,
        }
    }

    fn sent(&self) -> [(&'static str, bool); 22] {
        [
            ("files", self.files.is_some()),
            ("branch", self.branch.is_some()),
            ("ref", self.revision.is_some()),
            ("to", self.to.is_some()),
            ("start", self.start.is_some()),
            ("staged", self.staged.is_some()),
            ("context", self.context.is_some()),
            ("message", self.message.is_some()),
            ("co_author", self.co_author.is_some()),
            ("hooks", self.hooks.is_some()),
            ("since", self.since.is_some()),
            ("until", self.until.is_some()),
            ("author", self.author.is_some()),
            ("all", self.all.is_some()),
            ("delete", self.delete.is_some()),
            ("force", self.force.is_some()),
            ("operation", self.operation.is_some()),
            ("index", self.index.is_some()),
            ("include_untracked", self.include_untracked.is_some()),
            ("merge", self.merge.is_some()),
            ("offset", self.offset.is_some()),
            ("limit", self.limit.is_some()),
        ]
    }

    /// The files that are named.
    ///
    /// # Errors
    /// `INVALID_PATH`, `PATH_OUTSIDE_WORKSPACE`, `REDACTED_CONTENT`.
    pub(super) async fn files(&self, workspace: &Workspace) -> Result<Vec<WsPath>> {
        let files = self.files.as_ref().map(|files| files.0.as_slice()).unwrap_or_default();
        let mut named = Vec::with_capacity(files.len());
        for file in files {
            named.push(workspace.real_path(&workspace.path(file.as_str())?).await?);
        }
        Ok(named)
    }

    /// The branch, where one is named.
    ///
    /// # Errors
    /// `INVALID_PARAMS`.
    pub(super) fn branch(&self) -> Result<Option<Branch>> {
        self.branch.as_deref().map(Branch::parse).transpose()
    }

    /// The commit, where one is named.
    ///
    /// # Errors
    /// `INVALID_PARAMS`.
    pub(super) fn revision(&self) -> Result<Option<Revision>> {
        self.revision.as_deref().map(Revision::parse).transpose()
    }

    /// The commit that something new starts at, where one is named.
    ///
    /// # Errors
    /// `INVALID_PARAMS`.
    pub(super) fn start(&self) -> Result<Option<Revision>> {
        self.start.as_deref().map(Revision::parse).transpose()
    }

    /// Who else had a part in a commit.
    ///
    /// # Errors
    /// `INVALID_PARAMS`.
    pub(super) fn co_author(&self) -> Result<Option<Identity>> {
        self.co_author.as_deref().map(Identity::parse).transpose()
    }
}

impl Naming for Params {
    /// Whatever runs in a repository may touch all of the workspace. The command is what one
    /// would type, so that rules about commands hold for both.
    fn names(self) -> Names {
        let words = [Some("git"), Some(self.action.name()), self.branch.as_deref()];
        let command: Vec<&str> = words.into_iter().flatten().collect();
        let mut names = Names::run(command.join(" "), self.path.clone());
        for file in self.files.iter().flat_map(|files| &files.0) {
            names = names.and(file.clone(), Reach::Tree);
        }
        for (name, value) in [("ref", &self.revision), ("to", &self.to), ("start", &self.start)] {
            if let Some(value) = value {
                names = names.fact(name, value.clone());
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::params::parse;

    #[test]
    fn what_says_nothing_to_an_action_is_refused() {
        let refused = |params| parse::<Params>(params).and_then(|params| params.check()).is_err();
        assert!(!refused(json!({"action": "status"})));
        assert!(!refused(json!({"action": "commit", "message": "x", "files": "a"})));
        assert!(refused(json!({"action": "push", "force": true})));
        assert!(refused(json!({"action": "status", "message": "x"})));
        assert!(refused(json!({"action": "gc"})));
    }

    #[test]
    fn a_call_is_named_as_it_would_be_typed() {
        let params = json!({"action": "push", "branch": "main"});
        let names = parse::<Params>(params).unwrap().names();
        assert_eq!(names.command.as_deref(), Some("git push main"));
        assert_eq!(names.paths[0].path, "");
    }
}
