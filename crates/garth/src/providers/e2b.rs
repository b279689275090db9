//! The provider `e2b`: sandboxes of E2B's cloud, or of anything that speaks its wire.

use std::{io::Read, path::PathBuf, time::Duration};

use garth_contract::{Access, BoxFuture, Code, Error, Result, Seat};
use garth_remote::{
    Patience,
    container::{Leftover, VARIABLES},
    e2b::{Account, Reached, Secret, Url},
    providers::{E2b, E2bWorkspace, installation},
};
use rustix::fs::{CWD, Dir, Mode, OFlags, openat};

use super::{Config, Files, Kept, Opened, Owner, Wanted, container::usual_guest};

/// What it is called.
pub(crate) const NAME: &str = "e2b";

/// Who runs inside, in the templates of E2B.
const USER: &str = "user";

/// The home directory inside.
const HOME: &str = "/home/user";

/// Long enough for a sandbox to be made on the other side of the world. A silence is short:
/// what is asked for meanwhile is also what says that the sandbox is used.
const PATIENCE: Patience = Patience {
    start: Duration::from_secs(300),
    hello: Duration::from_secs(60),
    silence: Duration::from_secs(30),
};

/// The largest file with a key in it.
const MOST_KEY: u64 = 64 << 10;

/// What was set up for it.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The control interface.
    pub(crate) url: Result<Url>,
    /// One address at which all sandboxes answer; each has a name of its own without.
    pub(crate) sandbox_url: Option<Url>,
    /// What these names end with, where nothing else is told.
    pub(crate) domain: String,
    /// The file with the account's key,
    pub(crate) key_file: Option<PathBuf>,
    /// or the variable that holds it.
    pub(crate) key_env: Option<String>,
    /// What sandboxes are made of.
    pub(crate) template: String,
    /// How long one lives without being used before it is paused.
    pub(crate) timeout: Duration,
    /// Where the workspace is inside.
    pub(crate) directory: String,
    /// Whether it reaches the internet.
    pub(crate) internet: bool,
    /// Certificates that are trusted in place of the system's.
    pub(crate) certificates: Option<PathBuf>,
}

impl Settings {
    /// E2B's own cloud, and no key.
    pub(crate) fn usual() -> Self {
        Self {
            url: Url::parse("https://api.e2b.app"),
            sandbox_url: None,
            domain: "e2b.app".to_owned(),
            key_file: None,
            key_env: None,
            template: "base".to_owned(),
            timeout: Duration::from_secs(600),
            directory: format!("{HOME}/workspace"),
            internet: false,
            certificates: None,
        }
    }

    /// Whether anything is to be asked at all.
    fn has_key(&self) -> bool {
        self.key_file.is_some() || self.key_env.is_some()
    }

    /// Checks what can only be judged together, and reads the key where one is named.
    ///
    /// # Errors
    /// `INVALID_PARAMS`.
    pub(crate) fn check(&self) -> Result<()> {
        if self.has_key() { self.key().map(drop) } else { Ok(()) }
    }

    fn key(&self) -> Result<Secret> {
        let wrong = |what: String| {
            Error::new(Code::InvalidParams, what)
                .hint("Name a file that the gateway can read, or a variable that it has.")
        };
        let text = match (&self.key_file, &self.key_env) {
            (Some(_), Some(_)) => {
                let what = "e2b_provider has both a key_file and a key_env";
                return Err(wrong(what.to_owned()).hint("Leave one of them out."));
            }
            (None, None) => {
                return Err(Error::new(Code::ProviderUnavailable, "no key of E2B is set up")
                    .hint("Name it as e2b_provider.key_file or e2b_provider.key_env."));
            }
            (Some(path), None) => read(path).ok_or_else(|| {
                wrong(format!("e2b_provider.key_file cannot be read: {}", path.display()))
            })?,
            (None, Some(name)) => std::env::var(name).map_err(|_| {
                wrong(format!("e2b_provider.key_env: there is no variable {name:?}"))
            })?,
        };
        Secret::new(&text).map_err(|error| {
            let message = format!("e2b_provider: {}", error.message());
            error.clone().reword(message)
        })
    }

    fn account(&self) -> Result<Account> {
        let reached = match &self.sandbox_url {
            Some(url) => Reached::At(url.clone()),
            None => Reached::Below(self.domain.clone()),
        };
        Ok(Account::new(self.url.clone()?, reached, self.key()?, self.certificates.clone()))
    }
}

