//! One lock for each file that is being changed, in a fixed number of them.
//!
//! A path picks its lock by hash, so the table never grows; two files that share
//! one wait for each other and nothing worse. The lock spares edits of one
//! process the work of racing each other; what keeps an update from being lost,
//! also against other processes, is the guard of the write.

use std::{
    hash::{BuildHasher, RandomState},
    thread,
    time::Duration,
};

use garth_contract::WsPath;
use tokio::{
    runtime::Handle,
    sync::{Mutex, MutexGuard},
};

/// Enough that two files seldom meet, few enough to cost nothing.
const STRIPES: usize = 64;

/// The locks of one workspace.
#[derive(Debug)]
pub(crate) struct Locks {
    stripes: Vec<Mutex<()>>,
    hasher: RandomState,
}

impl Locks {
    pub(crate) fn new() -> Self {
        Self { stripes: (0..STRIPES).map(|_| Mutex::new(())).collect(), hasher: RandomState::new() }
    }

    /// Waits until nobody else changes any of these files through this workspace.
    ///
    /// Locks are taken in one order, so that two calls cannot wait for each other.
    ///
    /// Cancel: what was taken is let go.
    pub(crate) async fn hold(&self, paths: &[&WsPath]) -> Vec<MutexGuard<'_, ()>> {
        let mut wanted: Vec<usize> = paths.iter().map(|path| self.stripe_of(path)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut held = Vec::with_capacity(wanted.len());
        for stripe in wanted.iter().filter_map(|index| self.stripes.get(*index)) {
            held.push(stripe.lock().await);
        }
        held
    }

    /// Lets others go first: longer after each loss, and not in step with them.
    pub(crate) async fn pause(&self, attempt: u32) {
        // Up to about ten milliseconds, the time of a few synced writes.
        let longest = 100_u64 << attempt.min(7);
        let wait = Duration::from_micros(self.hasher.hash_one(attempt) % longest);
        // A timer of the runtime may be switched off; a thread can always sleep.
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || thread::sleep(wait)).await),
            Err(_) => tokio::task::yield_now().await,
        }
    }

    fn stripe_of(&self, path: &WsPath) -> usize {
        let hash = self.hasher.hash_one(path);
        usize::try_from(hash % STRIPES as u64).unwrap_or(0)
    }
}
