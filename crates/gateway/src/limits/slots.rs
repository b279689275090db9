//! Places that are taken while something is open.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use governor::clock::{Clock, DefaultClock};

use super::{
    Numbers, Takes,
    accounts::{Sides, Spent},
};

/// The calls of all together.
pub(super) struct Slots {
    in_flight: u32,
    calls: AtomicU32,
}

/// What one caller or one workspace has open.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places {
    reads: u32,
    watches: u32,
    processes: u32,
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
    /// The caller's and the workspace's.
    pub(super) sides: Arc<Sides<C>>,
    takes: Takes,
    /// Whether it is counted among the calls that are under way.
    call: bool,
    /// Whether it has places on both sides.
    places: bool,
}

impl Slots {
    pub(super) fn new(in_flight: u32) -> Self {
        Self { in_flight, calls: AtomicU32::new(0) }
    }

    /// Counts a call, where there may be one more; tells whether it did.
    pub(super) fn begin(&self) -> bool {
        let more = |count: u32| (count < self.in_flight).then(|| count.saturating_add(1));
        self.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    fn end(&self) {
        self.calls.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Places {
    /// Takes one where there may be so many; tells whether it did.
    pub(super) fn take(&mut self, takes: Takes, most: Option<u32>) -> bool {
        let Some((count, most)) = self.count(takes).zip(most) else { return true };
        let fits = *count < most;
        *count += u32::from(fits);
        fits
    }

    pub(super) fn give_back(&mut self, takes: Takes) {
        if let Some(count) = self.count(takes) {
            *count = count.saturating_sub(1);
        }
    }

    fn count(&mut self, takes: Takes) -> Option<&mut u32> {
        match takes {
            Takes::Nothing => None,
            Takes::Read => Some(&mut self.reads),
            Takes::Watch => Some(&mut self.watches),
            Takes::Process => Some(&mut self.processes),
        }
    }

    /// Whether none is taken.
    pub(super) fn is_free(&self) -> bool {
        [self.reads, self.watches, self.processes] == [0; 3]
    }

    /// Adds what is taken here.
    pub(super) fn add_to(&self, open: &mut Open) {
        open.reads += u64::from(self.reads);
        open.watches += u64::from(self.watches);
        open.processes += u64::from(self.processes);
    }
}

impl<C: Clock> Held<C> {
    /// What is held by a call that was counted, and has no places yet.
    pub(super) fn begun(sides: Arc<Sides<C>>, takes: Takes) -> Self {
        Self { sides, takes, call: true, places: false }
    }

    /// Says that there are places for it on both sides.
    pub(super) fn has_places(&mut self) {
        self.places = true;
    }

    /// Says that the call is over, and what it opened is not: a watch, a process.
    pub(crate) fn call_ended(&mut self) {
        if std::mem::take(&mut self.call) {
            self.sides.slots.end();
        }
    }

    /// Gives the places back, and does something more on each side where there were any.
    pub(super) fn leave(&mut self, mut also: impl FnMut(&mut Spent<C>, &Numbers)) {
        if std::mem::take(&mut self.places) {
            let takes = self.takes;
            self.sides.each(|spent, numbers| {
                spent.places.give_back(takes);
                also(spent, numbers);
            });
        }
    }
}

impl<C: Clock> Drop for Held<C> {
    fn drop(&mut self) {
        self.call_ended();
        self.leave(|_, _| {});
    }
}
