//! What differs between two trees, file by file.

pub(crate) mod parse;
mod patch;
pub(crate) mod quote;

use bytes::Bytes;
use garth_contract::WsPath;

use crate::{Commit, Kind, Oid, Repository, Result, invocation::Invocation};

pub use patch::{Hunk, Line, Patch, Sign};

/// The difference of two trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The files, in git's order.
    pub files: Vec<FileDiff>,
    /// Whether the end was not read, since there was too much.
    pub cut: bool,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// Where it is, or was.
    pub path: WsPath,
    /// Where it was, for one that moved or was copied.
    pub from: Option<WsPath>,
    /// How it differs.
    pub kind: Kind,
    /// Its mode before, as git has it; 0 where it was not there.
    pub old_mode: u32,
    /// Its mode now.
    pub new_mode: u32,
    /// How many lines were added and how many removed; none where it is binary, or where
    /// that was not read.
    pub lines: Option<(u64, u64)>,
    /// Whether git takes it for something else than text.
    pub binary: bool,
    /// What git printed of it as a patch: content of the repository.
    pub patch: Bytes,
}

/// Which trees are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Between {
    /// The commit that is checked out, and the index.
    HeadAndIndex,
    /// The index, and the work tree.
    IndexAndFiles,
    /// A commit, and the work tree.
    CommitAndFiles(Oid),
    /// Two commits.
    Commits(Oid, Oid),
}

impl Between {
    /// What a commit changed: of a merge, what it brought into the first of its parents.
    #[must_use]
    pub fn of(commit: &Commit) -> Self {
        let before = commit.parents.first().cloned();
        let before = before.unwrap_or_else(|| commit.oid.empty_tree());
        Self::Commits(before, commit.oid.clone())
    }
}

/// How much is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Which files, and how many lines.
    Files,
    /// The patches too, with so many lines around each change.
    Patches(u32),
}

impl Repository<'_> {
    /// Compares two trees; these files alone, where some are named.
    ///
    /// # Errors
    /// Those of running git.
    pub async fn diff(&self, between: &Between, files: &[WsPath], detail: Detail) -> Result<Diff> {
        let mut call = Invocation::new(&[
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-relative",
            "--no-abbrev",
            "--find-renames",
            "--submodule=short",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "-z",
            "--raw",
            "--numstat",
        ]);
        if let Detail::Patches(context) = detail {
            call = call.and("--patch").and(format!("--unified={context}"));
        }
        call = match between {
            Between::HeadAndIndex => call.and("--cached"),
            // Of a file in conflict, what differs from our side.
            Between::IndexAndFiles => call.and("--ours"),
            Between::CommitAndFiles(commit) => call.and("--end-of-options").and(commit.as_str()),
            Between::Commits(from, to) => {
                call.and("--end-of-options").and(from.as_str()).and(to.as_str())
            }
        };
        let call = call.and("--").and_all(self.pathspecs(files)?);
        let output = self.look(call).await?;
        let cut = output.cut;
        let mut diff = parse::diff(&output.done()?, self.directory)?;
        diff.cut |= cut;
        Ok(diff)
    }
}
