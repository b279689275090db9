//! Where commands run: every provider by its name, one file each.
//!
//! A workspace's files are served from its directory, and only its commands run in a place
//! of the provider's; but for virtual machines and E2B's sandboxes, which hold the files. What a provider needs that is not there is
//! said when it is needed, so that files can be had all the same.

mod config;
mod container;
mod door;
mod e2b;
mod firecracker;
mod gvisor;
mod local;
mod machines;
mod none;
mod own;
mod podman;
mod qemu;

use std::{path::PathBuf, sync::Arc};

use garth_contract::{Aliases, BoxFuture, Code, DynShell, Error, Policy, RawPath, Result, Seat};
use garth_egress::Rules;
use garth_remote::{Connect, Lazy, Remote, Within, container::Leftover};
use garth_workspace::{Commands, Inside};

pub(crate) use config::{Config, System};
pub(crate) use e2b::{NAME as E2B, Settings as E2bSettings};
use machines::Machines;
pub(crate) use machines::Processor;
pub(crate) use own::{Own, readiness, stopped};
pub(crate) use qemu::Software;

/// The provider of whoever names none.
pub(crate) const USUAL: &str = "local";

/// The one that runs no commands.
pub(crate) const NONE: &str = "none";

/// The names of all of them.
pub(crate) const NAMES: [&str; 7] = [USUAL, "podman", "gvisor", "qemu", "firecracker", E2B, NONE];

/// A directory of the workspace, and its name in it; none for the workspace itself.
pub(crate) type Placed = (PathBuf, String);

/// Whose commands are to run.
pub(crate) struct Wanted<'a> {
    /// What its sandbox is called.
    pub(crate) workspace: &'a str,
    /// The directories that its commands work on.
    pub(crate) roots: &'a [Placed],
    /// What may be done with them.
    pub(crate) policy: &'a Policy,
    /// Addresses that its commands may reach.
    pub(crate) reach: &'a [String],
    /// More directories of this machine that its commands see, and cannot change.
    pub(crate) visible: &'a [PathBuf],
    /// Where the workspace sits in it.
    pub(crate) seat: Seat,
    /// What it is made of beside the workspace, where that is not the provider's own.
    pub(crate) system: Option<&'a str>,
}

impl Wanted<'_> {
    /// Rules about single paths bind tools, and nothing inside a sandbox knows them.
    fn is_ruled(&self) -> bool {
        let Policy { allow, deny, protect, .. } = self.policy;
        [allow, deny, protect].iter().any(|globs| !globs.is_empty())
    }
}

/// Where the commands of one workspace run.
pub(crate) struct Opened {
    /// The place, which is made when the first command comes.
    pub(crate) commands: Commands,
    /// The whole sandbox, where it can be worked in.
    pub(crate) inside: Option<Inside>,
    /// The sandbox, where it outlives this program.
    pub(crate) kept: Option<Arc<dyn Kept>>,
    /// The way into a place that holds the files too; it runs the commands then.
    pub(crate) whole: Option<Arc<dyn Whole>>,
}

/// A place that holds the workspace's files too.
pub(crate) trait Whole: Send + Sync {
    /// Enters it, and starts it where it does not run.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE`.
    fn enter(&self) -> BoxFuture<'_, Result<Remote>>;
}

impl Opened {
    /// No commands.
    fn nowhere() -> Self {
        Self { commands: Commands::None, inside: None, kept: None, whole: None }
    }

    /// Commands run in this sandbox, and its guest serves what its seat says.
    fn seated<C: Connect + Clone>(lazy: Lazy<C>, seat: Seat) -> Result<Self> {
        let lazy = Arc::new(lazy);
        match seat {
            Seat::Workspace => {
                Ok(Self { commands: Commands::Held(lazy), inside: None, kept: None, whole: None })
            }
            Seat::Home => {
                let home = RawPath::new(seat.workspace().trim_start_matches('/'));
                let home = home.resolve(&Aliases::none())?;
                let shell: Arc<dyn DynShell> = Arc::clone(&lazy) as _;
                let within = Within::new(Arc::clone(&shell), home.clone());
                let commands = Commands::Held(Arc::new(within));
                let inside = Some(Inside { files: lazy, shell, home });
                Ok(Self { commands, inside, kept: None, whole: None })
            }
        }
    }

    /// Looks whether it could be had, where that is not known by now.
    async fn ready(&self) -> Result<()> {
        match &self.kept {
            Some(kept) => kept.ready().await,
            None => Ok(()),
        }
    }
}

