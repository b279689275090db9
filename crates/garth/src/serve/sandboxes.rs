//! The sandboxes of a gateway's agents that outlive it unless they are ended: each is
//! known by its agent as it was set up, and ends when that is no more.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::future::join_all;
use garth_contract::{Code, DynFilesystem, Error, Policy, Result};
use garth_gateway::{Agent, AgentId, Closed, Gateway, Registry, Settings, State};
use garth_workspace::{Commands, Inside};
use tokio::{sync::OnceCell, time};

use crate::providers::{Kept, Opened, Owner, Providers, USUAL, Wanted};

/// How long the end of a sandbox is waited for; what is left is found at the next start.
const END: Duration = Duration::from_secs(30);

/// The sandboxes; clones are the same.
#[derive(Clone)]
pub(crate) struct Sandboxes(Arc<Shared>);

struct Shared {
    providers: Providers,
    data: PathBuf,
    /// Directories of this machine that are seen in sandboxes which are worked in as a
    /// whole.
    seen: Vec<PathBuf>,
    open: Mutex<HashMap<AgentId, Arc<Sandbox>>>,
    /// Raised, while those that are open are looked at, when no other may be.
    closed: AtomicBool,
}

/// Where the commands of one agent run.
#[derive(Clone)]
pub(crate) struct Placed {
    /// Its commands.
    pub(crate) commands: Commands,
    /// Its files, where they are in a sandbox.
    pub(crate) files: Option<Arc<dyn DynFilesystem>>,
    /// The whole sandbox, where it can be worked in.
    pub(crate) inside: Option<Inside>,
}

/// The sandbox of one agent as it was set up.
struct Sandbox {
    agent: Agent,
    placed: Placed,
    kept: Arc<dyn Kept>,
    ends: AtomicBool,
    ended: OnceCell<()>,
}

impl Sandboxes {
    /// Those of the gateway whose data this is; `seen` is shown in those that are worked
    /// in as a whole.
    pub(crate) fn new(providers: Providers, data: &Path, seen: Vec<PathBuf>) -> Self {
        let (open, closed) = (Mutex::default(), AtomicBool::new(false));
        Self(Arc::new(Shared { providers, data: data.to_owned(), seen, open, closed }))
    }

    /// What an agent's sandbox sees of this machine beside the system.
    fn seen(&self, settings: &Settings) -> &[PathBuf] {
        // What a container has in it is its image's.
        if settings.home && settings.provider == USUAL { &self.0.seen } else { &[] }
    }

    /// Looks whether an agent's commands could run as it is to be set up.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a provider that there is not; `PROVIDER_UNAVAILABLE` with what
    /// it needs.
    pub(crate) async fn ready(&self, id: &AgentId, settings: &Settings) -> Result<()> {
        let (roots, policy) = self.asked(id, settings);
        let wanted = Wanted {
            workspace: id.as_str(),
            roots: &roots,
            policy: &policy,
            reach: &[],
            visible: self.seen(settings),
            seat: settings.seat(),
            system: settings.system.as_deref(),
        };
        self.0.providers.ready(&settings.provider, &wanted).await
    }

    /// Where the commands of an agent run, and its files where they are in the same place.
    /// A sandbox that it had when it was set up otherwise is ended first.
    ///
    /// # Errors
    /// Those of the provider; none because something that it needs is not there.
    pub(crate) async fn open(&self, agent: &Agent) -> Result<Placed> {
        let before = self.lock().get(&agent.id).cloned();
        if let Some(before) = before {
            if before.is_of(agent) && !before.ends.load(Ordering::SeqCst) {
                return Ok(before.placed.clone());
            }
            let same = before.agent.created_ms == agent.created_ms;
            before.end(if same { Closed::Changed } else { Closed::Deleted }).await;
        }
        let (roots, policy) = self.asked(&agent.id, &agent.settings);
        let name = name(agent);
        let wanted = Wanted {
            workspace: &name,
            roots: &roots,
            policy: &policy,
            reach: &[],
            visible: self.seen(&agent.settings),
            seat: agent.settings.seat(),
            system: agent.settings.system.as_deref(),
        };
        let opened = self.0.providers.open(&agent.settings.provider, &wanted)?;
        let Opened { mut commands, inside, kept, whole } = opened;
        let mut files: Option<Arc<dyn DynFilesystem>> = None;
        if let Some(whole) = whole {
            let remote = whole.enter().await?;
            commands = Commands::Held(Arc::new(remote.clone()));
            files = Some(Arc::new(remote));
        }
        let placed = Placed { commands, files, inside };
        let Some(kept) = kept else {
            self.lock().remove(&agent.id);
            return Ok(placed);
        };
        let sandbox = Arc::new(Sandbox {
            agent: agent.clone(),
            placed: placed.clone(),
            kept,
            ends: AtomicBool::new(false),
            ended: OnceCell::new(),
        });
        if self.keep(&sandbox) {
            return Ok(placed);
        }
        sandbox.end(Closed::Changed).await;
        Err(Error::new(Code::ProviderUnavailable, "the gateway stops"))
    }

