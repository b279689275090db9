//! One pipe to a guest, from its hello until it breaks.
//!
//! Whoever waits for an answer also moves the pipe: a call that is alone reads its
//! answer on the thread that asked, and no other is woken. With several calls, or
//! none, a task of its own moves it ([`drive`](crate::drive)).

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
};

use garth_contract::{Code, Error};
use garth_wire::{Mux, Talk, Vigil, Welcome};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::barrier::Barrier;

/// How many calls of one connection may be under way: the guest's bound on streams,
/// less those that it has not yet heard the end of.
const MOST_CALLS: usize = 192;

/// How many of them may last: searches, watches, commands. The others are left for
/// calls that are over in a moment, which so never wait for these.
const MOST_LASTING: usize = 128;

/// One pipe to a guest.
pub(crate) struct Connection {
    pub(crate) welcome: Welcome,
    pub(crate) places: Arc<Semaphore>,
    pub(crate) lasting: Arc<Semaphore>,
    pub(crate) barrier: Barrier,
    wires: Mutex<Wires>,
    /// Streams that no call uses; a stream serves one call after the other.
    idle: Mutex<Vec<Talk>>,
    given_up: Mutex<Vec<GivenUp>>,
    /// Whether it is worth staying awake for an answer.
    vigil: Mutex<Vigil>,
    next: AtomicU64,
}

/// A call by its number on this connection.
pub(crate) type Token = u64;

/// Nobody's number.
const NOBODY: Token = 0;

/// The pipe, and who waits for it.
struct Wires {
    /// There until it breaks.
    mux: Option<Mux>,
    broken: Option<Why>,
    waiting: Vec<(Token, Waker)>,
    /// The task that moves the pipe when no call does.
    driver: Option<Waker>,
    /// The call that the system wakes when the pipe can be moved.
    awake: Token,
}

/// Why a connection is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The pipe is closed.
    Closed,
    /// Nothing has come for too long.
    Silent,
    /// What came was out of all rules.
    Unruly,
    /// Nobody here wants it any more.
    Dropped,
}

impl Why {
    /// What calls are told that were under way.
    pub(crate) fn error(self) -> Error {
        let message = match self {
            Self::Closed => "the sandbox is gone: the pipe to its guest broke",
            Self::Silent => "the sandbox's guest does not answer",
            Self::Unruly => "the sandbox's guest does not keep to the protocol",
            Self::Dropped => "the workspace has stopped",
        };
        Error::new(Code::ProviderUnavailable, message)
    }
}

/// A stream whose call was dropped, until the guest has heard of it.
pub(crate) struct GivenUp {
    pub(crate) talk: Talk,
    /// Kept as long as the guest may have the stream.
    pub(crate) _place: Places,
    pub(crate) changes: bool,
    pub(crate) since: tokio::time::Instant,
    pub(crate) closed: bool,
}

/// What a call holds while it is under way.
pub(crate) struct Places {
    pub(crate) _one: OwnedSemaphorePermit,
    pub(crate) _lasting: Option<OwnedSemaphorePermit>,
}

impl Connection {
    pub(crate) fn new(mux: Mux, welcome: Welcome) -> Self {
        Self {
            welcome,
            places: Arc::new(Semaphore::new(MOST_CALLS)),
            lasting: Arc::new(Semaphore::new(MOST_LASTING)),
            barrier: Barrier::default(),
            wires: Mutex::new(Wires {
                mux: Some(mux),
                broken: None,
                waiting: Vec::new(),
                driver: None,
                awake: NOBODY,
            }),
            idle: Mutex::default(),
            given_up: Mutex::default(),
            vigil: Mutex::default(),
            next: AtomicU64::new(NOBODY + 1),
        }
    }

    /// A number for a call.
    pub(crate) fn token(&self) -> Token {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn wires(&self) -> MutexGuard<'_, Wires> {
        lock(&self.wires)
    }

    /// Why it is no more, if it is.
    pub(crate) fn broken(&self) -> Option<Why> {
        self.wires().broken
    }

