//! `stage`: a tree in a hidden directory of its base, until it lands or is dropped.

mod build;
mod land;
mod reach;

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use garth_contract::{BoxFuture, Clobber, Landed, Part, Result, Stage, WsPath};
use tokio::runtime::Handle;

pub(crate) use self::build::{Build, locate};
use crate::blocking;

/// A tree that is being built, on threads that may block.
pub(crate) struct Staged(Option<Arc<Mutex<Build>>>);

impl Staged {
    pub(crate) fn new(build: Build) -> Self {
        Self(Some(Arc::new(Mutex::new(build))))
    }

    /// Cancel: the work goes on to its end; what it works on goes away after it.
    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Build) -> Result<T> + Send + 'static,
    ) -> BoxFuture<'static, Result<T>> {
        let build = self.0.clone();
        Box::pin(blocking::run(move || match build {
            Some(build) => work(&mut build.lock().unwrap_or_else(PoisonError::into_inner)),
            None => Err(garth_contract::Error::of(garth_contract::Code::Internal)),
        }))
    }
}

impl Stage for Staged {
    fn add(&mut self, parts: Vec<Part>) -> BoxFuture<'_, Result<()>> {
        self.run(move |build| parts.into_iter().try_for_each(|part| build.add(part)))
    }

    fn read_back<'a>(
        &'a mut self,
        path: &'a WsPath,
        offset: u64,
        length: u64,
    ) -> BoxFuture<'a, Result<Bytes>> {
        let path = path.clone();
        self.run(move |build| build.read_back(&path, offset, length))
    }

    fn land(self: Box<Self>, clobber: Clobber) -> BoxFuture<'static, Result<Landed>> {
        self.run(move |build| {
            let landed = build.land(clobber);
            // Gone before the answer: who is told that it failed finds nothing left.
            build.discard();
            landed
        })
    }

    fn discard(self: Box<Self>) -> BoxFuture<'static, ()> {
        let gone = self.run(|build| {
            build.discard();
            Ok(())
        });
        Box::pin(async move {
            // It can only fail with the runtime, and then the drop does the same.
            let _ = gone.await;
        })
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        let Some(build) = self.0.take() else { return };
        if let Ok(runtime) = Handle::try_current() {
            // A runtime that ends before it comes to this drops it all the same.
            runtime.spawn_blocking(move || drop(build));
        }
    }
}
