//! Bytes a minute: what comes is charged before, what leaves is owed after.
//!
//! The same GCRA as for requests, with one thing that the limiter for those cannot do:
//! a reply has left when its size is known, so its bytes are taken even where they are
//! not there, and the next call waits until they are.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use governor::clock::{Clock, Reference};

use super::Scope;

/// A minute, over which a budget refills.
const MINUTE: u128 = 60_000_000_000;

/// The byte budgets: for each key the time, in nanoseconds from the start, at which
/// its budget is full again.
pub(super) struct Bytes<C: Clock> {
    clock: C,
    start: C::Instant,
    full_at: Mutex<HashMap<Scope, u64>>,
}

impl<C: Clock> Bytes<C> {
    pub(super) fn new(clock: C) -> Self {
        Self { start: clock.now(), clock, full_at: Mutex::default() }
    }

    /// Pays for a request, once everything before it is paid. One that is larger than a
    /// minute's budget needs a full one, and owes the rest.
    ///
    /// # Errors
    /// The time after which it can be paid.
    pub(super) fn charge(&self, scope: &Scope, most: u64, bytes: u64) -> Result<(), Duration> {
        // Nothing a minute is a refusal that no wait helps; a minute is as good as any.
        let minute = Duration::from_secs(60);
        let needed = time_for(bytes.min(most), most).ok_or(minute)?;
        let full = time_for(most, most).ok_or(minute)?;
        let now = self.now();
        let mut all = self.lock();
        let full_at = all.get(scope).copied().unwrap_or(now).max(now);
        let fits_at = full_at.saturating_add(needed).saturating_sub(full);
        if fits_at > now {
            return Err(Duration::from_nanos(fits_at - now));
        }
        let cost = time_for(bytes, most).unwrap_or(u64::MAX);
        if cost > 0 {
            all.insert(scope.clone(), full_at.saturating_add(cost));
        }
        Ok(())
    }

    /// Pays for a reply that has left, whether or not it is there.
    pub(super) fn owe(&self, scope: &Scope, most: u64, bytes: u64) {
        let Some(cost) = time_for(bytes, most).filter(|cost| *cost > 0) else { return };
        let now = self.now();
        let mut all = self.lock();
        let full_at = all.entry(scope.clone()).or_insert(now);
        *full_at = (*full_at).max(now).saturating_add(cost);
    }

    pub(super) fn keys(&self) -> usize {
        self.lock().len()
    }

    pub(super) fn sweep(&self) {
        let now = self.now();
        self.lock().retain(|_, full_at| *full_at > now);
    }

    fn now(&self) -> u64 {
        self.clock.now().duration_since(self.start).as_u64()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Scope, u64>> {
        self.full_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long so many bytes take to refill, in nanoseconds; `None` where none ever do.
fn time_for(bytes: u64, most: u64) -> Option<u64> {
    let time = (u128::from(bytes) * MINUTE).checked_div(u128::from(most))?;
    Some(u64::try_from(time).unwrap_or(u64::MAX))
}
