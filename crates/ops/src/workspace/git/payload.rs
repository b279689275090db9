//! What a program is told: one shape for all actions, of which each fills its part.

use garth_contract::WsPath;
use garth_redact::Clean;
use schemars::JsonSchema;
use serde::Serialize;

use super::params::Action;

#[derive(Serialize, JsonSchema)]
pub(super) struct Payload {
    /// What was done.
    action: Action,
    /// The repository's directory.
    pub(super) repository: String,
    /// The branch that is checked out, made, deleted, sent or brought.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub(super) branch: Option<Clean>,
    /// The id of the commit that is checked out, or that was made or shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) commit: Option<String>,
    /// Whether no branch is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) detached: Option<bool>,
    /// What the branch follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub(super) upstream: Option<Clean>,
    /// How many commits the branch has that the other lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ahead: Option<u64>,
    /// How many commits the other has that the branch lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) behind: Option<u64>,
    /// Whether nothing is staged, changed, untracked or in conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) clean: Option<bool>,
    /// Files whose changes the next commit would have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) staged: Option<Vec<File>>,
    /// Files whose changes it would not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changed: Option<Vec<File>>,
    /// Files in conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) conflicted: Option<Vec<File>>,
    /// Files that git does not know; a directory ends with a slash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) untracked: Option<Vec<File>>,
    /// Files that a commit changed, or that differ between two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) files: Option<Vec<File>>,
    /// The changes as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub(super) diff: Option<Clean>,
    /// The names of the rules whose placeholders stand in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) redacted: Vec<String>,
    /// Commits, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) commits: Option<Vec<Commit>>,
    /// Branches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) branches: Option<Vec<Branch>>,
    /// What is put aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stashes: Option<Vec<Stash>>,
    /// Refs that are not where they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refs: Option<Vec<Ref>>,
    /// The remote's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub(super) remote: Option<Clean>,
    /// Whether a branch was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) created: Option<bool>,
    /// How many lines or entries there are, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total: Option<u64>,
    /// Whether there is more.
    pub(super) truncated: bool,
    /// The offset to go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<u64>,
}

impl Payload {
    pub(super) fn of(action: Action, repository: &WsPath) -> Self {
        Self {
            action,
            repository: repository.to_string(),
            branch: None,
            commit: None,
            detached: None,
            upstream: None,
            ahead: None,
            behind: None,
            clean: None,
            staged: None,
            changed: None,
            conflicted: None,
            untracked: None,
            files: None,
            diff: None,
            redacted: Vec::new(),
            commits: None,
            branches: None,
            stashes: None,
            refs: None,
            remote: None,
            created: None,
            total: None,
            truncated: false,
            next_offset: None,
        }
    }
}

/// A file that differs.
#[derive(Serialize, JsonSchema)]
pub(super) struct File {
    /// Where it is.
    pub(super) path: String,
    /// How it differs: added, modified, deleted, renamed, copied, type_changed, untracked, or
    /// what both sides of a conflict did, such as both_modified.
    pub(super) kind: &'static str,
    /// Where it was, for one that was renamed or copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<String>,
    /// How many lines were added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additions: Option<u64>,
    /// How many lines were removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) deletions: Option<u64>,
    /// Whether it is something else than text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) binary: bool,
    /// Whether it is a submodule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) submodule: bool,
}

/// A commit.
#[derive(Serialize, JsonSchema)]
pub(super) struct Commit {
    /// Its id.
    pub(super) id: String,
    /// The ids of those before it.
    pub(super) parents: Vec<String>,
    /// Who wrote it.
    #[schemars(with = "String")]
    pub(super) author: Clean,
    /// The author's address.
    #[schemars(with = "String")]
    pub(super) email: Clean,
    /// When it was written.
    pub(super) date: String,
    /// Who committed it.
    #[schemars(with = "String")]
    pub(super) committer: Clean,
    /// The first line of its message.
    #[schemars(with = "String")]
    pub(super) subject: Clean,
    /// The rest of its message.
    #[schemars(with = "String")]
    pub(super) body: Clean,
}

/// A branch.
#[derive(Serialize, JsonSchema)]
pub(super) struct Branch {
    /// Its name.
    #[schemars(with = "String")]
    pub(super) name: Clean,
    /// Whether it is one of the remote's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) remote: bool,
    /// Whether it is checked out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) current: bool,
    /// The id of its last commit.
    pub(super) commit: String,
    /// When that was made.
    pub(super) date: String,
    /// The first line of that commit's message.
    #[schemars(with = "String")]
    pub(super) subject: Clean,
    /// What it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub(super) upstream: Option<Clean>,
    /// How many commits it has that the other lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ahead: Option<u64>,
    /// How many the other has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) behind: Option<u64>,
}

/// Changes that were put aside.
#[derive(Serialize, JsonSchema)]
pub(super) struct Stash {
    /// Which one: 0 is the newest.
    pub(super) index: u64,
    /// The id of the commit that holds them.
    pub(super) commit: String,
    /// When they were put aside.
    pub(super) date: String,
    /// What is said of them.
    #[schemars(with = "String")]
    pub(super) message: Clean,
}

/// A ref that is not where it was.
#[derive(Serialize, JsonSchema)]
pub(super) struct Ref {
    /// Its full name.
    pub(super) name: String,
    /// Where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) now: Option<String>,
}

/// What git said when it failed.
#[derive(Serialize)]
pub(super) struct Said {
    pub(super) stderr: Clean,
}
