//! Opens the workspace of an agent: a directory of this machine, and a sandbox for its
//! commands that is made with the first of them.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use garth_contract::{Aliases, BoxFuture, Code, Error, Result};
use garth_gateway::{Agent, AgentId, Opener, Settings};
use garth_host::Host;
use garth_workspace::{Commands, Limits, Parts, Workspace};

use super::{data, versions::Versions};
use crate::sandbox;

/// The name under which every workspace's root is known.
const MOUNT: &[u8] = b"/workspace";

/// Workspaces in directories of this machine.
pub(crate) struct Directories {
    data: PathBuf,
    versions: Versions,
    /// Which directory it was that is open for an agent.
    opened: Mutex<HashMap<AgentId, Identity>>,
}

/// What tells two directories apart: the device and the number there.
type Identity = (u64, u64);

impl Directories {
    /// Those of agents that have no directory of their own lie below `data`.
    pub(crate) fn new(data: &Path, versions: Versions) -> Self {
        Self { data: data.to_owned(), versions, opened: Mutex::default() }
    }
}

impl Opener for Directories {
    fn open<'a>(&'a self, agent: &'a Agent) -> BoxFuture<'a, Result<Arc<Workspace>>> {
        Box::pin(async move {
            let directory = agent.settings.directory(&self.data, &agent.id);
            let (agent, versions) = (agent.clone(), self.versions.clone());
            let id = agent.id.clone();
            // Looked at before: one that is swapped meanwhile is then opened anew.
            let identity = identity(&directory);
            let opening = move || open(&directory, &agent, &versions);
            let opened = tokio::task::spawn_blocking(opening).await;
            let opened = opened.unwrap_or_else(|_| Err(Error::of(Code::Internal))).map(Arc::new)?;
            let mut all = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            all.extend(identity.map(|identity| (id, identity)));
            Ok(opened)
        })
    }

    /// One call of the system, which is answered from memory.
    fn is_current(&self, agent: &Agent) -> bool {
        let all = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = all.get(&agent.id).copied() else { return true };
        drop(all);
        identity(&agent.settings.directory(&self.data, &agent.id)) == Some(known)
    }
}

/// Which directory is at a path now, if one is.
fn identity(directory: &Path) -> Option<Identity> {
    rustix::fs::stat(directory).ok().map(|facts| (facts.st_dev, facts.st_ino))
}

fn open(directory: &Path, agent: &Agent, versions: &Versions) -> Result<Workspace> {
    let settings = &agent.settings;
    let (aliases, policy) = (Aliases::none().with(MOUNT), settings.policy());
    let fs = Arc::new(Host::open(directory, policy.clone(), aliases.clone())?);
    let (fs, earlier) = versions.of(agent, fs);
    let commands = match settings.provider.as_str() {
        "local" => sandbox::commands(&[(directory.to_owned(), String::new())], &policy, &[])?,
        "none" => Commands::None,
        other => return Err(unknown(other)),
    };
    let redaction = settings.redaction.config();
    let parts = Parts { fs, commands, aliases, redaction, limits: Limits::standard() };
    Workspace::new(parts).map(|workspace| workspace.remembering(earlier))
}

/// Makes the directory of an agent that has none of its own.
///
/// # Errors
/// `INTERNAL` where it cannot be made; `INVALID_PARAMS` for a provider that there is not.
pub(crate) fn make_directory(data: &Path, id: &AgentId, settings: &Settings) -> Result<()> {
    match settings.provider.as_str() {
        "local" | "none" => {}
        other => return Err(unknown(other)),
    }
    match settings.directory {
        Some(_) => Ok(()),
        None => data::make(&settings.directory(data, id)),
    }
}

fn unknown(provider: &str) -> Error {
    let message = format!("there is no provider {provider:?}");
    Error::new(Code::InvalidParams, message).hint("Providers are local and none.")
}
