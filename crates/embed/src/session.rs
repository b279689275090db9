//! An agent's session: the tools, and the files that they work on now.

use std::sync::{Arc, PoisonError, RwLock};

use garth_contract::Result;
use garth_memory::Snapshot;
use garth_workspace::Workspace;
use serde_json::Value;

use crate::{Registry, Setup, TextFiles, ToolResult};

/// The tools of a registry on one agent's files.
///
/// The files can be exchanged; a call works on those that were active when it
/// began, to its end.
#[derive(Debug)]
pub struct Session {
    registry: Arc<Registry>,
    active: RwLock<Active>,
}

#[derive(Clone)]
struct Active {
    setup: Setup,
    workspace: Arc<Workspace>,
}

impl std::fmt::Debug for Active {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.setup.backend.fmt(f)
    }
}

impl Active {
    fn new(setup: Setup) -> Result<Self> {
        Ok(Self { workspace: setup.workspace()?, setup })
    }
}

impl Session {
    /// A session with these tools on these files.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a pattern of the redaction that cannot be used.
    pub fn new(registry: Arc<Registry>, setup: Setup) -> Result<Self> {
        Ok(Self { registry, active: RwLock::new(Active::new(setup)?) })
    }

    /// Its tools.
    #[must_use]
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The workspace that calls work on from now on.
    #[must_use]
    pub fn workspace(&self) -> Arc<Workspace> {
        self.active().workspace
    }

    /// What the workspace is made of.
    #[must_use]
    pub fn setup(&self) -> Setup {
        self.active().setup
    }

    /// Calls a tool; see [`Registry::call`].
    ///
    /// Cancel: the tool is dropped where it waits.
    pub async fn call(&self, name: &str, params: Value) -> ToolResult {
        self.registry.call(&self.workspace(), name, params).await
    }

    /// Calls a tool with the text that a model wrote; see [`Registry::call_text`].
    ///
    /// Cancel: the tool is dropped where it waits.
    pub async fn call_text(&self, name: &str, params: &str) -> ToolResult {
        self.registry.call_text(&self.workspace(), name, params).await
    }

    /// Puts other files in place of the active ones, which it gives back.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a pattern of the redaction that cannot be used; the
    /// active files stay.
    pub fn swap(&self, setup: Setup) -> Result<Setup> {
        let next = Active::new(setup)?;
        let mut active = self.active.write().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::replace(&mut *active, next).setup)
    }

    /// A second session with the same tools and files, from now on independent.
    ///
    /// # Errors
    /// `UNSUPPORTED` unless the files are in RAM.
    pub fn fork(&self) -> Result<Self> {
        let setup = self.setup();
        let backend = setup.backend.fork()?;
        Self::new(Arc::clone(&self.registry), Setup { backend, ..setup })
    }

    /// Keeps what the files are now.
    ///
    /// # Errors
    /// `UNSUPPORTED` unless the files are in RAM.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.setup().backend.snapshot()
    }

    /// Makes the files what they were, in one step.
    ///
    /// # Errors
    /// `UNSUPPORTED` unless the files are in RAM; `QUOTA_EXCEEDED` when a snapshot
    /// of other files has no room here.
    pub fn restore(&self, snapshot: &Snapshot) -> Result<()> {
        self.setup().backend.restore(snapshot)
    }

    /// The view of the files for agents that read and write texts only.
    #[must_use]
    pub fn text_files(&self) -> TextFiles {
        TextFiles::new(self.workspace())
    }

    fn active(&self) -> Active {
        self.active.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
