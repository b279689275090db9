//! What a watch has still to tell: one change a path, and a bound on all of them.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use garth_contract::{Change, Event, Flow, WsPath};

/// How many paths wait for a slow reader before it is told to list again.
const CAPACITY: usize = 4096;

/// Changes on their way to one reader.
#[derive(Default)]
pub(super) struct Queue(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    /// The paths in the order of their first change.
    order: VecDeque<WsPath>,
    changes: HashMap<WsPath, Existence>,
    overflow: bool,
    ended: bool,
    waker: Option<Waker>,
}

/// Whether a path was there at the last event about it, and whether it is now.
#[derive(Clone, Copy)]
struct Existence {
    before: bool,
    now: bool,
}

impl Queue {
    /// Adds a change; `Stop` says that the reader will have to list again anyway.
    pub(super) fn push(&self, path: WsPath, change: Change) -> Flow {
        let mut waiting = self.lock();
        if waiting.overflow || waiting.ended {
            return Flow::Stop;
        }
        if let Some(existence) = waiting.changes.get_mut(&path) {
            existence.now = change != Change::Deleted;
            return Flow::Continue;
        }
        if waiting.order.len() >= CAPACITY {
            waiting.start_over();
            wake(waiting);
            return Flow::Stop;
        }
        let existence =
            Existence { before: change != Change::Created, now: change != Change::Deleted };
        waiting.changes.insert(path.clone(), existence);
        waiting.order.push_back(path);
        wake(waiting);
        Flow::Continue
    }

    /// Tells the reader to list again.
    pub(super) fn overflow(&self) {
        let mut waiting = self.lock();
        waiting.start_over();
        wake(waiting);
    }

    /// Ends the stream once what waits has been read.
    pub(super) fn end(&self) {
        let mut waiting = self.lock();
        waiting.ended = true;
        wake(waiting);
    }

    /// Takes the next event, or waits for one.
    pub(super) fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        let mut waiting = self.lock();
        if std::mem::take(&mut waiting.overflow) {
            return Poll::Ready(Some(Event::Overflow));
        }
        if let Some(path) = waiting.order.pop_front() {
            let change = match waiting.changes.remove(&path) {
                Some(Existence { before: false, now: true }) => Change::Created,
                Some(Existence { before: true, now: true }) => Change::Modified,
                // What came and went is told too: its deletion is true and does no harm.
                Some(Existence { now: false, .. }) | None => Change::Deleted,
            };
            return Poll::Ready(Some(Event::Changed { path, change }));
        }
        if waiting.ended {
            return Poll::Ready(None);
        }
        waiting.waker = Some(context.waker().clone());
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn start_over(&mut self) {
        self.order.clear();
        self.changes.clear();
        self.overflow = true;
    }
}

/// Wakes the reader, not before the queue is free for it.
fn wake(mut waiting: MutexGuard<'_, Waiting>) {
    let waker = waiting.waker.take();
    drop(waiting);
    if let Some(waker) = waker {
        waker.wake();
    }
}
