//! Opens the workspace of an agent: a directory of this machine, and a sandbox for its
//! commands that is made with the first of them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use garth_contract::{Aliases, BoxFuture, Code, DynFilesystem, Error, Result};
use garth_gateway::{Agent, AgentId, Closed, Opener, Settings};
use garth_host::Host;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use tokio::runtime::Handle;

use super::{
    data,
    git::GitRemotes,
    place::{Place, Places},
    sandboxes::{Placed, Sandboxes},
    versions::Versions,
};
use crate::providers;

/// The name under which every workspace's root is known.
const MOUNT: &[u8] = b"/workspace";

/// Workspaces in directories of this machine.
pub(crate) struct Directories {
    data: PathBuf,
    sandboxes: Sandboxes,
    versions: Versions,
    git: GitRemotes,
    runtime: Handle,
    /// Where and which directory it was that is open for an agent.
    opened: Places<Workspace>,
}

impl Directories {
    /// Those of agents that have no directory of their own lie below `data`.
    pub(crate) fn new(
        data: &Path,
        (sandboxes, versions, git): (Sandboxes, Versions, GitRemotes),
        runtime: Handle,
    ) -> Self {
        let (data, opened) = (data.to_owned(), Places::new());
        Self { data, sandboxes, versions, git, runtime, opened }
    }
}

impl Opener for Directories {
    fn open<'a>(&'a self, agent: &'a Agent) -> BoxFuture<'a, Result<Arc<Workspace>>> {
        Box::pin(async move {
            let Placed { commands, files, inside } = self.sandboxes.open(agent).await?;
            let directory = agent.settings.directory(&self.data, &agent.id);
            let (agent, versions) = (agent.clone(), self.versions.clone());
            let (id, remotes) = (agent.id.clone(), self.git.of(&agent));
            // Looked at before: one that is swapped meanwhile is then opened anew.
            let place = Place::of(&directory);
            let opening = move || open((&directory, files), &agent, &versions, commands);
            let opened = tokio::task::spawn_blocking(opening).await;
            let mut opened = opened.unwrap_or_else(|_| Err(Error::of(Code::Internal)))?;
            if let Some(inside) = inside {
                opened = opened.with_inside(inside);
            }
            if let Some(remotes) = remotes {
                let identity = self.git.identity().await;
                opened = opened.with_remotes(remotes).committing_as(identity);
            }
            let opened = Arc::new(opened);
            self.opened.put(id, &opened, place);
            Ok(opened)
        })
    }

    /// One call of the system, which is answered from memory. An agent that was given another
    /// directory has other settings, for which alone it is opened anew.
    fn is_current(&self, agent: &Agent) -> bool {
        self.opened.is_there(&agent.id)
    }

    fn closed(&self, agent: &Agent, why: Closed) {
        let (sandboxes, git, agent) = (self.sandboxes.clone(), self.git.clone(), agent.clone());
        self.runtime.spawn(async move {
            sandboxes.end(&agent, why).await;
            match why {
                Closed::Deleted => git.forget(&agent).await,
                Closed::Changed => {}
            }
        });
    }
}

fn open(
    (directory, files): (&Path, Option<Arc<dyn DynFilesystem>>),
    agent: &Agent,
    versions: &Versions,
    commands: Commands,
) -> Result<Workspace> {
    let (aliases, settings) = (Aliases::none().with(MOUNT), &agent.settings);
    let fs: Arc<dyn DynFilesystem> = match files {
        Some(files) => files,
        None => Arc::new(Host::open(directory, settings.policy(), aliases.clone())?),
    };
    let (fs, earlier) = versions.of(agent, fs);
    let redaction = settings.redaction.config();
    let parts = Parts { fs, commands, aliases, redaction, limits: Limits::standard() };
    Workspace::new(parts).map(|workspace| workspace.remembering(earlier))
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
