//! Keeps a task from waking itself.
//!
//! Whoever moves a pipe wakes whoever waits for it, and here that is often the very
//! same task. A runtime takes such a wake for work: it runs the task once more, and
//! calls another thread to help. Here it only means one more turn of the poll.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, ThreadId},
};

/// How many turns one poll takes before others have theirs.
const MOST_TURNS: usize = 16;

/// A waker for one task that tells its own wakes from others'.
#[derive(Debug)]
pub struct Hush {
    inner: Arc<Inner>,
    waker: Waker,
}

#[derive(Debug)]
struct Inner {
    again: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Whom to wake; nobody once the task is over.
    task: Option<Waker>,
    /// The thread that is polling it.
    polling: Option<ThreadId>,
}

impl Default for Hush {
    fn default() -> Self {
        let inner = Arc::new(Inner { again: AtomicBool::new(false), state: Mutex::default() });
        Self { waker: Waker::from(Arc::clone(&inner)), inner }
    }
}

impl Hush {
    /// Polls something again as long as it wakes itself.
    pub fn poll<T>(
        &self,
        context: &mut Context<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.inner.begin(context.waker());
        // A panic in the poll leaves the flag behind, and the waker silent on this thread,
        // unless this clears it.
        let _end = EndOnDrop(&self.inner);
        for _ in 0..MOST_TURNS {
            self.inner.again.store(false, Ordering::Relaxed);
            if let Poll::Ready(output) = poll(&mut Context::from_waker(&self.waker)) {
                return Poll::Ready(output);
            }
            if !self.inner.again.load(Ordering::Relaxed) {
                return Poll::Pending;
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for Hush {
    fn drop(&mut self) {
        // Whoever still has the waker wakes nobody.
        self.inner.with(|state| state.task = None);
    }
}

impl Inner {
    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn begin(&self, task: &Waker) {
        self.with(|state| {
            match &mut state.task {
                Some(there) => there.clone_from(task),
                none => *none = Some(task.clone()),
            }
            state.polling = Some(thread::current().id());
        });
    }
}

struct EndOnDrop<'a>(&'a Inner);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.with(|state| state.polling = None);
    }
}

impl Wake for Inner {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let task = self.with(|state| {
            if state.polling == Some(thread::current().id()) {
                self.again.store(true, Ordering::Relaxed);
                return None;
            }
            state.task.clone()
        });
        if let Some(task) = task {
            task.wake();
        }
    }
}