    /// Keeps a sandbox until it is ended, unless all are by now.
    fn keep(&self, sandbox: &Arc<Sandbox>) -> bool {
        let mut open = self.lock();
        let keeps = !self.0.closed.load(Ordering::SeqCst);
        if keeps {
            open.insert(sandbox.agent.id.clone(), Arc::clone(sandbox));
        }
        keeps
    }

    /// Ends the sandbox that an agent had as it was set up, if it had one.
    pub(crate) async fn end(&self, agent: &Agent, why: Closed) {
        let found = self.lock().get(&agent.id).cloned();
        if let Some(sandbox) = found.filter(|sandbox| sandbox.is_of(agent)) {
            sandbox.end(why).await;
            self.forget(&sandbox);
        }
    }

    /// Ends all of them, since the gateway stops; no other is opened after.
    pub(crate) async fn end_all(&self) {
        let all: Vec<_> = {
            let open = self.lock();
            self.0.closed.store(true, Ordering::SeqCst);
            open.values().cloned().collect()
        };
        join_all(all.iter().map(|sandbox| sandbox.end(Closed::Changed))).await;
    }

    /// Looks for what an earlier life of this gateway left: what is still wanted is met
    /// again, and the rest is removed.
    pub(crate) async fn sweep(&self, gateway: &Gateway) {
        let wanted = match agents(gateway.registry()).await {
            Ok(agents) => agents,
            // Whoever asks next is told of it.
            Err(_) => return,
        };
        for provider in self.0.providers.all() {
            let left = match provider.left().await {
                Ok(left) => left,
                Err(error) => {
                    let (provider, code) = (provider.name(), error.code().row().name);
                    tracing::debug!(provider, code, "What is left cannot be looked for.");
                    continue;
                }
            };
            for left in left {
                let agent = wanted.get(&left.workspace).filter(|agent| {
                    agent.settings.provider == provider.name() && agent.state == State::Active
                });
                let done = match agent {
                    Some(agent) => gateway.open_workspace(&agent.id).await,
                    None => provider.remove(&left).await,
                };
                let met = agent.is_some();
                tracing::info!(
                    provider = provider.name(),
                    met,
                    ok = done.is_ok(),
                    "A sandbox was left."
                );
            }
        }
        let names: HashSet<_> = wanted.into_keys().collect();
        let Owner { name, run } = self.0.providers.owner();
        let _ = garth_remote::container::forget(run, name, |workspace| names.contains(workspace));
    }

    fn asked(&self, id: &AgentId, settings: &Settings) -> ([(PathBuf, String); 1], Policy) {
        let directory = settings.directory(&self.0.data, id);
        ([(directory, String::new())], settings.policy())
    }

    /// Lets go of one that has ended, unless there is another by now.
    fn forget(&self, sandbox: &Arc<Sandbox>) {
        let mut open = self.lock();
        if open.get(&sandbox.agent.id).is_some_and(|there| Arc::ptr_eq(there, sandbox)) {
            open.remove(&sandbox.agent.id);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AgentId, Arc<Sandbox>>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sandbox {
    fn is_of(&self, agent: &Agent) -> bool {
        self.agent.created_ms == agent.created_ms && self.agent.settings == agent.settings
    }

    /// Ends it, once, however many ask for it; all of them wait.
    async fn end(&self, why: Closed) {
        self.ends.store(true, Ordering::SeqCst);
        let end = || async {
            let ending = match why {
                Closed::Deleted => self.kept.remove(),
                Closed::Changed => self.kept.stop(),
            };
            let ended = time::timeout(END, ending).await;
            let code = match &ended {
                Ok(Ok(())) => return,
                Ok(Err(error)) => Error::code(error).row().name,
                Err(_) => "too late",
            };
            tracing::warn!(code, "A sandbox could not be ended; the next start looks for it.");
        };
        self.ended.get_or_init(end).await;
    }
}

/// What the sandbox of an agent is called: another agent of the same id has another.
pub(super) fn name(agent: &Agent) -> String {
    format!("{}@{}", agent.id, agent.created_ms)
}

/// Every agent, by what its sandbox is called.
pub(super) async fn agents(registry: &Registry) -> Result<HashMap<String, Agent>> {
    let mut all = HashMap::new();
    let mut after = String::new();
    loop {
        let page = registry.list(&after, u32::MAX).await?;
        let Some(last) = page.last() else { return Ok(all) };
        after = last.id.to_string();
        all.extend(page.into_iter().map(|agent| (name(&agent), agent)));
    }
}
