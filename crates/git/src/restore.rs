//! Files as they were.

use garth_contract::{Code, WsPath};

use crate::{Failed, Oid, Repository, Result, invocation::Invocation};

/// What is made as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restored {
    /// The files of the work tree.
    Files,
    /// The index: nothing of it is staged.
    Index,
    /// Both.
    Both,
}

impl Repository<'_> {
    /// Makes files as they are in a commit; as in the index, or for the index as in what is
    /// checked out, where none is given.
    ///
    /// # Errors
    /// `INVALID_PARAMS` where no file is named, `FILE_NOT_FOUND` for one that is not there.
    pub async fn restore(
        &self,
        files: &[WsPath],
        what: Restored,
        from: Option<&Oid>,
    ) -> Result<()> {
        if files.is_empty() {
            return Err(Failed::new(
                Code::InvalidParams,
                "no file to restore is named",
                "Name files; the repository's directory stands for all of them.",
            ));
        }
        let mut input = Vec::new();
        for name in self.pathspecs(files)? {
            input.extend_from_slice(&name);
            input.push(0);
        }
        let call = match (what, from) {
            // This one works before the first commit, too.
            (Restored::Index, None) => Invocation::new(&["reset", "--quiet"]),
            (Restored::Index, Some(_)) => Invocation::new(&["restore", "--staged"]),
            (Restored::Files, _) => Invocation::new(&["restore", "--worktree"]),
            (Restored::Both, _) => Invocation::new(&["restore", "--staged", "--worktree"]),
        };
        let call = match from {
            Some(oid) => call.and(format!("--source={oid}")),
            None => call,
        };
        let call = call.and("--pathspec-from-file=-").and("--pathspec-file-nul").reading(input);
        self.change(call).await?.done().map(drop)
    }
}
