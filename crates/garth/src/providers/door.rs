//! The way into a sandbox that outlives this program, which can be shut.
//!
//! Whoever asks for a process finds its sandbox gone and would make another; once the
//! workspace is closed nobody may.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use garth_contract::{BoxFuture, Code, Error, ProcessId, Result, Seat};
use garth_remote::{Connect, Lazy, Left, Link, Patience, Remote};
use garth_workspace::Commands;
use tokio::sync::OnceCell;

use super::{Kept, Opened, Whole};

/// A way into a sandbox; clones are the same.
#[derive(Clone)]
struct Door<C> {
    inside: C,
    shut: Arc<AtomicBool>,
}

impl Opened {
    /// Commands run in a sandbox that outlives this program, and its guest serves what its
    /// seat says.
    ///
    /// # Errors
    /// Those of [`seated`](Self::seated).
    pub(super) fn behind_a_door<C: Connect + Clone + Kept>(inside: C, seat: Seat) -> Result<Self> {
        let door = Door { inside, shut: Arc::default() };
        let opened = Self::seated(Lazy::new(door.clone(), Patience::USUAL), seat)?;
        Ok(Self { kept: Some(Arc::new(door)), ..opened })
    }

    /// Files and commands are in a sandbox.
    pub(super) fn whole<C: Connect + Clone + Kept>(inside: C, patience: Patience) -> Self {
        let door = Door { inside, shut: Arc::default() };
        let hall = Hall { door: door.clone(), patience, made: OnceCell::new() };
        let (kept, whole) = (Some(Arc::new(door) as _), Some(Arc::new(hall) as _));
        Self { commands: Commands::None, inside: None, kept, whole }
    }
}

/// The way into a sandbox that is made once.
struct Hall<C> {
    door: Door<C>,
    patience: Patience,
    made: OnceCell<Remote>,
}

impl<C: Connect + Clone + Kept> Whole for Hall<C> {
    fn enter(&self) -> BoxFuture<'_, Result<Remote>> {
        let make = || async {
            let link = Link::open(self.door.clone(), ProcessId(1), self.patience).await?;
            Ok(Remote::new(link))
        };
        Box::pin(async move { self.made.get_or_try_init(make).await.cloned() })
    }
}

impl<C> Door<C> {
    fn check(&self) -> Result<()> {
        if self.shut.load(Ordering::SeqCst) {
            return Err(Error::new(Code::ProviderUnavailable, "the workspace was closed"));
        }
        Ok(())
    }
}

impl<C: Connect + Kept> Connect for Door<C> {
    type Pipe = C::Pipe;

    async fn connect(&self, first: ProcessId) -> Result<C::Pipe> {
        self.check()?;
        let pipe = self.inside.connect(first).await?;
        if let Err(shut) = self.check() {
            drop(pipe);
            self.inside.stop().await?;
            return Err(shut);
        }
        Ok(pipe)
    }

    async fn left(&self) -> Result<Left> {
        self.check()?;
        self.inside.left().await
    }
}

impl<C: Connect + Kept> Kept for Door<C> {
    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        self.inside.ready()
    }

    fn stop(&self) -> BoxFuture<'_, Result<()>> {
        self.shut.store(true, Ordering::SeqCst);
        self.inside.stop()
    }

    fn remove(&self) -> BoxFuture<'_, Result<()>> {
        self.shut.store(true, Ordering::SeqCst);
        self.inside.remove()
    }
}
