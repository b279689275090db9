//! Stays awake for a moment where an answer is about to come.
//!
//! A core that has gone to sleep takes longer to wake than a small call takes to be
//! answered. So whoever has just sent or answered looks a few more times before it
//! sleeps; and where that has not helped lately, it sleeps at once.

use std::{
    pin::pin,
    task::Context,
    time::{Duration, Instant},
};

use tokio::task::yield_now;

/// How long to stay awake: somewhat more than a small call takes, and than the next
/// one of somebody who makes one after the other takes to come.
const MOMENT: Duration = Duration::from_micros(100);

/// After so many moments in a row in which nothing came, it is not worth another.
const MOST_IN_VAIN: u32 = 4;

/// Every so often it is tried all the same: times change.
const AGAIN: u32 = 64;

/// Whoever may stay awake, and how that went so far.
#[derive(Debug, Default)]
pub struct Vigil {
    since: Option<Instant>,
    in_vain: u32,
}

impl Vigil {
    /// Says that something has come, or has been sent: from now on it is worth looking.
    pub fn begin(&mut self) {
        if self.since.is_some() {
            self.in_vain = 0;
        }
        let tired = self.in_vain >= MOST_IN_VAIN;
        if tired {
            self.in_vain = self.in_vain.wrapping_add(1);
        }
        let worth_it = !tired || self.in_vain.is_multiple_of(AGAIN);
        self.since = worth_it.then(Instant::now);
    }

    /// Says that what was waited for has come.
    pub fn end(&mut self) {
        if self.since.take().is_some() {
            self.in_vain = 0;
        }
    }

    /// Where nothing has come: has the task polled once more, after the system was asked,
    /// as long as the moment lasts. Needs a runtime.
    pub fn linger(&mut self, context: &mut Context<'_>) {
        let Some(since) = self.since else { return };
        if since.elapsed() > MOMENT {
            self.since = None;
            self.in_vain = self.in_vain.saturating_add(1);
            return;
        }
        // The first poll of it puts the waker where the runtime looks after the system.
        let _ = pin!(yield_now()).poll(context);
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use super::{AGAIN, MOST_IN_VAIN, Vigil};

    /// A moment that has passed without anything.
    fn in_vain(vigil: &mut Vigil) -> bool {
        vigil.begin();
        let began = vigil.since.is_some();
        while vigil.since.is_some() {
            vigil.linger(&mut Context::from_waker(Waker::noop()));
        }
        began
    }

    #[test]
    fn who_waits_in_vain_sleeps_at_once_and_tries_again_some_time() {
        let mut vigil = Vigil::default();
        let tried: u32 = (0..2 * AGAIN).map(|_| u32::from(in_vain(&mut vigil))).sum();
        assert_eq!(tried, MOST_IN_VAIN + 2, "few of many are tried");
    }

    #[test]
    fn one_that_was_worth_it_makes_the_next_worth_it() {
        let mut vigil = Vigil::default();
        while in_vain(&mut vigil) {}
        loop {
            vigil.begin();
            if vigil.since.is_some() {
                break;
            }
        }
        vigil.end();
        assert!(in_vain(&mut vigil));
    }
}
