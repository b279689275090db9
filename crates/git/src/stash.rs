//! Changes that are put aside.

use bytes::Bytes;
use garth_contract::{Code, Error, WsPath};

use crate::{
    Failed, Oid, Repository, Result, Revision,
    invocation::Invocation,
    records::{Records, number},
};

/// Changes that were put aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stashed {
    /// Its place in the list: 0 is the newest.
    pub index: u64,
    /// The commit that holds them.
    pub oid: Oid,
    /// When they were put aside.
    pub time: u64,
    /// What is said of them: content of the repository.
    pub message: Bytes,
}

/// Whether files that git does not know are put aside too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// They stay.
    Left,
    /// They go too.
    Taken,
}

/// What becomes of a stash whose changes come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It stays in the list.
    Kept,
    /// It is taken off the list.
    Dropped,
}

impl Repository<'_> {
    /// Puts changes aside; those of these files alone, where some are named. `None` where
    /// there was nothing to put aside.
    ///
    /// # Errors
    /// `GIT_FAILED` before the first commit, `CONFLICT` while there are conflicts.
    pub async fn stash(
        &self,
        message: Option<&str>,
        files: &[WsPath],
        unknown: Unknown,
    ) -> Result<Option<Oid>> {
        let before = self.find(&Revision::own("refs/stash")).await?;
        let mut call = Invocation::new(&["stash", "push", "--quiet"]);
        if let Some(message) = message {
            call = call.and(format!("--message={message}"));
        }
        if unknown == Unknown::Taken {
            call = call.and("--include-untracked");
        }
        // It cleans up by a pattern of its own, and would leave what it put aside.
        let names = self.pathspecs(files)?.into_iter().map(|name| match name.as_slice() {
            b"." => b":(top)".to_vec(),
            name => [b":(top,literal)", name].concat(),
        });
        let call = call.and("--").and_all(names).with_patterns();
        self.change(call).await?.done()?;
        let after = self.find(&Revision::own("refs/stash")).await?;
        Ok(after.filter(|after| Some(after) != before.as_ref()))
    }

    /// What is put aside, newest first.
    ///
    /// # Errors
    /// Those of running git.
    pub async fn stashes(&self) -> Result<Vec<Stashed>> {
        if self.find(&Revision::own("refs/stash")).await?.is_none() {
            return Ok(Vec::new());
        }
        let format = "--format=tformat:%H%x00%ct%x00%gs";
        let call = Invocation::new(&["log", "-z", "--no-color", "--no-decorate", format])
            .and("--walk-reflogs")
            .and("--max-count=1000")
            .and("refs/stash")
            .and("--");
        parse(&self.look(call).await?.whole()?)
    }

    /// Brings changes back. Where they are in conflict with what is there, the stash stays.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for one that is not there, `CONFLICT`.
    pub async fn unstash(&self, index: u64, then: Then) -> Result<Oid> {
        let oid = self.stashed(index).await?;
        let verb = match then {
            Then::Kept => "apply",
            Then::Dropped => "pop",
        };
        let call = Invocation::new(&["stash", verb, "--quiet"])
            .with_patterns()
            .and(format!("stash@{{{index}}}"));
        let output = self.change(call).await?;
        if output.code != 0 {
            let conflict = memchr::memmem::find(&output.stdout, b"CONFLICT").is_some();
            if conflict || self.status(&[]).await.is_ok_and(|now| !now.conflicts.is_empty()) {
                return Err(Failed::new(
                    Code::Conflict,
                    "what was put aside is in conflict with what is there; it is kept",
                    "Resolve the conflicts, commit, then drop the stash.",
                ));
            }
            return Err(output.failed());
        }
        Ok(oid)
    }

    /// Forgets what was put aside.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for one that is not there.
    pub async fn drop_stash(&self, index: u64) -> Result<Oid> {
        let oid = self.stashed(index).await?;
        let call = Invocation::new(&["stash", "drop", "--quiet"]).and(format!("stash@{{{index}}}"));
        self.change(call).await?.done()?;
        Ok(oid)
    }

    async fn stashed(&self, index: u64) -> Result<Oid> {
        let found = self.stashes().await?.into_iter().find(|stash| stash.index == index);
        found.map(|stash| stash.oid).ok_or_else(|| {
            Error::new(Code::InvalidParams, format!("there is no stash {index}"))
                .hint("List them with action stash, operation list.")
                .into()
        })
    }
}

fn parse(printed: &Bytes) -> Result<Vec<Stashed>> {
    let mut stashes = Vec::new();
    let mut records = Records::new(printed);
    while let Some(oid) = records.next() {
        let (Some(time), Some(message)) = (records.next(), records.next()) else {
            return Err(Failed::unread());
        };
        stashes.push(Stashed {
            index: stashes.len() as u64,
            oid: Oid::of(oid).ok_or_else(Failed::unread)?,
            time: number(time).unwrap_or(0),
            message: printed.slice_ref(message),
        });
    }
    Ok(stashes)
}
