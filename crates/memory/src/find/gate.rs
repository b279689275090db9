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

    /// Lets no call through any more, and waits a while for one that is in there.
    fn shut(&self, patience: Duration) {
        let mut passage = self.lock();
        passage.shut = true;
        let _ = self.free.wait_timeout_while(passage, patience, |passage| passage.busy);
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
        self.0.shut(PATIENCE);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Barrier,
            atomic::{AtomicBool, Ordering},
        },
        thread,
    };

    use garth_contract::WsPath;

    use super::*;

    /// Its calls end once the gate is shut.
    #[derive(Default)]
    struct Slow {
        gate: Mutex<Option<Arc<Gate>>>,
        entered: Option<Barrier>,
        ended: AtomicBool,
    }

    impl Sink for Slow {
        fn accept(&self, _: Found<'_>) -> Flow {
            self.entered.as_ref().unwrap().wait();
            let gate = self.gate.lock().unwrap().take().unwrap();
            while !gate.is_shut() {
                thread::yield_now();
            }
            (0..50).for_each(|_| thread::yield_now());
            self.ended.store(true, Ordering::SeqCst);
            Flow::Continue
        }
    }

    #[test]
    fn a_gate_that_is_shut_waits_for_the_call_that_is_in_there() {
        let sink = Arc::new(Slow { entered: Some(Barrier::new(2)), ..Slow::default() });
        let gate = Arc::new(Gate::new(Arc::clone(&sink) as _));
        *sink.gate.lock().unwrap() = Some(Arc::clone(&gate));
        thread::scope(|scope| {
            scope.spawn(|| gate.accept(Found::File(&WsPath::root())));
            sink.entered.as_ref().unwrap().wait();
            gate.shut(Duration::from_secs(60));
            assert!(sink.ended.load(Ordering::SeqCst));
        });
        assert_eq!(gate.accept(Found::File(&WsPath::root())), Flow::Stop);
    }
}
