//! The provider `gvisor`: sandboxes that `runsc` runs without an engine.
//!
//! By what `runsc` runs programs on this machine is found out with the first command,
//! once for all workspaces, unless it is set up.

use std::sync::Arc;

use garth_contract::{BoxFuture, Code, Error, ProcessId, Result};
use garth_remote::{
    Connect, Left,
    container::{Container, Leftover, Platform, Root, Runsc},
    providers::Gvisor,
};
use tokio::sync::OnceCell;

use super::{Config, Kept, Opened, Owner, Wanted, container::container};

/// What is named where it does not matter, since no program is run.
const ANY: Platform = Platform::Ptrace;

pub(super) struct Provider {
    config: Config,
    owner: Owner,
    found: Arc<OnceCell<Runsc>>,
}

impl Provider {
    pub(super) fn new(config: &Config, owner: &Owner) -> Self {
        Self { config: config.clone(), owner: owner.clone(), found: Arc::default() }
    }

    fn runsc(&self) -> Runsc {
        let super::config::Gvisor { runsc, platform, flags } = self.config.gvisor.clone();
        Runsc { program: runsc, platform: platform.unwrap_or(ANY), flags }
    }
}

impl super::Provider for Provider {
    fn name(&self) -> &'static str {
        "gvisor"
    }

    fn open(&self, wanted: &Wanted<'_>) -> Result<Opened> {
        let mut container = container(&self.config, &self.owner, wanted)?;
        // These are an engine's, and there is none.
        container.options.runtime = None;
        if let (None, Some(root)) = (wanted.system, &self.config.root) {
            container.root = Root::Directory(root.clone());
        }
        let inside = Inside {
            platform: self.config.gvisor.platform,
            looked: Gvisor::new(self.runsc(), container.clone())?,
            runsc: self.runsc(),
            container,
            found: Arc::clone(&self.found),
            run: OnceCell::new(),
        };
        Opened::behind_a_door(Sandbox(Arc::new(inside)), wanted.seat)
    }

    fn ready<'a>(&'a self, wanted: &'a Wanted<'_>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.open(wanted)?.ready().await })
    }

    fn left(&self) -> BoxFuture<'_, Result<Vec<Leftover>>> {
        Box::pin(async move { self.runsc().leftovers(&self.owner.run, &self.owner.name).await })
    }

    fn remove<'a>(&'a self, left: &'a Leftover) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.runsc().remove(&self.owner.run, left).await })
    }
}

/// A workspace's sandbox; clones are the same.
#[derive(Clone)]
struct Sandbox(Arc<Inside>);

struct Inside {
    /// The platform that was set up, if one was.
    platform: Option<Platform>,
    runsc: Runsc,
    container: Container,
    /// The sandbox as it can be looked at before anything runs in it.
    looked: Gvisor,
    /// What was found for all workspaces.
    found: Arc<OnceCell<Runsc>>,
    /// The sandbox as programs run in it.
    run: OnceCell<Gvisor>,
}

impl Inside {
    /// The sandbox, on the platform that works here.
    async fn running(&self) -> Result<&Gvisor> {
        self.check_root()?;
        let make = || async {
            let runsc = match self.platform {
                Some(_) => self.runsc.clone(),
                None => {
                    self.looked.ready().await?;
                    self.found.get_or_try_init(|| self.detect()).await?.clone()
                }
            };
            Gvisor::new(runsc, self.container.clone())
        };
        self.run.get_or_try_init(make).await
    }

    async fn detect(&self) -> Result<Runsc> {
        let Runsc { program, flags, .. } = &self.runsc;
        let Container { guest, run, .. } = &self.container;
        Runsc::detect(program, flags.clone(), (guest, run)).await
    }

    /// The sandbox, on whichever platform.
    fn looked(&self) -> &Gvisor {
        self.run.get().unwrap_or(&self.looked)
    }

    fn check_root(&self) -> Result<()> {
        if matches!(self.container.root, Root::Directory(_)) {
            return Ok(());
        }
        let message = "gVisor without an engine needs a root filesystem, and none is set up";
        Err(Error::new(Code::ProviderUnavailable, message).hint(
            "Make one, for example with `debootstrap --variant=minbase stable DIR`, and name it \
             as containers.root; or use provider podman with runsc as its runtime.",
        ))
    }
}

impl Connect for Sandbox {
    type Pipe = <Gvisor as Connect>::Pipe;

    async fn connect(&self, first: ProcessId) -> Result<Self::Pipe> {
        self.0.running().await?.connect(first).await
    }

    async fn left(&self) -> Result<Left> {
        self.0.looked().left().await
    }
}

impl Kept for Sandbox {
    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async {
            self.0.check_root()?;
            self.0.looked().ready().await
        })
    }

    fn stop(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.0.looked().stop())
    }

    fn remove(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.0.looked().remove())
    }
}
