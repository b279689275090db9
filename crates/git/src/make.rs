//! A new repository, and what was brought from elsewhere in the work tree.

use garth_contract::{Code, Kind, Links, WsPath};

use crate::{Branch, Failed, Hooks, Oid, Repository, Result, invocation::Invocation};

/// What came of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Everything was there already.
    Nothing,
    /// The branch is now here.
    At(Oid),
    /// These files are in conflict, and the merge waits for whoever resolves them.
    Conflicts(Vec<WsPath>),
}

/// What may be done with two branches that have both moved on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diverged {
    /// It is an error.
    Refused,
    /// They are merged, by the bot.
    Merged,
}

impl Repository<'_> {
    /// Makes a repository, with nothing in it but what is in the directory; no template is
    /// taken, so it has no hooks.
    ///
    /// # Errors
    /// `DESTINATION_EXISTS` where there is one.
    pub async fn init(&self, branch: &Branch) -> Result<()> {
        let git = self.directory.join(b".git")?;
        if self.fs.stat(&git, Links::Keep).await.is_ok() {
            return Err(Failed::new(
                Code::DestinationExists,
                "there is a repository already",
                "Look at action status.",
            ));
        }
        let call = Invocation::new(&["init", "--quiet", "--template="])
            .and(format!("--initial-branch={branch}"));
        self.change(call).await?.done().map(drop)
    }

    /// Brings a commit and what leads to it into the branch that is checked out.
    ///
    /// # Errors
    /// `CONFLICT` where changes that are not committed would be lost, and where both have
    /// moved on and that is refused.
    pub async fn merge(&self, commit: &Oid, diverged: Diverged) -> Result<Merged> {
        let head = self.find(&crate::Revision::head()).await?;
        let mut call = Invocation::new(&["merge", "--quiet", "--no-edit", "--no-gpg-sign"])
            .and("--no-stat")
            .and("--no-verify-signatures")
            .and("--no-autostash");
        if self.hooks == Hooks::Off {
            call = call.and("--no-verify");
        }
        call = match diverged {
            Diverged::Refused => call.and("--ff-only"),
            Diverged::Merged => call.and("--ff"),
        };
        let output = self.change(call.and(commit.as_str())).await?;
        if output.code != 0 {
            let conflicts = self.status(&[]).await?.conflicts;
            if output.code == 1 && !conflicts.is_empty() {
                let paths = conflicts.into_iter().map(|conflict| conflict.path);
                return Ok(Merged::Conflicts(paths.collect()));
            }
            return Err(output.failed());
        }
        let now = self.resolve(&crate::Revision::head()).await?;
        Ok(if Some(&now) == head.as_ref() { Merged::Nothing } else { Merged::At(now) })
    }
}

/// The top of the work tree that a directory is in: the nearest one with a `.git` in it, a
/// directory or, in a work tree beside another, a file.
///
/// # Errors
/// `GIT_FAILED` where there is none in the workspace; those of looking at the directory.
pub async fn discover(
    fs: &dyn garth_contract::DynFilesystem,
    directory: &WsPath,
) -> Result<WsPath> {
    if !directory.is_root() {
        let entry = fs.stat(directory, Links::Follow).await?;
        if entry.kind != Kind::Dir {
            return Err(garth_contract::Error::at(Code::NotADirectory, directory).into());
        }
    }
    let mut at = directory.clone();
    loop {
        if fs.stat(&at.join(b".git")?, Links::Keep).await.is_ok() {
            return Ok(at);
        }
        match at.parent() {
            Some(parent) => at = parent,
            None => {
                return Err(Failed::new(
                    Code::GitFailed,
                    "there is no git repository here",
                    "Name its directory with path, or make one with action init or clone.",
                ));
            }
        }
    }
}
