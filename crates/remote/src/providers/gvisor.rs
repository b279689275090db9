//! A guest in gVisor, which `runsc` runs without an engine.
//!
//! Where there is an engine, gVisor is one of its runtimes, and
//! [`Podman`](super::Podman) is its provider: `Options::runtime` names `runsc`, and
//! an engine that would take another is refused.

use std::pin::Pin;
use std::sync::Arc;

use garth_contract::{ProcessId, Result};
use garth_wire::Duplex;

use crate::{
    Connect, Left,
    container::{Container, Keep, Place, Runsc, Sandbox, Standing},
};

/// A workspace's sandbox in gVisor.
///
/// Dropping it leaves the sandbox as it is, for whoever comes next.
#[derive(Clone, Debug)]
pub struct Gvisor {
    keep: Arc<Keep<InGvisor>>,
}

#[derive(Debug)]
struct InGvisor {
    runsc: Runsc,
    container: Container,
}

impl Gvisor {
    /// A sandbox of its own; nothing is started yet.
    ///
    /// Its root must be a directory, its files too, and its network none.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a description that makes no sense.
    pub fn new(runsc: Runsc, container: Container) -> Result<Self> {
        let sandbox = InGvisor { runsc, container: container.clone() };
        Ok(Self { keep: Arc::new(Keep::new(sandbox, container)?) })
    }

    /// Looks whether a sandbox could be had, and makes none: `runsc` is installed, and
    /// there are a root filesystem and a guest.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` with what is missing; `UNSUPPORTED` for what only an
    /// engine can do.
    pub async fn ready(&self) -> Result<()> {
        let InGvisor { runsc, container } = &self.keep.sandbox;
        runsc.ready(container).await
    }

    /// Ends everything in the sandbox and removes it. The workspace's files stay, and
    /// the next call makes another.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn stop(&self) -> Result<()> {
        self.keep.stop().await
    }

    /// The same, and forgets what is known of it on this machine.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn remove(&self) -> Result<()> {
        self.keep.remove().await
    }

    /// What `runsc` calls the sandbox.
    #[must_use]
    pub fn name(&self) -> String {
        self.keep.sandbox.container.name()
    }
}

impl Connect for Gvisor {
    type Pipe = Pin<Box<dyn Duplex>>;

    async fn connect(&self, first: ProcessId) -> Result<Self::Pipe> {
        self.keep.connect(first).await
    }

    async fn left(&self) -> Result<Left> {
        self.keep.left().await
    }
}

impl Sandbox for InGvisor {
    async fn standing(&self, place: &Place) -> Result<Standing> {
        self.runsc.standing(&self.container, place).await
    }

    async fn start(&self, place: &Place, first: ProcessId) -> Result<()> {
        self.runsc.start(&self.container, place, first).await
    }

    async fn lives(&self) -> Result<bool> {
        self.runsc.lives(&self.container).await
    }

    async fn relay(&self) -> Result<Pin<Box<dyn Duplex>>> {
        Ok(Box::pin(self.runsc.relay(&self.container)?))
    }

    async fn end(&self) -> Result<()> {
        let Container { run, .. } = &self.container;
        self.runsc.end(run, &self.container.name()).await
    }
}
