//! Another branch or commit in the work tree.

use garth_contract::{Code, Error};

use crate::{Branch, Oid, Repository, Result, invocation::Invocation};

/// How a branch came to be checked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckedOut {
    /// It was there.
    Existing,
    /// It was made where the remote's of the same name is, and follows that.
    Tracking,
    /// It was made.
    Created,
}

impl Repository<'_> {
    /// Checks out a branch; one that is not there is made, at `start` or where the remote's
    /// of the same name is, else at what is checked out.
    ///
    /// # Errors
    /// `CONFLICT` where changes that are not committed would be lost, and where `start` is
    /// said of a branch that is there.
    /// Cancel: some of the files may be the other branch's; the branch is the old one.
    pub async fn checkout(&self, branch: &Branch, start: Option<&Oid>) -> Result<CheckedOut> {
        let (own, far) = (branch.full(), branch.tracking());
        let tips = self.tips(&[own.as_str(), far.as_str()]).await?;
        let there = |name| tips.iter().any(|tip| &tip.name == name);
        let (how, call) = if there(&own) {
            if start.is_some() {
                let message = "the branch is there already, and starts where it does";
                return Err(Error::new(Code::Conflict, message)
                    .hint("Leave out start, or choose another name.")
                    .into());
            }
            (CheckedOut::Existing, self.switch(&[]).and(branch.as_str()))
        } else if start.is_none() && there(&far) {
            let call = self.switch(&["--no-track", "-b"]).and(branch.as_str());
            (CheckedOut::Tracking, call.and(far.as_str()))
        } else {
            let call = self.switch(&["--no-track", "-b"]).and(branch.as_str());
            (CheckedOut::Created, call.and_all(start.map(|oid| oid.as_str().as_bytes().to_vec())))
        };
        self.change(call.and("--")).await?.done()?;
        if how == CheckedOut::Tracking {
            self.follow(branch).await?;
        }
        Ok(how)
    }

    /// Checks out a commit and no branch.
    ///
    /// # Errors
    /// As for [`checkout`](Self::checkout).
    pub async fn detach(&self, oid: &Oid) -> Result<()> {
        let call = self.switch(&["--detach"]).and(oid.as_str()).and("--");
        self.change(call).await?.done().map(drop)
    }

    fn switch(&self, options: &[&str]) -> Invocation {
        let words = ["checkout", "--quiet", "--no-guess", "--no-recurse-submodules"];
        Invocation::new(&[&words[..], options].concat())
    }

    /// Lets a branch follow the remote's of the same name, unless it follows something.
    ///
    /// # Errors
    /// Those of running git.
    pub async fn follow(&self, branch: &Branch) -> Result<()> {
        let key = |what: &str| format!("branch.{branch}.{what}");
        let asked = Invocation::new(&["config", "--local", "--get"]).and(key("merge"));
        if self.look(asked).await?.code == 0 {
            return Ok(());
        }
        for (key, value) in [(key("remote"), "origin"), (key("merge"), branch.full().as_str())] {
            self.set(&key, value).await?;
        }
        Ok(())
    }

    /// Says in the repository's configuration where its remote is, so that its agent sees
    /// it; who pushes and fetches does not read that.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for an address that could be read as an option.
    pub async fn name_origin(&self, url: &str) -> Result<()> {
        if url.starts_with('-') || url.chars().any(char::is_control) {
            let message = "the remote's address cannot be written down";
            return Err(Error::new(Code::InvalidParams, message).into());
        }
        self.set("remote.origin.url", url).await?;
        self.set("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*").await
    }

    async fn set(&self, key: &str, value: &str) -> Result<()> {
        let call = Invocation::new(&["config", "--local", "--replace-all"]).and(key).and(value);
        self.change(call).await?.done().map(drop)
    }
}
