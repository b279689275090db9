//! What git has in a workspace: where it runs, who commits, and the remote.

use std::sync::Arc;

use garth_contract::{Code, DynShell, Error, Result, Timeout, WsPath};
use garth_git::{Hooks, Identity, Remotes, Repository};

use crate::{Commands, Workspace};

/// What git has beside the files and the commands.
pub(crate) struct Git {
    /// Where it runs in a workspace whose agent runs no commands.
    commands: Commands,
    identity: Identity,
    remotes: Option<Arc<dyn Remotes>>,
}

impl Git {
    pub(crate) fn usual() -> Self {
        Self { commands: Commands::None, identity: Identity::bot(), remotes: None }
    }
}

impl Workspace {
    /// The same workspace, whose git runs here where it runs no commands itself.
    #[must_use]
    pub fn with_git_in(mut self, commands: Commands) -> Self {
        self.git.commands = commands;
        self
    }

    /// The same workspace, whose commits are by somebody else than the usual bot.
    #[must_use]
    pub fn committing_as(mut self, identity: Identity) -> Self {
        self.git.identity = identity;
        self
    }

    /// The same workspace with a remote.
    #[must_use]
    pub fn with_remotes(mut self, remotes: Arc<dyn Remotes>) -> Self {
        self.git.remotes = Some(remotes);
        self
    }

    /// Whoever reaches its remote.
    ///
    /// # Errors
    /// `UNSUPPORTED` where it has none.
    pub fn remotes(&self) -> Result<&dyn Remotes> {
        self.git.remotes.as_deref().ok_or_else(|| {
            Error::new(Code::Unsupported, "no remote is configured")
                .hint("Ask the operator to set up the workspace's git remote.")
        })
    }

    /// Where its git runs.
    ///
    /// # Errors
    /// `UNSUPPORTED` where there is no sandbox for it, `READ_ONLY` where nothing may be
    /// changed and nothing keeps git from it.
    pub fn git_shell(&self) -> Result<&dyn DynShell> {
        match (&self.commands, &self.git.commands) {
            (Commands::None, Commands::In(shell) | Commands::Held(shell)) => Ok(&**shell),
            (Commands::None, Commands::None) => {
                let message = "this workspace has no sandbox that git could run in";
                Err(Error::new(Code::Unsupported, message).hint(
                    "Git runs in a sandbox only, and rules about single paths allow none; \
                     ask the operator.",
                ))
            }
            (Commands::In(_) | Commands::Held(_), _) => self.shell(),
        }
    }

    /// Tells whether git can be run.
    #[must_use]
    pub fn runs_git(&self) -> bool {
        self.git_shell().is_ok()
    }

    /// The repository at a directory; whether there is one, git will say.
    ///
    /// # Errors
    /// Those of [`git_shell`](Self::git_shell).
    pub fn repository<'a>(
        &'a self,
        directory: &'a WsPath,
        (hooks, timeout): (Hooks, Timeout),
    ) -> Result<Repository<'a>> {
        let (shell, fs, identity) = (self.git_shell()?, self.fs(), &self.git.identity);
        Ok(Repository { shell, fs, directory, identity, hooks, timeout })
    }
}