    /// Whether it is worth staying awake for an answer, and whether it was so far.
    pub(crate) fn vigil(&self) -> MutexGuard<'_, Vigil> {
        lock(&self.vigil)
    }

    /// Moves the pipe on behalf of a call that waits.
    ///
    /// # Errors
    /// Why the connection is no more.
    pub(crate) fn push(&self, token: Token, context: &mut Context<'_>) -> Result<(), Why> {
        let mut wires = self.wires();
        wires.wait(token, context.waker());
        // With others, the one that the system wakes must not be a call whose owner may
        // have better things to do.
        let alone = wires.waiting.len() == 1;
        let driver = wires.driver.clone().filter(|_| !alone);
        wires.awake = if driver.is_some() { NOBODY } else { token };
        match driver {
            Some(driver) => wires.push(&mut Context::from_waker(&driver)),
            None => wires.push(context),
        }
    }

    /// Moves the pipe on behalf of nobody; `context` is the driver's.
    pub(crate) fn push_as_driver(&self, context: &mut Context<'_>) -> Result<(), Why> {
        let mut wires = self.wires();
        if !wires.driver.as_ref().is_some_and(|driver| driver.will_wake(context.waker())) {
            wires.driver = Some(context.waker().clone());
        }
        wires.awake = NOBODY;
        wires.push(context)
    }

    /// Opens a stream, or takes one that was used before.
    pub(crate) fn poll_open(&self, context: &mut Context<'_>) -> Poll<Result<Talk, Why>> {
        if let Some(talk) = lock(&self.idle).pop() {
            return Poll::Ready(Ok(talk));
        }
        let mut wires = self.wires();
        let Some(mux) = &mut wires.mux else {
            return Poll::Ready(Err(wires.broken.unwrap_or(Why::Closed)));
        };
        mux.poll_open(context).map_err(|_| wires.end(Why::Closed))
    }

    /// Ends a call: somebody else must move the pipe now.
    pub(crate) fn leave(&self, token: Token) {
        let unheard = !lock(&self.given_up).is_empty();
        let mut wires = self.wires();
        wires.waiting.retain(|(waiting, _)| *waiting != token);
        if wires.awake == token {
            wires.awake = NOBODY;
            // When nobody waits, the driver looks in from time to time, and so does the next
            // call before it sends anything; but a change sends nothing before the guest has
            // said that those which were given up are over.
            if !wires.waiting.is_empty() || unheard {
                wires.wake_driver();
            }
        }
    }

    /// Takes a stream back whose call is over.
    pub(crate) fn keep(&self, talk: Talk) {
        lock(&self.idle).push(talk);
    }

    /// Takes a stream whose call was dropped, to tell the guest.
    pub(crate) fn give_up(&self, given_up: GivenUp) {
        if given_up.changes {
            self.barrier.raise();
        }
        lock(&self.given_up).push(given_up);
        self.wires().wake_driver();
    }

    /// Tells the guest of calls that were dropped, and lets go of those it has heard of.
    pub(crate) fn poll_given_up(&self, context: &mut Context<'_>) {
        let broken = self.broken().is_some();
        lock(&self.given_up).retain_mut(|one| {
            if !one.closed {
                one.closed = one.talk.poll_close(context).is_ready();
            }
            let over = broken || (one.closed && one.talk.poll_drain(context).is_ready());
            if over && one.changes {
                self.barrier.lower();
            }
            !over
        });
    }

    /// Since when the guest has been told of a dropped call and does not react.
    pub(crate) fn oldest_given_up(&self) -> Option<tokio::time::Instant> {
        lock(&self.given_up).iter().map(|one| one.since).min()
    }

    /// Whether anybody waits for the guest.
    pub(crate) fn is_awaited(&self) -> bool {
        !self.wires().waiting.is_empty() || !lock(&self.given_up).is_empty()
    }

    /// How many bytes have come so far.
    pub(crate) fn arrived(&self) -> u64 {
        self.wires().mux.as_ref().map_or(0, Mux::arrived)
    }

    /// Gives the connection up; calls under way are told why.
    pub(crate) fn end(&self, why: Why) {
        let mut wires = self.wires();
        wires.end(why);
        wires.wake_driver();
    }
}

impl Wires {
    /// Remembers whom to wake if the connection breaks.
    fn wait(&mut self, token: Token, waker: &Waker) {
        match self.waiting.iter_mut().find(|(waiting, _)| *waiting == token) {
            Some((_, there)) => there.clone_from(waker),
            None => self.waiting.push((token, waker.clone())),
        }
    }

    fn push(&mut self, context: &mut Context<'_>) -> Result<(), Why> {
        let Some(mux) = &mut self.mux else { return Err(self.broken.unwrap_or(Why::Closed)) };
        match mux.poll(context) {
            Poll::Pending => Ok(()),
            Poll::Ready(Err(_)) => Err(self.end(Why::Closed)),
            // A guest has nothing to ask.
            Poll::Ready(Ok(_)) => Err(self.end(Why::Unruly)),
        }
    }

    /// Lets go of the pipe and wakes all who wait.
    fn end(&mut self, why: Why) -> Why {
        let why = *self.broken.get_or_insert(why);
        self.mux = None;
        for (_, waker) in self.waiting.drain(..) {
            waker.wake();
        }
        self.wake_driver();
        why
    }

    fn wake_driver(&self) {
        if let Some(driver) = &self.driver {
            driver.wake_by_ref();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
