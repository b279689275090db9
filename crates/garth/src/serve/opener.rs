//! Opens the workspace of an agent: a directory of this machine, and a sandbox for its
//! commands that is made with the first of them.

use std::{path::Path, sync::Arc};

use garth_contract::{Aliases, BoxFuture, Code, Error, Result};
use garth_gateway::{Agent, AgentId, Closed, Opener, Settings};
use garth_host::Host;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use tokio::runtime::Handle;

use super::{data, sandboxes::Sandboxes};
use crate::providers;

/// The name under which every workspace's root is known.
const MOUNT: &[u8] = b"/workspace";

/// Workspaces in directories of this machine.
pub(crate) struct Directories {
    data: std::path::PathBuf,
    sandboxes: Sandboxes,
    runtime: Handle,
}

impl Directories {
    /// Those of agents that have no directory of their own lie below `data`.
    pub(crate) fn new(data: &Path, sandboxes: Sandboxes, runtime: Handle) -> Self {
        Self { data: data.to_owned(), sandboxes, runtime }
    }
}

impl Opener for Directories {
    fn open<'a>(&'a self, agent: &'a Agent) -> BoxFuture<'a, Result<Arc<Workspace>>> {
        Box::pin(async move {
            let commands = self.sandboxes.open(agent).await?;
            let directory = agent.settings.directory(&self.data, &agent.id);
            let settings = agent.settings.clone();
            let open = move || open(&directory, &settings, commands);
            let opened = tokio::task::spawn_blocking(open).await;
            opened.unwrap_or_else(|_| Err(Error::of(Code::Internal))).map(Arc::new)
        })
    }

    fn closed(&self, agent: &Agent, why: Closed) {
        let (sandboxes, agent) = (self.sandboxes.clone(), agent.clone());
        self.runtime.spawn(async move { sandboxes.end(&agent, why).await });
    }
}

fn open(directory: &Path, settings: &Settings, commands: Commands) -> Result<Workspace> {
    let aliases = Aliases::none().with(MOUNT);
    let fs = Arc::new(Host::open(directory, settings.policy(), aliases.clone())?);
    let redaction = settings.redaction.config();
    Workspace::new(Parts { fs, commands, aliases, redaction, limits: Limits::standard() })
}

/// Makes the directory of an agent that has none of its own.
///
/// # Errors
/// `INTERNAL` where it cannot be made; `INVALID_PARAMS` for a provider that there is not.
pub(crate) fn make_directory(data: &Path, id: &AgentId, settings: &Settings) -> Result<()> {
    providers::check_name(&settings.provider)?;
    match settings.directory {
        Some(_) => Ok(()),
        None => data::make(&settings.directory(data, id)),
    }
}
