//! Where a workspace's commands run, if it runs any.

use std::{fmt, sync::Arc};

use garth_contract::{Code, DynShell, Error, Result, Shell};

use crate::Workspace;

/// Where a workspace's commands run.
#[derive(Clone)]
pub enum Commands {
    /// It runs none.
    None,
    /// In this place, whose files are those of the workspace, and where a command can
    /// change any of them.
    In(Arc<dyn DynShell>),
    /// In this place, which itself keeps a command from what the workspace forbids.
    Held(Arc<dyn DynShell>),
}

impl Commands {
    /// Commands run in this place.
    #[must_use]
    pub fn in_shell(shell: impl Shell) -> Self {
        Self::In(Arc::new(shell))
    }
}

impl fmt::Debug for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::In(_) => f.write_str("In(shell)"),
            Self::Held(_) => f.write_str("Held(shell)"),
        }
    }
}

impl Workspace {
    /// The place where its commands run.
    ///
    /// # Errors
    /// `UNSUPPORTED` where it runs none, `READ_ONLY` where nothing may be changed,
    /// since a command could.
    pub fn shell(&self) -> Result<&dyn DynShell> {
        match &self.commands {
            Commands::Held(shell) => Ok(&**shell),
            Commands::In(shell) if self.fs.abilities().write => Ok(&**shell),
            Commands::In(_) => {
                let message = "a command could change files, and the workspace is read-only";
                Err(Error::new(Code::ReadOnly, message))
            }
            Commands::None => Err(Error::new(Code::Unsupported, "this workspace runs no commands")
                .hint("Use the tools for files, or ask the operator for a sandbox.")),
        }
    }

    /// Where its commands run.
    #[must_use]
    pub fn commands(&self) -> &Commands {
        &self.commands
    }

    /// Tells whether it runs commands.
    #[must_use]
    pub fn runs_commands(&self) -> bool {
        self.shell().is_ok()
    }
}
