//! A workspace with a repository in it, a broker, and a server that both know.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use garth_broker::{
    Broker, Config, Credential, Flavour, Kind, Limits, Mirror, Policy, Remote, Secret, Workflows,
};
use garth_contract::{Aliases, Policy as FilePolicy, Timeout, WsPath};
use garth_git::{Branch, Fetch, Hooks, Identity, Oid, Push, Pushed, Remotes, Repository};
use garth_host::{Bounds, Host, Processes, Settings, Strays, Trees};
use tempfile::TempDir;

use crate::server::{CANARY, Server, git};

/// The name of the workspace.
pub(crate) const NAME: &str = "agent@1";

/// Everything.
pub(crate) struct Scene {
    pub(crate) server: Server,
    pub(crate) broker: Broker,
    pub(crate) data: PathBuf,
    pub(crate) place: Place,
    _directory: TempDir,
}

/// An agent's directory, with what runs in it.
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    fs: Arc<Host>,
    shell: Processes,
    identity: Identity,
    root: WsPath,
    _directory: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::with_path("")
    }

    /// A place whose programs are first looked for in a directory.
    pub(crate) fn with_path(first: &str) -> Self {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("workspace");
        std::fs::create_dir(&path).unwrap();
        let settings = Settings {
            environment: vec![
                ("PATH".to_owned(), format!("{first}:/usr/local/bin:/usr/bin:/bin")),
                ("HOME".to_owned(), "/nonexistent".to_owned()),
            ],
            spool: directory.path().join("spool"),
            bounds: Bounds::usual(),
            trees: Trees::Detect,
            strays: Strays::Leave,
            first: 1,
        };
        Self {
            fs: Arc::new(Host::open(&path, FilePolicy::open(), Aliases::none()).unwrap()),
            shell: Processes::open(&path, settings).unwrap(),
            identity: Identity::bot(),
            root: WsPath::root(),
            path,
            _directory: directory,
        }
    }

    pub(crate) fn repository(&self) -> Repository<'_> {
        Repository {
            shell: &self.shell,
            fs: &*self.fs,
            directory: &self.root,
            identity: &self.identity,
            hooks: Hooks::Off,
            timeout: Timeout::MOST,
        }
    }

    /// Makes an empty repository.
    pub(crate) fn init(&self) {
        git(&self.path, &["init", "-q", "-b", "main", "."]);
    }

    /// Writes a file and commits it.
    pub(crate) fn commit(&self, file: &str, content: &str) -> Oid {
        let path = self.path.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        git(&self.path, &["add", "--", file]);
        git(&self.path, &["commit", "-q", "-m", "a change"]);
        self.tip("HEAD")
    }

    pub(crate) fn tip(&self, name: &str) -> Oid {
        Oid::parse(&git(&self.path, &["rev-parse", name])).unwrap()
    }
}

/// What differs from the usual.
pub(crate) struct Wanted {
    pub(crate) limits: Limits,
    pub(crate) credentials: Option<Vec<Credential>>,
    pub(crate) now: fn() -> SystemTime,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { limits: limits(), credentials: None, now: SystemTime::now }
    }
}

/// Bounds that no test meets by accident.
pub(crate) fn limits() -> Limits {
    Limits { time: Duration::from_secs(900), ..Limits::usual() }
}

/// A credential for a host that does not change.
pub(crate) fn token(host: &str, token: &str) -> Credential {
    let username = Flavour::Token.username().to_owned();
    let kind = Kind::Fixed { username, password: Secret::new(token).unwrap() };
    Credential::new("main", host, kind).unwrap()
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::with(|_| Wanted::default()).await
    }

    pub(crate) async fn with(wanted: impl FnOnce(&Server) -> Wanted) -> Self {
        let server = Server::start().await;
        let Wanted { limits, credentials, now } = wanted(&server);
        let directory = TempDir::new().unwrap();
        let data = directory.path().join("git");
        let credentials = credentials.unwrap_or_else(|| vec![token(&server.host, CANARY)]);
        let config = Config {
            directory: data.clone(),
            limits,
            credentials,
            plain_hosts: Vec::new(),
            certificates: None,
            bot: None,
            now,
        };
        let broker = Broker::open(config).unwrap();
        Self { server, broker, data, place: Place::new(), _directory: directory }
    }

    pub(crate) fn mirror(&self) -> Mirror {
        self.mirror_with(&[], Workflows::Allow)
    }

    pub(crate) fn mirror_with(&self, patterns: &[&str], workflows: Workflows) -> Mirror {
        let patterns: Vec<_> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        let policy = Policy::new(&patterns, workflows).unwrap();
        self.broker.mirror(NAME, &self.remote(), policy).unwrap()
    }

    pub(crate) fn remote(&self) -> Remote {
        Remote { url: self.server.url.clone(), credential: None }
    }

    /// Clones into the workspace and checks the branch out.
    pub(crate) async fn clone_here(&self) {
        self.place.init();
        let mirror = self.mirror();
        let cloned = mirror.clone_into(self.place.repository(), Fetch::default()).await.unwrap();
        assert_eq!(cloned.head, Some(branch("main")));
        git(&self.place.path, &["reset", "-q", "--hard", "refs/remotes/origin/main"]);
    }

    pub(crate) async fn push(&self, name: &str) -> garth_contract::Result<Pushed> {
        self.push_by(&self.mirror(), name).await
    }

    pub(crate) async fn push_by(
        &self,
        mirror: &Mirror,
        name: &str,
    ) -> garth_contract::Result<Pushed> {
        let wanted =
            Push { branch: branch(name), tip: self.place.tip(&format!("refs/heads/{name}")) };
        mirror.push(self.place.repository(), wanted).await
    }

    /// Has a push wait at the remote until the file that is given is there.
    pub(crate) fn hold_pushes(&self) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let go = self.server.root.join("go");
        let hook = self.server.bare().join("hooks/pre-receive");
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        let wait = format!("#!/bin/sh\nwhile [ ! -e '{}' ]; do sleep 0.05; done\n", go.display());
        std::fs::write(&hook, wait).unwrap();
        std::fs::set_permissions(&hook, PermissionsExt::from_mode(0o755)).unwrap();
        go
    }

    /// The processes that work on the workspace's repository outside of it.
    pub(crate) fn outside(&self) -> Vec<u32> {
        let place = self.data.join(NAME);
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers
            .filter(|pid: &u32| {
                std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == place)
            })
            .collect()
    }
}

pub(crate) fn branch(name: &str) -> Branch {
    Branch::parse(name).unwrap()
}

/// Waits until something holds, but not for ever.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Every file below a directory.
pub(crate) fn files(at: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut waiting = vec![at.to_owned()];
    while let Some(directory) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                Ok(kind) if kind.is_file() => all.push(entry.path()),
                Ok(_) | Err(_) => {}
            }
        }
    }
    all
}
