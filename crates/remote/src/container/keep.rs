//! Keeps one sandbox with a guest in it: finds it, starts it, and reaches its guest.
//!
//! This is what all containers have in common, whoever runs them. A pipe is asked
//! for by every call that finds the last one broken, so this is also the one place
//! where a sandbox that is gone comes back.

use std::{future::Future, io, pin::Pin, time::Duration};

use garth_contract::{ProcessId, Result};
use garth_wire::Duplex;
use tokio::{
    sync::Mutex,
    time::{self, Instant},
};

use super::{Container, Place, Reach, place::Past, refuse};
use crate::Left;

/// How long a guest may take from the start of its sandbox until it listens.
const UNTIL_IT_LISTENS: Duration = Duration::from_secs(60);

/// How long only the socket is tried before the relay is.
const SOCKET_ALONE: Duration = Duration::from_secs(3);

/// How often a guest that does not listen yet is looked for.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// How often it is asked meanwhile whether the sandbox runs at all.
const STILL_ALIVE: Duration = Duration::from_millis(250);

/// Whether a sandbox is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It runs, as it is wanted.
    Runs,
    /// There is none.
    Gone,
}

/// A way to run a guest in a sandbox.
pub(crate) trait Sandbox: Send + Sync + 'static {
    /// Says whether it runs as it is wanted; one that does not is removed.
    fn standing(&self, place: &Place) -> impl Future<Output = Result<Standing>> + Send;

    /// Starts it, where there is none.
    fn start(&self, place: &Place, first: ProcessId) -> impl Future<Output = Result<()>> + Send;

    /// Says whether it runs.
    fn lives(&self) -> impl Future<Output = Result<bool>> + Send;

    /// Starts a relay to its guest.
    fn relay(&self) -> impl Future<Output = Result<Pin<Box<dyn Duplex>>>> + Send;

    /// Ends everything in it and removes it; no error where there is none.
    fn end(&self) -> impl Future<Output = Result<()>> + Send;
}

/// A sandbox that is there whenever it is needed.
#[derive(Debug)]
pub(crate) struct Keep<S> {
    pub(crate) sandbox: S,
    container: Container,
    place: Place,
    /// Held while it is looked for, so that it is started once however many want it.
    known: Mutex<Known>,
}

/// What is known of a sandbox.
#[derive(Debug)]
struct Known {
    /// By which way its guest was last reached.
    way: Option<Way>,
    /// Whether its last life began here.
    past: Past,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Socket,
    Relay,
}

impl<S: Sandbox> Keep<S> {
    /// Keeps a sandbox; nothing is done until it is first needed.
    ///
    /// # Errors
    /// `INVALID_PARAMS`.
    pub(crate) fn new(sandbox: S, container: Container) -> Result<Self> {
        container.check()?;
        let place = Place::of(&container);
        let known = Mutex::new(Known { way: None, past: Past::Unknown });
        Ok(Self { sandbox, container, place, known })
    }

    /// A pipe to the guest; one that must be started counts its processes from `first`,
    /// or from further on where these numbers may have been used.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    ///
    /// Cancel: what was started is found by the next call.
    pub(crate) async fn connect(&self, first: ProcessId) -> Result<Pin<Box<dyn Duplex>>> {
        let mut known = self.known.lock().await;
        if let Some(way) = known.way.take()
            && let Some(pipe) = self.by(way).await
        {
            known.way = Some(way);
            return Ok(pipe);
        }
        let user = self.container.inhabitant()?;
        self.place.make(&self.container.workspace, user)?;
        match self.sandbox.standing(&self.place).await? {
            Standing::Runs => known.past = Past::Unknown,
            Standing::Gone => {
                self.place.clear();
                let first = self.place.next_life(first, known.past)?;
                self.sandbox.start(&self.place, first).await?;
                known.past = Past::Known;
            }
        }
        let (way, pipe) = self.reach().await?;
        known.way = Some(way);
        Ok(pipe)
    }

    /// What there is of it, before it is first reached from here.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub(crate) async fn left(&self) -> Result<Left> {
        if !self.place.had_a_life() {
            return Ok(Left::Nothing);
        }
        Ok(if self.sandbox.lives().await? { Left::Runs } else { Left::Lost })
    }

    /// Ends the sandbox and everything in it; the next call starts another.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub(crate) async fn stop(&self) -> Result<()> {
        let mut known = self.known.lock().await;
        known.way = None;
        if !self.place.had_a_life() {
            return Ok(());
        }
        self.sandbox.end().await
    }

    /// Ends the sandbox and forgets it.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub(crate) async fn remove(&self) -> Result<()> {
        let mut known = self.known.lock().await;
        known.way = None;
        if self.place.had_a_life() {
            self.sandbox.end().await?;
        }
        self.place.remove().map_err(|_| {
            refuse::unavailable(
                "the container's directory on this machine cannot be removed",
                "Remove what is left of it by hand.",
            )
        })
    }

    async fn by(&self, way: Way) -> Option<Pin<Box<dyn Duplex>>> {
        match way {
            Way::Socket => self.socket().await.ok(),
            // A relay enters a sandbox that is gone as little as one that never was.
            Way::Relay => self.sandbox.relay().await.ok(),
        }
    }

    async fn socket(&self) -> io::Result<Pin<Box<dyn Duplex>>> {
        Ok(Box::pin(self.place.connect().await?))
    }

    /// Tries until the guest listens, the sandbox is gone, or time is up.
    async fn reach(&self) -> Result<(Way, Pin<Box<dyn Duplex>>)> {
        let begun = Instant::now();
        let mut looked = begun;
        while begun.elapsed() < UNTIL_IT_LISTENS {
            let relay = match self.container.reach {
                Reach::Socket => false,
                Reach::Either => begun.elapsed() > SOCKET_ALONE,
                Reach::Relay => true,
            };
            if self.container.reach != Reach::Relay
                && let Ok(pipe) = self.socket().await
            {
                return Ok((Way::Socket, pipe));
            }
            if relay {
                return Ok((Way::Relay, self.sandbox.relay().await?));
            }
            if looked.elapsed() > STILL_ALIVE {
                if !self.sandbox.lives().await? {
                    return Err(it_ended());
                }
                looked = Instant::now();
            }
            time::sleep(LOOK_AGAIN).await;
        }
        Err(refuse::unavailable(
            "the guest does not answer",
            "The machine may be too busy; look at the container's log.",
        ))
    }
}

fn it_ended() -> garth_contract::Error {
    refuse::unavailable(
        "the sandbox ended as soon as it was started",
        "Look at its log: the guest may be built for another processor, or the root \
         filesystem refuse it.",
    )
}
