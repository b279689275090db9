//! The way to a sink, which shuts when nobody waits for the search any more.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use garth_contract::{Flow, Found, Sink};

/// How long a dropped search waits for the call that its sink is in. A sink that
/// takes longer is one that blocks, and may wait for the very task that would
/// wait here.
const PATIENCE: Duration = Duration::from_millis(20);

/// A sink that can be shut.
pub(super) struct Gate {
    sink: Arc<dyn Sink>,
    passage: Mutex<Passage>,
    free: Condvar,
}

#[derive(Default)]
struct Passage {
    shut: bool,
    busy: bool,
}

impl Gate {
    pub(super) fn new(sink: Arc<dyn Sink>) -> Self {
        Self { sink, passage: Mutex::default(), free: Condvar::new() }
    }

    /// Tells whether the search is no longer wanted.
    pub(super) fn is_shut(&self) -> bool {
        self.lock().shut
    }

    /// Lets no call through any more, and waits a moment for one that is in there.
    fn shut(&self) {
        let mut passage = self.lock();
        passage.shut = true;
        if passage.busy {
            let _ = self.free.wait_timeout_while(passage, PATIENCE, |passage| passage.busy);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Passage> {
        self.passage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Gate {
    fn accept(&self, found: Found<'_>) -> Flow {
        let mut passage = self.lock();
        if passage.shut {
            return Flow::Stop;
        }
        passage.busy = true;
        drop(passage);
        let flow = self.sink.accept(found);
        self.lock().busy = false;
        self.free.notify_all();
        flow
    }
}

/// Shuts the gate when the search's future is dropped.
pub(super) struct Waiter(Arc<Gate>);

impl Waiter {
    pub(super) fn new(gate: Arc<Gate>) -> Self {
        Self(gate)
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.shut();
    }
}
