//! What is counted for one caller or one workspace.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use governor::clock::{Clock, Reference};

use super::{Family, Scope, bytes::Bytes, requests::Requests, slots::Places};

/// A minute, over which every budget refills.
pub(super) const MINUTE: Duration = Duration::from_secs(60);

/// The accounts of everybody who asked for something lately.
pub(super) struct Accounts<C: Clock> {
    clock: C,
    start: C::Instant,
    all: Mutex<HashMap<Scope, Arc<Account<C>>>>,
}

/// What one of them has asked for, and has open.
pub(super) struct Account<C: Clock> {
    spent: Mutex<Spent<C>>,
    pub(super) places: Places,
}

struct Spent<C: Clock> {
    requests: Requests<C>,
    bytes: Bytes,
    /// When something was asked for last.
    asked_at: Now,
}

/// A time, since the accounts were begun.
pub(super) type Now = Duration;

impl<C: Clock + Clone> Accounts<C> {
    pub(super) fn new(clock: C) -> Self {
        Self { start: clock.now(), clock, all: Mutex::default() }
    }

    /// The accounts of several, where each is somebody's.
    pub(super) fn of<const N: usize>(
        &self,
        scopes: [Option<Scope>; N],
    ) -> [Option<Arc<Account<C>>>; N] {
        let mut all = self.lock();
        scopes.map(|scope| {
            let scope = scope?;
            if let Some(account) = all.get(&scope) {
                return Some(Arc::clone(account));
            }
            let account = Arc::new(Account::new());
            all.insert(scope, Arc::clone(&account));
            Some(account)
        })
    }

    pub(super) fn now(&self) -> Now {
        self.clock.now().duration_since(self.start).into()
    }

    /// Pays for the request itself, where so many a minute may be made.
    ///
    /// # Errors
    /// The time after which it can be made.
    pub(super) fn request(
        &self,
        account: &Account<C>,
        family: Family,
        most: u32,
        now: Now,
    ) -> Result<(), Duration> {
        let mut spent = account.lock();
        spent.asked_at = now;
        spent.requests.take(family, most, &self.clock)
    }

    /// How many are remembered that have spent something.
    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Looks at what everybody has open.
    pub(super) fn each_open(&self, mut look: impl FnMut(&Scope, &Places)) {
        self.lock().iter().for_each(|(scope, account)| look(scope, &account.places));
    }

    /// Forgets those whose budgets are full again and who have nothing open.
    pub(super) fn sweep(&self) {
        let now = self.now();
        // Whoever holds one may be about to spend something.
        self.lock().retain(|_, account| Arc::strong_count(account) > 1 || !account.is_full(now));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Scope, Arc<Account<C>>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Clock> Account<C> {
    fn new() -> Self {
        let spent =
            Spent { requests: Requests::default(), bytes: Bytes::default(), asked_at: Now::ZERO };
        Self { spent: Mutex::new(spent), places: Places::default() }
    }

    /// Pays for the bytes of a request, as [`Bytes::charge`].
    pub(super) fn charge(&self, most: u64, bytes: u64, now: Now) -> Result<(), Duration> {
        self.lock().bytes.charge(most, bytes, now)
    }

    /// Pays for the bytes of a reply, as [`Bytes::owe`].
    pub(super) fn owe(&self, most: u64, bytes: u64, now: Now) {
        self.lock().bytes.owe(most, bytes, now);
    }

    /// Whether nothing of it need be remembered.
    fn is_full(&self, now: Now) -> bool {
        let spent = self.lock();
        // Requests are full a minute after the last one, however many they may be.
        let asked = now.saturating_sub(spent.asked_at) < MINUTE && spent.requests.is_any();
        !asked && spent.bytes.is_full(now) && self.places.is_free()
    }

    fn lock(&self) -> MutexGuard<'_, Spent<C>> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
