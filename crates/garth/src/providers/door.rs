//! The way into a sandbox that outlives this program, which can be shut.
//!
//! Whoever asks for a process finds its sandbox gone and would make another; once the
//! workspace is closed nobody may. One that is being made then is waited for and ended:
//! half a sandbox is known to nobody, and would be left.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use garth_contract::{BoxFuture, Code, Error, ProcessId, Result, Seat};
use garth_remote::{Connect, Lazy, Left, Link, Patience, Remote};
use garth_workspace::Commands;
use tokio::sync::{OnceCell, RwLock};

use super::{Kept, Opened, Whole};

/// A way into a sandbox; clones are the same.
#[derive(Clone)]
struct Door<C> {
    inside: C,
    shut: Arc<AtomicBool>,
    /// Shared by all who enter, and had alone by who ends what they entered.
    entering: Arc<RwLock<()>>,
}

impl Opened {
    /// Commands run in a sandbox that outlives this program, and its guest serves what its
    /// seat says.
    ///
    /// # Errors
    /// Those of [`seated`](Self::seated).
    pub(super) fn behind_a_door<C: Connect + Clone + Kept>(inside: C, seat: Seat) -> Result<Self> {
        let door = Door::new(inside);
        let opened = Self::seated(Lazy::new(door.clone(), Patience::USUAL), seat)?;
        Ok(Self { kept: Some(Arc::new(door)), ..opened })
    }

    /// Files and commands are in a sandbox.
    pub(super) fn whole<C: Connect + Clone + Kept>(inside: C, patience: Patience) -> Self {
        let door = Door::new(inside);
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
    fn new(inside: C) -> Self {
        Self { inside, shut: Arc::default(), entering: Arc::default() }
    }

    fn check(&self) -> Result<()> {
        if self.shut.load(Ordering::SeqCst) {
            return Err(Error::new(Code::ProviderUnavailable, "the workspace was closed"));
        }
        Ok(())
    }
}

impl<C: Connect + Clone + Kept> Door<C> {
    /// Goes in; what was made for somebody who finds it shut by then is ended.
    async fn enter(&self, first: ProcessId) -> Result<C::Pipe> {
        let _entering = self.entering.read().await;
        self.check()?;
        let pipe = self.inside.connect(first).await?;
        if let Err(shut) = self.check() {
            drop(pipe);
            self.inside.stop().await?;
            return Err(shut);
        }
        Ok(pipe)
    }
}

impl<C: Connect + Clone + Kept> Connect for Door<C> {
    type Pipe = C::Pipe;

    /// Cancel: it goes on, so that what is being made is known.
    async fn connect(&self, first: ProcessId) -> Result<C::Pipe> {
        self.check()?;
        let door = self.clone();
        let entered = tokio::spawn(async move { door.enter(first).await });
        entered.await.map_err(|_| Error::of(Code::Internal))?
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
        Box::pin(async {
            let _alone = self.entering.write().await;
            self.inside.stop().await
        })
    }

    fn remove(&self) -> BoxFuture<'_, Result<()>> {
        self.shut.store(true, Ordering::SeqCst);
        Box::pin(async {
            let _alone = self.entering.write().await;
            self.inside.remove().await
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::{io::DuplexStream, sync::Notify};

    use super::*;

    /// A sandbox that is made when it may be.
    #[derive(Clone, Default)]
    struct Slow {
        begun: Arc<Notify>,
        may_be: Arc<Notify>,
        is_there: Arc<AtomicBool>,
    }

    impl Connect for Slow {
        type Pipe = DuplexStream;

        async fn connect(&self, _: ProcessId) -> Result<DuplexStream> {
            self.begun.notify_one();
            self.may_be.notified().await;
            self.is_there.store(true, Ordering::SeqCst);
            Ok(tokio::io::duplex(1).0)
        }

        async fn left(&self) -> Result<Left> {
            Ok(Left::Nothing)
        }
    }

    impl Kept for Slow {
        fn ready(&self) -> BoxFuture<'_, Result<()>> {
            Box::pin(async { Ok(()) })
        }

        fn stop(&self) -> BoxFuture<'_, Result<()>> {
            self.is_there.store(false, Ordering::SeqCst);
            Box::pin(async { Ok(()) })
        }

        fn remove(&self) -> BoxFuture<'_, Result<()>> {
            self.stop()
        }
    }

    #[tokio::test]
    async fn a_sandbox_that_is_being_made_is_not_left_by_who_shuts_the_door() {
        let slow = Slow::default();
        let door = Door::new(slow.clone());
        let entering = tokio::spawn({
            let door = door.clone();
            async move { door.connect(ProcessId(1)).await.map(drop) }
        });
        slow.begun.notified().await;
        // Whoever wanted it is gone, as when the gateway stops.
        entering.abort();
        assert!(entering.await.is_err());
        let stopping = tokio::spawn(async move { door.stop().await });
        tokio::task::yield_now().await;
        assert!(!stopping.is_finished(), "nobody knows yet what will be there");
        slow.may_be.notify_one();
        stopping.await.unwrap().unwrap();
        assert!(!slow.is_there.load(Ordering::SeqCst));
    }
}
