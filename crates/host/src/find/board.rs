//! Shares out the stretches of a tree and puts their results back in order.
//!
//! A stretch has a place: the indices of its directories and of its first entry
//! in their sorted listings, so places sort as paths do. Workers always take the
//! stretch that comes first. Results wait until nothing before them is open;
//! the one stretch that comes first of all hands its results on as they come,
//! and never waits, so the search always moves.

use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use garth_contract::Flow;
use garth_search::{Delivery, Hits};

use super::stretch::Stretch;

/// How many bytes of results wait for earlier ones before workers do.
const MAX_AHEAD: usize = 16 << 20;

/// How many emptied results are kept to be filled again, and how large each was.
const SPARES: usize = 16;
const MAX_SPARE: usize = 64 << 10;

/// Where in the order of the walk something stands.
pub(super) type Place = Vec<u32>;

pub(super) struct Board<'a> {
    state: Mutex<State>,
    /// Notified when work appears, room appears or the search ends.
    changed: Condvar,
    delivery: Mutex<Delivery<'a>>,
}

#[derive(Default)]
struct State {
    /// What nobody has begun.
    waiting: BTreeMap<Place, Stretch>,
    /// What is being worked on, and results that wait for earlier ones.
    open: BTreeMap<Place, Slot>,
    busy: usize,
    /// How many bytes of results all slots hold.
    held: usize,
    /// Empty results to be filled again, which saves growing new ones.
    spare: Vec<Hits>,
    /// How many threads wait for a change; waking nobody costs a system call too.
    asleep: usize,
    /// Whether somebody is handing results on.
    delivering: bool,
    /// Whether no more results are wanted.
    ended: bool,
}

enum Slot {
    /// Worked on, with so many bytes of results so far.
    Busy(usize),
    Done(Hits),
}

impl<'a> Board<'a> {
    pub(super) fn new(delivery: Delivery<'a>) -> Self {
        let ended = delivery.flow() == Flow::Stop;
        let state = State { ended, ..State::default() };
        Self { state: Mutex::new(state), changed: Condvar::new(), delivery: Mutex::new(delivery) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.asleep += 1;
        state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.asleep -= 1;
        state
    }

    /// Lets threads that wait look again.
    fn wake(&self, state: MutexGuard<'_, State>) {
        let asleep = state.asleep > 0;
        drop(state);
        if asleep {
            self.changed.notify_all();
        }
    }

    /// Tells whether there is work that nobody has begun.
    pub(super) fn has_waiting(&self) -> bool {
        !self.lock().waiting.is_empty()
    }

    /// Adds stretches to work on.
    pub(super) fn add(&self, stretches: impl Iterator<Item = Stretch>) {
        let mut state = self.lock();
        state.waiting.extend(stretches.map(|stretch| (stretch.place(), stretch)));
        self.wake(state);
    }

    /// Takes the first part of the first stretch; `None` when the search is over.
    pub(super) fn take(&self) -> Option<(Place, Stretch)> {
        let mut state = self.lock();
        loop {
            if state.ended || (state.waiting.is_empty() && state.busy == 0) {
                self.wake(state);
                return None;
            }
            if (state.held < MAX_AHEAD || state.first_is_waiting())
                && let Some((place, mut stretch)) = state.waiting.pop_first()
            {
                if let Some(rest) = stretch.split_rest() {
                    state.waiting.insert(rest.place(), rest);
                }
                state.open.insert(place.clone(), Slot::Busy(0));
                state.busy += 1;
                self.wake(state);
                return Some((place, stretch));
            }
            state = self.wait(state);
        }
    }

    /// Opens a place for work that was not taken from here.
    pub(super) fn begin(&self, place: &Place) {
        let mut state = self.lock();
        state.open.insert(place.clone(), Slot::Busy(0));
        state.busy += 1;
    }

    /// Ends a stretch that was taken, and takes its results.
    pub(super) fn complete(&self, place: &Place, hits: &mut Hits) {
        let mut state = self.lock();
        if let Some(Slot::Busy(before)) = state.open.remove(place) {
            state.busy -= 1;
            state.held -= before;
        }
        if !hits.is_empty() && !state.ended {
            state.held += hits.bytes();
            let empty = state.spare.pop().unwrap_or_default();
            state.open.insert(place.clone(), Slot::Done(std::mem::replace(hits, empty)));
        }
        hits.clear();
        let state = self.deliver(state);
        self.wake(state);
    }

    /// Hands on all results that nothing open comes before.
    fn deliver<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        while !state.delivering
            && !state.ended
            && let Some(mut hits) = state.take_first_done()
        {
            state.delivering = true;
            drop(state);
            let flow = self.push(&hits);
            let bytes = hits.bytes();
            hits.clear();
            state = self.lock();
            state.delivering = false;
            state.held -= bytes;
            if flow == Flow::Stop {
                state.end();
            }
            if bytes < MAX_SPARE && state.spare.len() < SPARES {
                state.spare.push(hits);
            }
        }
        state
    }

    fn push(&self, hits: &Hits) -> Flow {
        self.delivery.lock().unwrap_or_else(PoisonError::into_inner).push(hits)
    }

    /// Hands results on where there is nothing that could come before them.
    pub(super) fn hand_on(&self, give: impl FnOnce(&mut Delivery<'a>) -> Flow) {
        let flow = give(&mut self.delivery.lock().unwrap_or_else(PoisonError::into_inner));
        if flow == Flow::Stop {
            self.end();
        }
    }

    /// Makes room when a stretch has found much: hands its results on if it comes
    /// first, else waits until what is held by all is little again.
    pub(super) fn relieve(&self, place: &Place, hits: &mut Hits) -> Flow {
        let mut state = self.lock();
        state.set_held(place, hits.bytes());
        loop {
            if state.ended {
                return Flow::Stop;
            }
            if state.is_first(place) && !state.delivering {
                state.delivering = true;
                drop(state);
                let flow = self.push(hits);
                hits.clear();
                state = self.lock();
                state.delivering = false;
                state.set_held(place, 0);
                if flow == Flow::Stop {
                    state.end();
                }
                self.wake(state);
                return flow;
            }
            if state.held < MAX_AHEAD {
                return Flow::Continue;
            }
            state = self.wait(state);
        }
    }

    /// Ends the search early.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.end();
        self.wake(state);
    }

    /// The delivery, and whether the search ended before the tree did.
    pub(super) fn finish(self) -> (Delivery<'a>, bool) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        (self.delivery.into_inner().unwrap_or_else(PoisonError::into_inner), state.ended)
    }
}

impl State {
    /// Tells whether what comes first of all is work that nobody has begun.
    fn first_is_waiting(&self) -> bool {
        match (self.waiting.first_key_value(), self.open.first_key_value()) {
            (Some((waiting, _)), Some((open, _))) => waiting < open,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }

    fn is_first(&self, place: &Place) -> bool {
        !self.first_is_waiting()
            && self.open.first_key_value().is_some_and(|(first, _)| first == place)
    }

    fn take_first_done(&mut self) -> Option<Hits> {
        if self.first_is_waiting() {
            return None;
        }
        let first = self.open.first_entry()?;
        if let Slot::Busy(_) = first.get() {
            return None;
        }
        match first.remove() {
            Slot::Done(hits) => Some(hits),
            Slot::Busy(_) => None,
        }
    }

    fn set_held(&mut self, place: &Place, bytes: usize) {
        if let Some(Slot::Busy(before)) = self.open.get_mut(place) {
            self.held = self.held - *before + bytes;
            *before = bytes;
        }
    }

    fn end(&mut self) {
        self.ended = true;
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests;
