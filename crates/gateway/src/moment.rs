//! Moments in their order, without a clock.

use std::sync::atomic::{AtomicU64, Ordering};

static NOW: AtomicU64 = AtomicU64::new(0);

/// A moment of this process.
///
/// What is found out at the [`next`](Self::next) moment is found out later than everything that
/// was stamped with an earlier one: so calls that were here before need not find it out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

impl Moment {
    /// This moment.
    #[must_use]
    pub fn now() -> Self {
        Self(NOW.load(Ordering::SeqCst))
    }

    /// A moment that begins now, after every one that anybody has.
    pub(crate) fn next() -> Self {
        Self(NOW.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

/// The latest moment of several.
#[derive(Debug, Default)]
pub struct Latest(AtomicU64);

impl Latest {
    /// The latest, or the first of all.
    #[must_use]
    pub fn get(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }

    /// Tells whether it is later than another.
    pub(crate) fn is_after(&self, other: Moment) -> bool {
        self.get() > other
    }

    /// Takes another into account.
    pub fn raise(&self, other: Moment) {
        self.0.fetch_max(other.0, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_is_after_what_was_there_and_not_after_what_comes() {
        let latest = Latest::default();
        assert!(!latest.is_after(Moment::now()), "nothing was looked at");
        let before = Moment::now();
        let found = Moment::next();
        let after = Moment::now();
        latest.raise(found);
        assert!(latest.is_after(before));
        assert!(!latest.is_after(after), "it came after the look began");
        latest.raise(before);
        assert!(latest.is_after(before), "it is the latest that counts");
    }
}
