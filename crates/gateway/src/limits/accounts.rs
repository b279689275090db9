//! What is counted for one caller or one workspace.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use governor::clock::{Clock, DefaultClock, Reference};

use super::{
    Numbers, Scope, Wanted,
    bytes::Bytes,
    counters::Why,
    requests::Requests,
    slots::{Places, Slots},
};

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
}

pub(super) struct Spent<C: Clock> {
    requests: Requests<C>,
    bytes: Bytes,
    pub(super) places: Places,
    /// When something was asked for last.
    asked_at: Now,
}

/// Both sides of a call, the caller's and the workspace's, with the numbers that hold for
/// them.
pub(crate) struct Sides<C: Clock = DefaultClock> {
    accounts: [Option<(Arc<Account<C>>, Numbers)>; 2],
    /// Here, so that who holds both sides holds it too.
    pub(super) slots: Arc<Slots>,
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

    /// Takes what a call asks for from both sides; where one has too little, no place is taken.
    ///
    /// # Errors
    /// What there is too much of, and the time after which it fits where that is known.
    pub(super) fn take(
        &self,
        sides: &Sides<C>,
        wanted: &Wanted,
    ) -> Result<(), (Why, Option<Duration>)> {
        let now = self.now();
        let mut taken = sides.locked();
        for (done, (spent, numbers)) in taken.iter_mut().flatten().enumerate() {
            if !spent.places.take(wanted.takes, numbers.places(wanted.takes)) {
                give_back(&mut taken, wanted, done);
                return Err((Why::of(wanted.takes), None));
            }
        }
        let refused = self.pay(&mut taken, wanted, now);
        if refused.is_err() {
            give_back(&mut taken, wanted, usize::MAX);
        }
        refused.map_err(|(why, wait)| (why, Some(wait)))
    }

    fn pay(
        &self,
        sides: &mut Locked<'_, C>,
        wanted: &Wanted,
        now: Now,
    ) -> Result<(), (Why, Duration)> {
        for (spent, numbers) in sides.iter_mut().flatten() {
            let paid = spent.bytes.charge(numbers.bytes_per_minute, wanted.bytes, now);
            paid.map_err(|wait| (Why::Bytes, wait))?;
        }
        for (spent, numbers) in sides.iter_mut().flatten() {
            spent.asked_at = now;
            let most = numbers.requests(wanted.family);
            let paid = spent.requests.take(wanted.family, most, &self.clock);
            paid.map_err(|wait| (Why::Requests, wait))?;
        }
        Ok(())
    }

    /// How many are remembered that have spent something.
    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Looks at what everybody has open.
    pub(super) fn each_open(&self, mut look: impl FnMut(&Scope, &Places)) {
        self.lock().iter().for_each(|(scope, account)| look(scope, &account.lock().places));
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
        let (requests, bytes, places) = Default::default();
        Self { spent: Mutex::new(Spent { requests, bytes, places, asked_at: Now::ZERO }) }
    }

    /// Whether nothing of it need be remembered.
    fn is_full(&self, now: Now) -> bool {
        let spent = self.lock();
        // Requests are full a minute after the last one, however many they may be.
        let asked = now.saturating_sub(spent.asked_at) < MINUTE && spent.requests.is_any();
        !asked && spent.bytes.is_full(now) && spent.places.is_free()
    }

    fn lock(&self) -> MutexGuard<'_, Spent<C>> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Clock> Spent<C> {
    /// Pays for the bytes of a reply, as [`Bytes::owe`].
    pub(super) fn owe(&mut self, numbers: &Numbers, bytes: u64, now: Now) {
        self.bytes.owe(numbers.bytes_per_minute, bytes, now);
    }
}

/// Both sides, while nobody else looks at them.
type Locked<'a, C> = [Option<(MutexGuard<'a, Spent<C>>, &'a Numbers)>; 2];

impl<C: Clock> Sides<C> {
    pub(super) fn new(
        accounts: [Option<(Arc<Account<C>>, Numbers)>; 2],
        slots: Arc<Slots>,
    ) -> Self {
        Self { accounts, slots }
    }

    /// Does something on one side after the other.
    pub(super) fn each(&self, mut act: impl FnMut(&mut Spent<C>, &Numbers)) {
        for (account, numbers) in self.accounts.iter().flatten() {
            act(&mut account.lock(), numbers);
        }
    }

    /// Both at once. Nobody is waited for in a circle: a caller's account always comes first.
    fn locked(&self) -> Locked<'_, C> {
        self.accounts.each_ref().map(|side| {
            let (account, numbers) = side.as_ref()?;
            Some((account.lock(), numbers))
        })
    }
}

/// Gives back the places of so many sides.
fn give_back<C: Clock>(sides: &mut Locked<'_, C>, wanted: &Wanted, count: usize) {
    let taken = sides.iter_mut().flatten().take(count);
    taken.for_each(|(spent, _)| spent.places.give_back(wanted.takes));
}
