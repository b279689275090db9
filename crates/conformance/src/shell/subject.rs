//! What is tested: a place that runs commands, and one fresh workspace of it.

use std::{future::Future, sync::Arc};

use garth_contract::{DynFilesystem, DynShell, Result, Shell};

use crate::{Arranged, Cannot, Nothing};

/// One kind of place that runs commands, which makes empty workspaces to be tested.
pub trait Backend {
    /// What the report calls it.
    fn name(&self) -> &str;

    /// What this system lacks for such a place to be there, so that it is skipped.
    fn missing(&self) -> Option<&'static str> {
        None
    }

    /// Makes a new, empty workspace in which nothing has run.
    fn make(&self) -> impl Future<Output = Result<Subject>>;
}

/// One empty workspace: its processes, its files, and what is true of the place.
///
/// Dropping the shell stops the workspace.
pub struct Subject {
    /// The shell under test.
    pub shell: Arc<dyn DynShell>,
    /// The same workspace's files, to plant some and to look at what became of them.
    pub files: crate::Subject,
    /// What the place says of itself.
    pub traits: Traits,
    /// What can be arranged around it; dropped last, with what the harness made.
    pub around: Box<dyn Around>,
}

impl Subject {
    /// A workspace around which nothing can be arranged.
    #[must_use]
    pub fn new(shell: impl Shell, files: Arc<dyn DynFilesystem>, traits: Traits) -> Self {
        let files = crate::Subject { fs: files, outside: Box::new(Nothing) };
        Self { shell: Arc::new(shell), files, traits, around: Box::new(Nothing) }
    }

    /// The same workspace with a hand behind its back.
    #[must_use]
    pub fn with(self, around: impl Around + 'static) -> Self {
        Self { around: Box::new(around), ..self }
    }
}

/// What is true of one place beside its abilities.
#[derive(Clone, Debug)]
pub struct Traits {
    /// Every variable that a command has which brings none of its own.
    ///
    /// `PWD`, `OLDPWD`, `SHLVL` and `_` need not be named: shells make them.
    pub environment: Vec<(String, String)>,
    /// How many bytes of one process's output are kept, if that is at most 16 MiB.
    pub spool: Option<u64>,
    /// How many commands may run at once, if that is at most 64; at least 24 must.
    pub processes: Option<usize>,
    /// How many that ended are known, if that is at most 64; at least 32 must be.
    pub kept: Option<usize>,
}

/// What can be done to a place from outside.
///
/// Every method is optional: left out, it answers that it cannot.
pub trait Around: Send + Sync {
    /// Makes the sandbox go away at once, as if its machine had died.
    fn lose(&self) -> Arranged {
        Err(Cannot("lose its sandbox"))
    }
}

impl Around for Nothing {}
