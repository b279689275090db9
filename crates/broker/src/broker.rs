//! The broker: what holds the credentials, and what workspaces have instead of them.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use garth_contract::{Code, Error, Result};
use garth_git::Identity;
use tokio::sync::{OwnedMutexGuard, Semaphore, SemaphorePermit, watch};

use crate::{
    address::Address,
    credential::{Credential, Kind},
    git::Git,
    github,
    http::Client,
    limits::Limits,
    mirror::Mirror,
    own_files,
    policy::Policy,
    quarantine::{blocking, wipe},
    tokens::{Now, Tokens},
};

/// How many pushes and fetches may be under way, of all workspaces together.
const MOST_AT_ONCE: usize = 16;

/// How long it is not asked again who the bot is, where the answer could not be had.
const ASK_AGAIN: Duration = Duration::from_secs(60);

/// What the operator set up.
#[derive(Clone, Debug)]
pub struct Config {
    /// A directory for nobody else, made where it is missing.
    pub directory: PathBuf,
    /// How much a repository may be.
    pub limits: Limits,
    /// What proves who pushes.
    pub credentials: Vec<Credential>,
    /// Hosts that may be spoken to in the clear, beside this machine.
    pub plain_hosts: Vec<String>,
    /// Certificates that are trusted in place of the system's.
    pub certificates: Option<PathBuf>,
    /// Who commits, where it is not the bot of the first app.
    pub bot: Option<Identity>,
    /// What time it is.
    pub now: Now,
}

/// Where the repository of a workspace is, as the operator set it up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Its address, without a credential.
    pub url: String,
    /// The name of a credential; without one, that of the address's host, if there is one.
    pub credential: Option<String>,
}

/// Holds the credentials, and gives workspaces their remotes; clones are the same.
#[derive(Clone)]
pub struct Broker(Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) git: Git,
    pub(crate) tokens: Tokens,
    pub(crate) certificates: Option<String>,
    credentials: Vec<Credential>,
    plain_hosts: Vec<String>,
    bot: Option<Identity>,
    /// Who the bot was found to be, or when that was last looked for in vain.
    found: tokio::sync::Mutex<Found>,
    room: Semaphore,
    held: Mutex<HashMap<String, Arc<Held>>>,
}

#[derive(Clone)]
enum Found {
    Not,
    InVain(Instant),
    Bot(Identity),
}

/// What all remotes of one workspace share.
#[derive(Default)]
pub(crate) struct Held {
    one: Arc<tokio::sync::Mutex<()>>,
    /// Whether the workspace is no more.
    gone: watch::Sender<bool>,
}

/// Held while something is done with a workspace's remote.
pub(crate) struct Turn<'a> {
    _room: SemaphorePermit<'a>,
    _one: OwnedMutexGuard<()>,
}

impl Held {
    /// Waits until nothing else is done with this workspace's remote, and there is room.
    pub(crate) async fn turn<'a>(&self, shared: &'a Shared) -> Result<Turn<'a>> {
        let one = Arc::clone(&self.one).lock_owned().await;
        let room = shared.room.acquire().await.map_err(|_| Error::of(Code::Cancelled))?;
        Ok(Turn { _room: room, _one: one })
    }

    /// Does something with the remote, for as long as the workspace is there.
    ///
    /// Errors: `WORKSPACE_NOT_FOUND` once it is not.
    pub(crate) async fn while_there<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let mut gone = self.gone.subscribe();
        tokio::select! {
            biased;
            _ = gone.wait_for(|gone| *gone) => Err(Error::of(Code::WorkspaceNotFound)),
            done = work => done,
        }
    }
}

impl Broker {
    /// Opens the broker. Nothing is asked of any host.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for two credentials of one name; `INTERNAL`, `DISK_FULL` and
    /// `UNSUPPORTED` for the directory and for processes.
    pub fn open(config: Config) -> Result<Self> {
        check_names(&config.credentials)?;
        own_files::make_directory(&config.directory)?;
        for name in own_files::names(&config.directory) {
            if name.starts_with(own_files::AWAY) {
                own_files::remove(&config.directory.join(name)).ok();
            }
        }
        let certificates = match &config.certificates {
            Some(path) => Some(path.to_str().map(ToOwned::to_owned).ok_or_else(|| {
                Error::new(Code::InvalidParams, "the path of the certificates is no UTF-8 text")
            })?),
            None => None,
        };
        let client = Client::new(config.certificates.as_deref());
        Ok(Self(Arc::new(Shared {
            git: Git::open(&config.directory, config.limits)?,
            tokens: Tokens::new(client, config.now),
            certificates,
            credentials: config.credentials,
            plain_hosts: config.plain_hosts,
            bot: config.bot,
            found: tokio::sync::Mutex::new(Found::Not),
            room: Semaphore::new(MOST_AT_ONCE),
            held: Mutex::default(),
        })))
    }

