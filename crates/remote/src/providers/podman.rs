//! A guest in a container of podman or Docker, reached through the engine's
//! interface and then by a socket of its own.
//!
//! The container is made when it is first needed and outlives this program: a
//! gateway that comes back finds it by its name, and its processes with it.

use std::{pin::Pin, sync::Arc};

use garth_contract::{ProcessId, Result};
use garth_wire::Duplex;

use crate::{
    Connect, Left,
    container::{Container, Engine, Keep, Place, Sandbox, Standing},
};

/// A workspace's container in an engine.
///
/// Dropping it leaves the container as it is, for whoever comes next.
#[derive(Clone, Debug)]
pub struct Podman {
    keep: Arc<Keep<InEngine>>,
}

#[derive(Debug)]
struct InEngine {
    engine: Arc<Engine>,
    container: Container,
}

impl Podman {
    /// A container in an engine; nothing is asked of the engine yet.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a description that no engine would understand.
    pub fn new(engine: Arc<Engine>, container: Container) -> Result<Self> {
        let sandbox = InEngine { engine, container: container.clone() };
        Ok(Self { keep: Arc::new(Keep::new(sandbox, container)?) })
    }

    /// Looks whether a container could be had, and makes none: the engine answers and
    /// would run it as it is wanted, there is an image or what one is made of, and a
    /// guest.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` with what is missing.
    pub async fn ready(&self) -> Result<()> {
        let InEngine { engine, container } = &self.keep.sandbox;
        engine.ready(container).await
    }

    /// Makes the image of the root filesystem, if the engine has none yet: what may
    /// take longer than anyone waits for a call.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn prepare(&self) -> Result<()> {
        let InEngine { engine, container } = &self.keep.sandbox;
        engine.prepare(&container.root).await.map(drop)
    }

    /// Ends everything in the container and removes it. The workspace's files stay,
    /// and the next call makes another container.
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

    /// What the engine calls the container.
    #[must_use]
    pub fn name(&self) -> String {
        self.keep.sandbox.container.name()
    }
}

impl Connect for Podman {
    type Pipe = Pin<Box<dyn Duplex>>;

    async fn connect(&self, first: ProcessId) -> Result<Self::Pipe> {
        self.keep.connect(first).await
    }

    async fn left(&self) -> Result<Left> {
        self.keep.left().await
    }
}

impl Sandbox for InEngine {
    async fn standing(&self, _: &Place) -> Result<Standing> {
        self.engine.standing(&self.container).await
    }

    async fn start(&self, place: &Place, first: ProcessId) -> Result<()> {
        self.engine.start(&self.container, place, first).await
    }

    async fn lives(&self) -> Result<bool> {
        self.engine.lives(&self.container.name()).await
    }

    async fn relay(&self) -> Result<Pin<Box<dyn Duplex>>> {
        Ok(Box::pin(self.engine.relay(&self.container.name()).await?))
    }

    async fn end(&self) -> Result<()> {
        self.engine.end(&self.container.name()).await
    }
}
