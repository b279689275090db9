//! Places that are taken while something is open.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use governor::clock::{Clock, DefaultClock};

use super::{Numbers, Takes, accounts::Account, counters::Why};

/// The calls of all together.
pub(super) struct Slots {
    in_flight: u32,
    calls: AtomicU32,
}

/// What one caller or one workspace has open.
#[derive(Default)]
pub(super) struct Places {
    reads: AtomicU32,
    watches: AtomicU32,
    processes: AtomicU32,
}

/// What is open now, of all together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Open {
    pub(super) calls: u64,
    pub(super) reads: u64,
    pub(super) watches: u64,
    pub(super) processes: u64,
}

/// What a call holds; given back when it is dropped.
#[must_use = "what is held is given back at once when it is dropped"]
pub struct Held<C: Clock = DefaultClock> {
    slots: Arc<Slots>,
    call: bool,
    takes: Takes,
    /// The caller's and the workspace's.
    pub(super) sides: Sides<C>,
    /// On how many of them, from the first, a place is taken.
    taken: usize,
}

/// Both sides of a call, with the numbers that hold for them.
pub(super) type Sides<C> = [Option<(Arc<Account<C>>, Numbers)>; 2];

impl Slots {
    pub(super) fn new(in_flight: u32) -> Self {
        Self { in_flight, calls: AtomicU32::new(0) }
    }

    /// Takes a place on every side, or on none.
    pub(super) fn take<C: Clock>(
        self: &Arc<Self>,
        takes: Takes,
        sides: Sides<C>,
    ) -> Result<Held<C>, Why> {
        if !add(&self.calls, self.in_flight) {
            return Err(Why::InFlight);
        }
        // What it has so far is given back if there is no place on the other side.
        let mut held = Held { slots: Arc::clone(self), call: true, takes, sides, taken: 0 };
        for (account, numbers) in held.sides.iter().flatten() {
            let place = account.places.counter(takes).zip(numbers.places(takes));
            if place.is_some_and(|(counter, most)| !add(counter, most)) {
                return Err(Why::of(takes));
            }
            held.taken += 1;
        }
        Ok(held)
    }

    pub(super) fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Places {
    fn counter(&self, takes: Takes) -> Option<&AtomicU32> {
        match takes {
            Takes::Nothing => None,
            Takes::Read => Some(&self.reads),
            Takes::Watch => Some(&self.watches),
            Takes::Process => Some(&self.processes),
        }
    }

    /// Whether none is taken.
    pub(super) fn is_free(&self) -> bool {
        let counters = [&self.reads, &self.watches, &self.processes];
        counters.iter().all(|counter| counter.load(Ordering::Relaxed) == 0)
    }

    /// Adds what is taken here.
    pub(super) fn add_to(&self, open: &mut Open) {
        open.reads += u64::from(self.reads.load(Ordering::Relaxed));
        open.watches += u64::from(self.watches.load(Ordering::Relaxed));
        open.processes += u64::from(self.processes.load(Ordering::Relaxed));
    }
}

impl<C: Clock> Held<C> {
    /// Says that the call is over, and what it opened is not: a watch, a process.
    pub(crate) fn call_ended(&mut self) {
        if std::mem::take(&mut self.call) {
            give_back(&self.slots.calls);
        }
    }
}

impl<C: Clock> Drop for Held<C> {
    fn drop(&mut self) {
        self.call_ended();
        for (account, _) in self.sides.iter().flatten().take(self.taken) {
            account.places.counter(self.takes).map(give_back);
        }
    }
}

/// Counts one more, where there may be so many; tells whether it did.
fn add(counter: &AtomicU32, most: u32) -> bool {
    let more = |count: u32| (count < most).then(|| count.saturating_add(1));
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
}

fn give_back(counter: &AtomicU32) {
    let less = |count: u32| Some(count.saturating_sub(1));
    // It is always changed.
    let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
}