fn read(path: &std::path::Path) -> Option<String> {
    let file = openat(CWD, path, OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut text = String::new();
    std::fs::File::from(file).take(MOST_KEY).read_to_string(&mut text).ok()?;
    Some(text)
}

pub(super) struct Provider {
    settings: Settings,
    guest: Option<PathBuf>,
    owner: Owner,
}

impl Provider {
    pub(super) fn new(config: &Config, owner: &Owner) -> Self {
        let (settings, guest) = (config.e2b.clone(), config.guest.clone());
        Self { settings, guest, owner: owner.clone() }
    }

    fn sandbox(&self, wanted: &Wanted<'_>, known_as: String) -> Result<E2b> {
        check(wanted)?;
        let set = &self.settings;
        let variables = VARIABLES.map(|(name, usual)| {
            let value = match name {
                "HOME" => HOME,
                "USER" | "LOGNAME" => USER,
                _ => usual,
            };
            (name.to_owned(), value.to_owned())
        });
        let workspace = E2bWorkspace {
            workspace: wanted.workspace.to_owned(),
            owner: self.owner.name.clone(),
            installation: known_as,
            run: self.owner.run.clone(),
            guest: self.guest.clone().unwrap_or_else(usual_guest),
            template: set.template.clone(),
            timeout: set.timeout,
            directory: set.directory.clone(),
            variables: variables.into(),
            internet: set.internet,
            policy: wanted.policy.clone(),
        };
        E2b::new(set.account()?, workspace)
    }
}

impl super::Provider for Provider {
    fn name(&self) -> &'static str {
        NAME
    }

    fn open(&self, wanted: &Wanted<'_>) -> Result<Opened> {
        check_empty(wanted)?;
        let sandbox = self.sandbox(wanted, installation(&self.owner.run)?)?;
        Ok(Opened::whole(sandbox, PATIENCE))
    }

    fn files(&self) -> Files {
        Files::Inside
    }

    fn ready<'a>(&'a self, wanted: &'a Wanted<'_>) -> BoxFuture<'a, Result<()>> {
        // Nothing is kept yet, so any name will do.
        Box::pin(async move { self.sandbox(wanted, "none".to_owned())?.ready().await })
    }

    fn left(&self) -> BoxFuture<'_, Result<Vec<Leftover>>> {
        Box::pin(async move {
            if !self.settings.has_key() {
                return Ok(Vec::new());
            }
            let account = self.settings.account()?;
            E2b::leftovers(&account, &installation(&self.owner.run)?).await
        })
    }

    fn remove<'a>(&'a self, left: &'a Leftover) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { E2b::end_leftover(&self.settings.account()?, left).await })
    }
}

/// Refuses what no sandbox of E2B can have.
fn check(wanted: &Wanted<'_>) -> Result<()> {
    let wrong = |what: &'static str, hint: &'static str| {
        Err(Error::new(Code::InvalidParams, what).hint(hint))
    };
    if !wanted.reach.is_empty() {
        return wrong(
            "only provider local has a way out by address",
            "Leave --network out; e2b_provider.internet lets sandboxes reach all or nothing.",
        );
    }
    if wanted.is_ruled() || wanted.policy.access == Access::ReadOnly {
        return wrong(
            "rules about paths cannot hold where commands run beside the files",
            "Leave allow, deny, protect and readOnly out, or use provider local.",
        );
    }
    match wanted.seat {
        Seat::Workspace => {}
        Seat::Home => {
            return wrong(
                "only provider local has workspaces that are the home directory",
                "Set e2b.provider to local.",
            );
        }
    }
    let [(_, name)] = wanted.roots else {
        return wrong("a sandbox of E2B has one directory", "Serve one directory.");
    };
    if !name.is_empty() {
        return wrong("a sandbox of E2B has one directory", "Serve one directory.");
    }
    Ok(())
}

/// Refuses a workspace whose files would not be seen.
fn check_empty(wanted: &Wanted<'_>) -> Result<()> {
    if wanted.roots.iter().all(|(directory, _)| is_empty(directory)) {
        return Ok(());
    }
    let message =
        "a workspace in a sandbox of E2B begins empty, and the agent's directory has files";
    Err(Error::new(Code::InvalidParams, message)
        .hint("Give the agent an empty directory, and restore the files into its workspace."))
}

/// Whether there is nothing in a directory; one that cannot be looked at has nothing.
fn is_empty(path: &std::path::Path) -> bool {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(directory) = openat(CWD, path, flags, Mode::empty()) else { return true };
    let Ok(mut entries) = Dir::read_from(&directory) else { return true };
    let own = |name: &[u8]| name == b"." || name == b"..";
    entries.all(|entry| entry.is_ok_and(|entry| own(entry.file_name().to_bytes())))
}

impl Kept for E2b {
    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(E2b::ready(self))
    }

    fn stop(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(E2b::stop(self))
    }

    fn remove(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(E2b::remove(self))
    }
}
