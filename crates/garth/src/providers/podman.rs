//! The provider `podman`: containers of podman or Docker, through the engine's socket.

use std::sync::Arc;

use garth_contract::{BoxFuture, Result};
use garth_remote::{
    container::{Engine, Leftover},
    providers::Podman,
};

use super::{Config, Kept, Opened, Owner, Wanted, container::container};

pub(super) struct Provider {
    config: Config,
    owner: Owner,
    engine: Arc<Engine>,
}

impl Provider {
    pub(super) fn new(config: &Config, owner: &Owner) -> Self {
        let engine = config.podman.socket.as_deref().map_or_else(Engine::usual, Engine::at);
        let engine = Arc::new(engine.answering_within(config.podman.answer));
        Self { config: config.clone(), owner: owner.clone(), engine }
    }
}

impl super::Provider for Provider {
    fn name(&self) -> &'static str {
        "podman"
    }

    fn open(&self, wanted: &Wanted<'_>) -> Result<Opened> {
        let container = container(&self.config, &self.owner, wanted)?;
        Opened::behind_a_door(Podman::new(Arc::clone(&self.engine), container)?, wanted.seat)
    }

    fn ready<'a>(&'a self, wanted: &'a Wanted<'_>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.open(wanted)?.ready().await })
    }

    fn left(&self) -> BoxFuture<'_, Result<Vec<Leftover>>> {
        Box::pin(self.engine.leftovers(&self.owner.name))
    }

    fn remove<'a>(&'a self, left: &'a Leftover) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.engine.remove(&self.owner.run, left))
    }
}

impl Kept for Podman {
    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(Podman::ready(self))
    }

    fn stop(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(Podman::stop(self))
    }

    fn remove(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(Podman::remove(self))
    }
}
