//! Watches that are asked from time to time what has changed.
//!
//! What has changed and was not asked for is kept, so much and no more: of what comes
//! beyond that one event says that something was lost.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tokio::{task::AbortHandle, time::Instant};

/// Events of a watch that wait to be asked for.
const MOST_EVENTS: usize = 4_096;
/// Watches of a sandbox.
const MOST_WATCHERS: usize = 64;
/// A watch that nobody asks for so long is ended.
const FORGOTTEN: Duration = Duration::from_secs(3_600);

/// The watches of one sandbox that are asked.
#[derive(Default)]
pub(super) struct Watchers(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    next: u64,
    all: HashMap<String, Watcher>,
}

struct Watcher {
    queue: Arc<Queue>,
    task: AbortHandle,
    asked: Instant,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What has changed and was not asked for.
#[derive(Default)]
pub(super) struct Queue(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    events: VecDeque<Value>,
    lost: bool,
}

impl Queue {
    /// Adds an event; where there is no room, all that wait are lost.
    pub(super) fn put(&self, event: Value) {
        let mut waiting = self.lock();
        if waiting.events.len() >= MOST_EVENTS {
            waiting.events.clear();
            waiting.lost = true;
        }
        waiting.events.push_back(event);
    }

    /// Takes what waits; the first says whether something was lost.
    pub(super) fn take(&self, lost: impl FnOnce() -> Value) -> Vec<Value> {
        let mut waiting = self.lock();
        let first = std::mem::take(&mut waiting.lost).then(lost);
        first.into_iter().chain(std::mem::take(&mut waiting.events)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watchers {
    /// Keeps a watch, and names it; nothing where there are too many.
    pub(super) fn keep(&self, queue: Arc<Queue>, task: AbortHandle) -> Option<String> {
        let mut inner = self.lock();
        let now = Instant::now();
        inner.all.retain(|_, watcher| now.duration_since(watcher.asked) < FORGOTTEN);
        let watcher = Watcher { queue, task, asked: now };
        if inner.all.len() >= MOST_WATCHERS {
            return None;
        }
        inner.next += 1;
        let name = format!("w{}", inner.next);
        inner.all.insert(name.clone(), watcher);
        Some(name)
    }

    /// The queue of a watch.
    pub(super) fn ask(&self, name: &str) -> Option<Arc<Queue>> {
        let mut inner = self.lock();
        let watcher = inner.all.get_mut(name)?;
        watcher.asked = Instant::now();
        Some(Arc::clone(&watcher.queue))
    }

    /// Ends a watch; says whether there was one.
    pub(super) fn end(&self, name: &str) -> bool {
        self.lock().all.remove(name).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_queue_that_is_full_says_that_something_was_lost() {
        let queue = Queue::default();
        for number in 0..MOST_EVENTS + 2 {
            queue.put(json!(number));
        }
        let lost = || json!("lost");
        let taken = queue.take(lost);
        assert_eq!(taken, [json!("lost"), json!(MOST_EVENTS), json!(MOST_EVENTS + 1)]);
        queue.put(json!("next"));
        assert_eq!(queue.take(lost), [json!("next")]);
    }
}
