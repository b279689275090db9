//! What a search has found and its client has not had yet: bounded, and in order.
//!
//! The search pushes from threads of its own and waits here when it is too far
//! ahead; the stream takes all there is each time it can send, so the first result
//! leaves at once and many come together.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Waker},
};

use garth_contract::{Flow, Found, Sink};
use garth_wire::Batch;

/// How far a search may be ahead of its client, in bytes.
const MOST_AHEAD: u64 = 128 << 10;

/// Results between a search and its stream.
#[derive(Default)]
pub(crate) struct Ahead {
    state: Mutex<State>,
    taken: Condvar,
}

#[derive(Default)]
struct State {
    batch: Batch,
    stream: Option<Waker>,
    over: bool,
}

impl Ahead {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what has been found; with nothing there, `context` is woken later.
    pub(crate) fn take(&self, context: &Context<'_>) -> Option<Batch> {
        let mut state = self.state();
        if state.batch.is_empty() {
            state.stream = Some(context.waker().clone());
            return None;
        }
        let batch = std::mem::take(&mut state.batch);
        self.taken.notify_all();
        Some(batch)
    }

    /// Ends the search: nothing more is wanted.
    pub(crate) fn end(&self) {
        self.state().over = true;
        self.taken.notify_all();
    }
}

impl Sink for Ahead {
    fn accept(&self, found: Found<'_>) -> Flow {
        let mut state = self.state();
        while !state.over && state.batch.size() >= MOST_AHEAD {
            state = self.taken.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.over {
            return Flow::Stop;
        }
        state.batch.push(found);
        if let Some(stream) = state.stream.take() {
            stream.wake();
        }
        Flow::Continue
    }
}
