//! A repository of a workspace, and the one place where git is started.

use bytes::Bytes;
use garth_contract::{
    Announce, Cause, Code, DynFilesystem, DynShell, Error, Exit, Timeout, WsPath,
};

use crate::{
    Failed, Hooks, Identity, Oid, Result, Revision,
    invocation::{Invocation, Looks},
};

/// A directory of a workspace in which git is run, where the workspace's commands run.
#[derive(Clone, Copy)]
pub struct Repository<'a> {
    /// Where git runs: the workspace's sandbox.
    pub shell: &'a dyn DynShell,
    /// The workspace's files, as they are seen from outside.
    pub fs: &'a dyn DynFilesystem,
    /// The directory, from the workspace's root: a work tree's top, or one below it.
    pub directory: &'a WsPath,
    /// Who commits.
    pub identity: &'a Identity,
    /// Whether the repository's hooks run where something is changed.
    pub hooks: Hooks,
    /// How long each call of git may take.
    pub timeout: Timeout,
}

/// What git printed.
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: Bytes,
    /// Whether there was more than is kept.
    pub(crate) cut: bool,
    pub(crate) stderr: Bytes,
}

impl Output {
    /// What was printed, where git did what it was asked.
    pub(crate) fn done(self) -> Result<Bytes> {
        if self.code == 0 { Ok(self.stdout) } else { Err(self.failed()) }
    }

    /// The same, where all of it is needed.
    pub(crate) fn whole(self) -> Result<Bytes> {
        if self.code == 0 && self.cut { Err(Failed::too_much()) } else { self.done() }
    }

    /// Why git did not do it.
    pub(crate) fn failed(self) -> Failed {
        Failed::of(self.code, self.stderr, &self.stdout)
    }
}

impl Repository<'_> {
    /// Runs git to look at something.
    pub(crate) async fn look(&self, call: Invocation) -> Result<Output> {
        self.run(call, Looks::Only).await
    }

    /// Runs git to change something.
    pub(crate) async fn change(&self, call: Invocation) -> Result<Output> {
        self.run(call.hooks(self.hooks), Looks::Changes).await
    }

    /// Cancel: git is killed, with all that it started.
    async fn run(&self, call: Invocation, looks: Looks) -> Result<Output> {
        let command = call.command((self.directory, self.identity), (looks, self.timeout))?;
        let report = self.shell.run(command, Announce::nobody()).await?;
        match report.ended.cause {
            Cause::Timeout => {
                let millis = self.timeout.duration().as_millis();
                let message = format!("git ran out of time after {millis} ms");
                let hint = "Allow more time with timeout_ms, or ask for less.";
                return Err(Error::new(Code::CommandTimeout, message).hint(hint).into());
            }
            Cause::Quota => return Err(Error::of(Code::QuotaExceeded).into()),
            Cause::Ended => return Err(Error::of(Code::Cancelled).into()),
            Cause::Itself => {}
        }
        match report.ended.exit {
            Exit::Code(127) => Err(Failed::missing()),
            exit @ (Exit::Code(_) | Exit::Signal(_)) => Ok(Output {
                code: exit.code(),
                cut: report.stdout.missing() > 0,
                // Of little, all of it is in the head.
                stdout: report.stdout.head,
                stderr: report.stderr.head,
            }),
        }
    }

    /// The names of files as git takes them: literally, from where it runs.
    ///
    /// # Errors
    /// `PATH_OUTSIDE_WORKSPACE` for one that is not below the repository's top.
    pub(crate) fn pathspecs(&self, files: &[WsPath]) -> Result<Vec<Vec<u8>>> {
        let names = files.iter().map(|file| match file.below(self.directory) {
            Some(b"") => Ok(b".".to_vec()),
            Some(name) => Ok(name.to_vec()),
            None => {
                let error = Error::at(Code::PathOutsideWorkspace, file);
                let error = error.reword(format!("outside the repository: {file}"));
                let hint = "Name files of this repository, from the workspace's root.";
                Err(Failed::from(error.hint(hint)))
            }
        });
        names.collect()
    }

    /// The commit that an expression means.
    ///
    /// # Errors
    /// `INVALID_PARAMS` where it means none.
    pub async fn resolve(&self, revision: &Revision) -> Result<Oid> {
        self.find(revision).await?.ok_or_else(|| {
            let message = format!("there is no commit {:?}", revision.as_str());
            Error::new(Code::InvalidParams, message)
                .hint("List the branches with action branch, the commits with action log.")
                .into()
        })
    }

    /// The commit that an expression means, if it means one.
    ///
    /// # Errors
    /// Those of running git: that there is no repository, among others.
    pub async fn find(&self, revision: &Revision) -> Result<Option<Oid>> {
        let call = Invocation::new(&["rev-parse", "--verify", "--quiet", "--end-of-options"])
            .and(format!("{}^{{commit}}", revision.as_str()));
        let output = self.look(call).await?;
        match output.code {
            0 => {
                let line = output.stdout.trim_ascii();
                Oid::of(line).map(Some).ok_or_else(Failed::unread)
            }
            // Quiet, it says nothing where there is none.
            1 | 128 if output.stderr.is_empty() => Ok(None),
            _ if output.stderr.starts_with(b"fatal: Needed a single revision") => Ok(None),
            _ => Err(output.failed()),
        }
    }
}