    /// The remote of a workspace. `workspace` names it for ever: another one of the same
    /// id has another name.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for an odd name, address, or a credential that there is not;
    /// `UNSUPPORTED` for a protocol that is not spoken; `PERMISSION_DENIED` for a
    /// credential of another host.
    pub fn mirror(&self, workspace: &str, remote: &Remote, policy: Policy) -> Result<Mirror> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte);
        let first = workspace.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if !first || workspace.len() > 200 || !workspace.bytes().all(plain) {
            return Err(Error::new(Code::InvalidParams, "this is no name of a workspace"));
        }
        let address = Address::parse(&remote.url, &self.0.plain_hosts)?;
        let all = &self.0.credentials;
        let credential = match &remote.credential {
            Some(name) => Some(all.iter().find(|one| one.name() == name).ok_or_else(|| {
                Error::new(Code::InvalidParams, "there is no git credential of this name")
                    .hint("Ask the operator to set it up as one of git.credentials.")
            })?),
            None => all.iter().find(|one| one.host() == address.host()),
        };
        credential.map_or(Ok(()), |credential| credential.check(&address))?;
        Ok(Mirror {
            shared: Arc::clone(&self.0),
            held: Arc::clone(self.lock().entry(workspace.to_owned()).or_default()),
            workspace: workspace.to_owned(),
            address,
            credential: credential.cloned(),
            policy,
        })
    }

    /// Who commits: as set up, or the bot of the first app, or the usual one where GitHub
    /// cannot be asked.
    pub async fn identity(&self) -> Identity {
        if let Some(bot) = &self.0.bot {
            return bot.clone();
        }
        let apps = self.0.credentials.iter().filter_map(|one| match one.kind() {
            Kind::App(app) => Some((app, one.host())),
            Kind::Fixed { .. } => None,
        });
        let Some((app, host)) = { apps }.next() else { return Identity::bot() };
        let mut found = self.0.found.lock().await;
        match &*found {
            Found::Bot(identity) => return identity.clone(),
            Found::InVain(when) if when.elapsed() < ASK_AGAIN => return Identity::bot(),
            Found::InVain(_) | Found::Not => {}
        }
        let tokens = &self.0.tokens;
        match github::identity(tokens.client(), app, (host, tokens.now())).await {
            Ok(identity) => {
                *found = Found::Bot(identity.clone());
                identity
            }
            Err(error) => {
                let code = error.code().row().name;
                tracing::warn!(code, "GitHub could not be asked who the bot is.");
                *found = Found::InVain(Instant::now());
                Identity::bot()
            }
        }
    }

    /// Ends what is under way for a workspace that is no more, and its tokens, and removes
    /// its repository; nothing is begun after.
    ///
    /// # Errors
    /// `INTERNAL` where the repository cannot be removed.
    pub async fn forget(&self, workspace: &str) -> Result<()> {
        let held = self.lock().remove(workspace);
        let _one = match &held {
            Some(held) => {
                held.gone.send_replace(true);
                Some(Arc::clone(&held.one).lock_owned().await)
            }
            None => None,
        };
        self.0.tokens.forget(workspace).await;
        let place = self.0.git.root().join(workspace);
        blocking(move || wipe(&place)).await
    }

    /// Removes the repositories of workspaces that are no more.
    pub async fn sweep(&self, wanted: impl Fn(&str) -> bool) {
        let root = self.0.git.root().to_owned();
        let names = blocking(move || Ok(own_files::names(&root))).await.unwrap_or_default();
        for name in names.iter().filter(|name| name.contains('@') && !wanted(name)) {
            self.forget(name).await.ok();
        }
    }

    /// Kills what is under way, for the end of the program.
    pub async fn stop(&self) {
        self.0.git.stop().await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Held>>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check_names(credentials: &[Credential]) -> Result<()> {
    let mut names: Vec<_> = credentials.iter().map(Credential::name).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() == credentials.len() {
        return Ok(());
    }
    Err(Error::new(Code::InvalidParams, "two git credentials have one name"))
}
