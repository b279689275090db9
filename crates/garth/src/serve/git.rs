//! The git remotes of agents: what the operator set up of them, and the broker that holds
//! their credentials.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use garth_broker::{
    Api, App, Broker, Credential, Flavour, Limits, Policy, Remote, Secret, Unusable, Workflows,
    key_from_file, secret_from_file,
};
use garth_contract::{Code, Error, Result};
use garth_gateway::{Agent, Gateway, GitRemote, Settings};
use garth_git::{Identity, Remotes};

use super::sandboxes::{agents, name};

/// How long an agent waits at most for who the bot is, when its workspace is opened.
const BOT: Duration = Duration::from_secs(3);

/// Kinds of tokens, by their names in the configuration.
pub(crate) const FLAVOURS: &[(&str, Flavour)] =
    &[("token", Flavour::Token), ("gitlab", Flavour::Gitlab), ("gitea", Flavour::Gitea)];

/// What the operator set up of git.
#[derive(Clone, Debug)]
pub(crate) struct GitSettings {
    pub(crate) credentials: Vec<Stated>,
    pub(crate) bot: Option<Identity>,
    pub(crate) branches: Vec<String>,
    pub(crate) workflows: Workflows,
    pub(crate) plain_hosts: Vec<String>,
    pub(crate) certificates: Option<PathBuf>,
    pub(crate) limits: Limits,
}

/// A credential as the configuration states it: where it is, and not what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stated {
    pub(crate) name: String,
    pub(crate) host: String,
    pub(crate) kind: Kind,
}

/// What a credential is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Token { flavour: Flavour, token: Source },
    Basic { username: String, password: Source },
    App { client_id: String, key: PathBuf, api: String },
}

/// Where a secret is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    File(PathBuf),
    Variable(String),
}

impl GitSettings {
    /// What holds where nothing is set up.
    pub(crate) fn usual() -> Self {
        Self {
            credentials: Vec::new(),
            bot: None,
            branches: Vec::new(),
            workflows: Workflows::Allow,
            plain_hosts: Vec::new(),
            certificates: None,
            limits: Limits::usual(),
        }
    }

    /// Reads the secrets, and looks whether everything can be used.
    ///
    /// # Errors
    /// `INVALID_PARAMS` and `INVALID_PATTERN` that say what cannot.
    pub(crate) fn read(&self) -> Result<Vec<Credential>> {
        Policy::new(&self.branches, self.workflows)?;
        self.credentials.iter().map(|stated| self.credential(stated)).collect()
    }

    fn credential(&self, stated: &Stated) -> Result<Credential> {
        let named = |error: Error| {
            let message = format!("git.credentials: {:?}: {}", stated.name, error.message());
            error.clone().reword(message)
        };
        let kind = match &stated.kind {
            Kind::Token { flavour, token } => garth_broker::Kind::Fixed {
                username: flavour.username().to_owned(),
                password: token.read().map_err(named)?,
            },
            Kind::Basic { username, password } => garth_broker::Kind::Fixed {
                username: username.clone(),
                password: password.read().map_err(named)?,
            },
            Kind::App { client_id, key, api } => garth_broker::Kind::App(App {
                client_id: client_id.clone(),
                key: key_from_file(key).map_err(named)?,
                api: Api::parse(api, &self.plain_hosts).map_err(named)?,
            }),
        };
        Credential::new(&stated.name, &stated.host, kind).map_err(named)
    }
}

impl Source {
    fn read(&self) -> Result<Secret> {
        match self {
            Self::File(path) => secret_from_file(path),
            Self::Variable(name) => {
                let text = std::env::var(name).map_err(|_| {
                    Error::new(Code::InvalidParams, format!("there is no variable {name:?}"))
                })?;
                Secret::new(&text)
            }
        }
    }
}

/// The remotes of a gateway's agents; clones are the same.
#[derive(Clone)]
pub(crate) struct GitRemotes {
    broker: Broker,
    branches: Vec<String>,
    workflows: Workflows,
}

impl GitRemotes {
    /// Those of the gateway whose data this is.
    ///
    /// # Errors
    /// Those of [`GitSettings::read`] and of the broker.
    pub(crate) fn open(settings: &GitSettings, data: &Path) -> Result<Self> {
        let config = garth_broker::Config {
            directory: data.join("git"),
            limits: settings.limits,
            credentials: settings.read()?,
            plain_hosts: settings.plain_hosts.clone(),
            certificates: settings.certificates.clone(),
            bot: settings.bot.clone(),
            now: SystemTime::now,
        };
        let (branches, workflows) = (settings.branches.clone(), settings.workflows);
        Ok(Self { broker: Broker::open(config)?, branches, workflows })
    }

    /// Looks whether an agent's remote can be used as it is to be set up.
    ///
    /// # Errors
    /// `INVALID_PARAMS`, `UNSUPPORTED`, `PERMISSION_DENIED` that say why not.
    pub(crate) fn check(&self, settings: &Settings) -> Result<()> {
        match &settings.git {
            Some(remote) => self.mirror("checked", remote).map(drop),
            None => Ok(()),
        }
    }

    /// The remote of an agent, if it has one. One that cannot be used says so when it is.
    pub(crate) fn of(&self, agent: &Agent) -> Option<Arc<dyn Remotes>> {
        let remote = agent.settings.git.as_ref()?;
        Some(match self.mirror(&name(agent), remote) {
            Ok(mirror) => Arc::new(mirror),
            Err(error) => Arc::new(Unusable(error)),
        })
    }

    fn mirror(&self, name: &str, remote: &GitRemote) -> Result<garth_broker::Mirror> {
        let patterns = if remote.branches.is_empty() { &self.branches } else { &remote.branches };
        let workflows = match remote.workflows {
            Some(garth_gateway::Workflows::Allow) => Workflows::Allow,
            Some(garth_gateway::Workflows::Refuse) => Workflows::Refuse,
            None => self.workflows,
        };
        let policy = Policy::new(patterns, workflows)?;
        let remote = Remote { url: remote.url.clone(), credential: remote.credential.clone() };
        self.broker.mirror(name, &remote, policy)
    }

    /// Who commits.
    pub(crate) async fn identity(&self) -> Identity {
        let asked = tokio::time::timeout(BOT, self.broker.identity()).await;
        asked.unwrap_or_else(|_| Identity::bot())
    }

    /// Ends the tokens of an agent that is no more, and removes what was kept of its remote.
    pub(crate) async fn forget(&self, agent: &Agent) {
        if let Err(error) = self.broker.forget(&name(agent)).await {
            let code = error.code().row().name;
            tracing::warn!(code, "A git repository could not be removed; the next start does.");
        }
    }

    /// Removes what an earlier life of this gateway kept of agents that are no more.
    pub(crate) async fn sweep(&self, gateway: &Gateway) {
        // Whoever asks next is told of it.
        let Ok(wanted) = agents(gateway.registry()).await else { return };
        self.broker.sweep(|name| wanted.contains_key(name)).await;
    }

    /// Kills what is under way.
    pub(crate) async fn stop(&self) {
        self.broker.stop().await;
    }
}
