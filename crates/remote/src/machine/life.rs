//! A workspace's virtual machine through its lives: started when it is needed, ended, and
//! removed with its disk. Whoever runs it differs only in how.

use std::{fmt, future::Future, sync::Arc};

use garth_contract::{Code, Error, Result};
use tokio::sync::Mutex;

use super::{Machine, unavailable};
use crate::{
    Left,
    container::{Past, Place},
};

/// The name of the workspace's disk in the machine's directory.
pub(crate) const DISK: &str = "files.ext4";

/// The name of the machine's first files there.
pub(crate) const FIRST: &str = "first-files";

/// What runs virtual machines, as this machine has it.
pub trait Runner: Clone + fmt::Debug + Send + Sync + 'static {
    /// A machine that it runs.
    type Alive: Alive;

    /// Looks whether a machine could be had, and makes none.
    ///
    /// *Errors*: `PROVIDER_UNAVAILABLE` with what is missing.
    fn ready(&self, machine: &Machine) -> Result<()>;
}

/// A virtual machine that runs, as far as can be told.
pub trait Alive: fmt::Debug + Send + Sync + 'static {
    /// What is left in the machine's directory of one that sleeps.
    const ASLEEP: &'static [&'static str] = &[];

    /// Whether it runs.
    fn lives(&self) -> bool;

    /// Lets it end by itself, and then makes it.
    fn end(self) -> impl Future<Output = ()> + Send;
}

/// A workspace's machine; clones are the same.
///
/// Dropping the last of them ends it. Its files stay on its disk.
#[derive(Clone, Debug)]
pub struct Virtual<R: Runner>(pub(crate) Arc<Inside<R>>);

/// What the clones share.
#[derive(Debug)]
pub(crate) struct Inside<R: Runner> {
    pub(crate) runner: R,
    pub(crate) machine: Machine,
    pub(crate) place: Place,
    /// Held while it is started or ended.
    pub(crate) now: Mutex<Now<R::Alive>>,
}

/// Whether a machine runs, and what is known of those before it.
#[derive(Debug)]
pub(crate) struct Now<A> {
    pub(crate) running: Option<A>,
    pub(crate) past: Past,
}

impl<R: Runner> Virtual<R> {
    /// A machine of its own; nothing is started yet.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a description that makes no sense.
    pub fn new(runner: R, machine: Machine) -> Result<Self> {
        machine.check()?;
        let place = Place::named(&machine.run, &machine.name());
        let now = Mutex::new(Now { running: None, past: Past::Unknown });
        Ok(Self(Arc::new(Inside { runner, machine, place, now })))
    }

    /// Looks whether a machine could be had, and makes none.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` with what is missing.
    pub fn ready(&self) -> Result<()> {
        self.0.runner.ready(&self.0.machine)
    }

    /// Ends the machine, which writes down what it holds; the next call starts it anew
    /// on the same disk.
    ///
    /// # Errors
    /// None at present.
    pub async fn stop(&self) -> Result<()> {
        let mut now = self.0.now.lock().await;
        if let Some(alive) = now.running.take() {
            alive.end().await;
        }
        // What sleeps would wake on a disk that has changed.
        self.0.forget_sleep();
        Ok(())
    }

    /// The same, and removes the disk with everything on it.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where it cannot be removed.
    pub async fn remove(&self) -> Result<()> {
        self.stop().await?;
        self.0.place.remove().map_err(|_| {
            unavailable(
                "the virtual machine's directory cannot be removed",
                "Remove what is left of it by hand.",
            )
        })
    }

    /// What the machine is called, and its directory below `run`.
    #[must_use]
    pub fn name(&self) -> String {
        self.0.machine.name()
    }

    /// What there is of it.
    pub(crate) async fn look(&self) -> Left {
        let now = self.0.now.lock().await;
        match (now.alive().is_ok() || self.0.sleeps(), self.0.place.had_a_life()) {
            (true, _) => Left::Runs,
            (false, true) => Left::Lost,
            (false, false) => Left::Nothing,
        }
    }
}

impl<R: Runner> Inside<R> {
    /// Whether it can be woken.
    pub(crate) fn sleeps(&self) -> bool {
        let parts = R::Alive::ASLEEP;
        !parts.is_empty()
            && parts.iter().all(|name| rustix::fs::stat(self.place.part(name)).is_ok())
    }

    /// Sees to it that it is not woken.
    pub(crate) fn forget_sleep(&self) {
        for name in R::Alive::ASLEEP {
            let _ = rustix::fs::unlink(self.place.part(name));
        }
    }
}

impl<A: Alive> Now<A> {
    /// The machine that runs.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where none does.
    pub(crate) fn alive(&self) -> Result<&A> {
        let alive = self.running.as_ref().filter(|alive| alive.lives());
        alive.ok_or_else(none_runs)
    }
}

/// No machine runs that could be told something.
pub(crate) fn none_runs() -> Error {
    Error::new(Code::ProviderUnavailable, "no virtual machine runs")
}
