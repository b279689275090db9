//! Requests a minute.
//!
//! A limiter has one quota for all its keys, so there is one for each number that
//! somebody has; there are few different ones.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use governor::{
    Quota, RateLimiter, clock::Clock, middleware::NoOpMiddleware, state::keyed::HashMapStateStore,
};

use super::{Family, Scope};

/// Different numbers that are kept; beyond them the oldest budgets begin anew.
const MOST_NUMBERS: usize = 256;

type Key = (Scope, Family);
type Limiter<C> =
    RateLimiter<Key, HashMapStateStore<Key>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// Requests a minute, of everybody.
pub(super) struct Rates<C: Clock> {
    clock: C,
    limiters: Mutex<HashMap<u32, Arc<Limiter<C>>>>,
}

impl<C: Clock + Clone> Rates<C> {
    pub(super) fn new(clock: C) -> Self {
        Self { clock, limiters: Mutex::default() }
    }

    /// Takes one, where so many a minute may be taken.
    ///
    /// # Errors
    /// The time after which there is one.
    pub(super) fn take(&self, key: &Key, most: u32) -> Result<(), Duration> {
        // Nothing a minute is a refusal that no wait helps; a minute is as good as any.
        let Some(most) = NonZeroU32::new(most) else { return Err(Duration::from_secs(60)) };
        let taken = self.limiter(most).check_key(key);
        taken.map_err(|until| until.wait_time_from(self.clock.now()))
    }

    /// How many keys are remembered.
    pub(super) fn keys(&self) -> usize {
        self.lock().values().map(|limiter| limiter.len()).sum()
    }

    /// Forgets keys whose budgets are full again.
    pub(super) fn sweep(&self) {
        let mut limiters = self.lock();
        limiters.values().for_each(|limiter| limiter.retain_recent());
        limiters.retain(|_, limiter| !limiter.is_empty());
    }

    fn limiter(&self, most: NonZeroU32) -> Arc<Limiter<C>> {
        let mut limiters = self.lock();
        if let Some(limiter) = limiters.get(&most.get()) {
            return Arc::clone(limiter);
        }
        if limiters.len() >= MOST_NUMBERS {
            limiters.clear();
        }
        let quota = Quota::per_minute(most);
        let limiter = Arc::new(RateLimiter::hashmap_with_clock(quota, self.clock.clone()));
        limiters.insert(most.get(), Arc::clone(&limiter));
        limiter
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, Arc<Limiter<C>>>> {
        self.limiters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
