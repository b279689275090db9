//! Places that are taken while something is open.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{Numbers, Scope, Takes, counters::Why};

/// Who holds how many of what.
pub(super) struct Slots {
    in_flight: u32,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    calls: u32,
    places: HashMap<(Scope, Takes), u32>,
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
pub struct Held {
    slots: Arc<Slots>,
    call: bool,
    takes: Takes,
    /// The caller's and the workspace's, where what is taken is counted.
    scopes: [Option<Scope>; 2],
}

impl Slots {
    pub(super) fn new(in_flight: u32) -> Self {
        Self { in_flight, taken: Mutex::default() }
    }

    /// Takes a place on every side, or on none.
    pub(super) fn take<'a>(
        self: &Arc<Self>,
        takes: Takes,
        sides: impl Iterator<Item = (&'a Scope, &'a Numbers)>,
    ) -> Result<Held, Why> {
        let mut taken = self.lock();
        if taken.calls >= self.in_flight {
            return Err(Why::InFlight);
        }
        let mut scopes = [None, None];
        for ((scope, numbers), counted) in sides.zip(&mut scopes) {
            let Some(most) = numbers.places(takes) else { continue };
            if taken.places.get(&(scope.clone(), takes)).is_some_and(|count| *count >= most) {
                return Err(Why::of(takes));
            }
            *counted = Some(scope.clone());
        }
        taken.calls += 1;
        for scope in scopes.iter().flatten() {
            *taken.places.entry((scope.clone(), takes)).or_default() += 1;
        }
        drop(taken);
        Ok(Held { slots: Arc::clone(self), call: true, takes, scopes })
    }

    pub(super) fn open(&self) -> Open {
        let taken = self.lock();
        let mut open = Open { calls: u64::from(taken.calls), ..Open::default() };
        // Each place is counted for its caller and for its workspace; callers suffice.
        for ((scope, takes), count) in &taken.places {
            let sum = match (scope, takes) {
                (Scope::Workspace(..), _) | (_, Takes::Nothing) => continue,
                (Scope::Caller(_), Takes::Read) => &mut open.reads,
                (Scope::Caller(_), Takes::Watch) => &mut open.watches,
                (Scope::Caller(_), Takes::Process) => &mut open.processes,
            };
            *sum += u64::from(*count);
        }
        open
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Says that the call is over, and what it opened is not: a watch, a process.
    pub(crate) fn call_ended(&mut self) {
        if std::mem::take(&mut self.call) {
            let mut taken = self.slots.lock();
            taken.calls = taken.calls.saturating_sub(1);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let call = std::mem::take(&mut self.call);
        let mut taken = self.slots.lock();
        taken.calls = taken.calls.saturating_sub(u32::from(call));
        for scope in self.scopes.iter_mut().filter_map(Option::take) {
            let key = (scope, self.takes);
            if let Some(count) = taken.places.get_mut(&key) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    taken.places.remove(&key);
                }
            }
        }
    }
}