/// A sandbox that outlives this program unless it is ended.
pub(crate) trait Kept: Send + Sync {
    /// Looks whether it could be had, and makes none.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE` with what is missing.
    fn ready(&self) -> BoxFuture<'_, Result<()>>;

    /// Ends everything in it, so that none is there; it is known that there was one.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE`.
    fn stop(&self) -> BoxFuture<'_, Result<()>>;

    /// The same, and forgets that there was one.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE`.
    fn remove(&self) -> BoxFuture<'_, Result<()>>;
}

/// Where a workspace's files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Files {
    /// In its directory.
    Outside,
    /// In the place where its commands run.
    Inside,
}

/// One kind of place for commands.
pub(crate) trait Provider: Send + Sync {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// The place of one workspace; nothing is made yet.
    ///
    /// Errors: `INVALID_PARAMS` for what it cannot be asked for, `WORKSPACE_NOT_FOUND` for
    /// a directory that is gone.
    fn open(&self, wanted: &Wanted<'_>) -> Result<Opened>;

    /// Where the workspace's files are.
    fn files(&self) -> Files {
        Files::Outside
    }

    /// Looks whether the place could be had, and makes nothing.
    ///
    /// Errors: those of [`open`](Self::open); `PROVIDER_UNAVAILABLE` with what is missing.
    fn ready<'a>(&'a self, _wanted: &'a Wanted<'_>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// The sandboxes that programs of the same owner have left, running or not.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE`.
    fn left(&self) -> BoxFuture<'_, Result<Vec<Leftover>>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Ends and removes one of them.
    ///
    /// Errors: `PROVIDER_UNAVAILABLE`.
    fn remove<'a>(&'a self, _left: &'a Leftover) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

/// Whose sandboxes they are, and where what belongs to them is kept.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    /// What tells them from those of others.
    pub(crate) name: String,
    /// A directory of this machine that is theirs alone; it need not be there yet.
    pub(crate) run: PathBuf,
}

/// All providers, as one program uses them.
pub(crate) struct Providers {
    owner: Owner,
    all: Vec<Box<dyn Provider>>,
}

impl Providers {
    /// The providers as they are set up, for the sandboxes of one owner.
    pub(crate) fn new(config: &Config, owner: Owner) -> Self {
        let machines = Machines::new(config, &owner);
        let all: Vec<Box<dyn Provider>> = vec![
            Box::new(local::Provider(config.system)),
            Box::new(podman::Provider::new(config, &owner)),
            Box::new(gvisor::Provider::new(config, &owner)),
            Box::new(qemu::Provider(machines.clone())),
            Box::new(firecracker::Provider(machines)),
            Box::new(e2b::Provider::new(config, &owner)),
            Box::new(none::Provider),
        ];
        Self { owner, all }
    }

    /// Each of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &dyn Provider> {
        self.all.iter().map(|provider| &**provider)
    }

    /// Whose sandboxes they make.
    pub(crate) fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Where the commands of a workspace run.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a provider that there is not; those of the provider.
    pub(crate) fn open(&self, name: &str, wanted: &Wanted<'_>) -> Result<Opened> {
        let provider = self.find(name)?;
        // What is wrong is said also where nothing comes of it.
        Rules::parse(wanted.reach.iter().map(String::as_str))?;
        let nowhere = wanted.is_ruled() || wanted.roots.is_empty();
        match provider.files() {
            Files::Outside if nowhere => Ok(Opened::nowhere()),
            Files::Outside | Files::Inside => provider.open(wanted),
        }
    }

    /// Looks whether a workspace's commands could run, and makes nothing.
    ///
    /// # Errors
    /// Those of [`open`](Self::open); `PROVIDER_UNAVAILABLE` with what is missing.
    pub(crate) async fn ready(&self, name: &str, wanted: &Wanted<'_>) -> Result<()> {
        self.find(name)?.ready(wanted).await
    }

    fn find(&self, name: &str) -> Result<&dyn Provider> {
        self.all().find(|provider| provider.name() == name).ok_or_else(|| unknown(name))
    }
}

/// Checks the name of a provider.
///
/// # Errors
/// `INVALID_PARAMS`.
pub(crate) fn check_name(name: &str) -> Result<()> {
    if NAMES.contains(&name) { Ok(()) } else { Err(unknown(name)) }
}

fn unknown(provider: &str) -> Error {
    let message = format!("there is no provider {provider:?}");
    Error::new(Code::InvalidParams, message).hint(format!("Providers are {}.", NAMES.join(", ")))
}
