//! What time it is, for everything here that expires.
//!
//! One source for the whole gateway, also for `now_ms()` in SQL, so that a test can
//! set it and no two parts disagree.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::time::{ClockId, clock_gettime};

/// Where the time comes from.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    Set(Arc<AtomicI64>),
}

impl Clock {
    /// The time of the machine.
    #[must_use]
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands still until it is moved.
    #[must_use]
    pub fn set_to(now_ms: i64) -> Self {
        Self(Source::Set(Arc::new(AtomicI64::new(now_ms))))
    }

    /// Moves a clock that was set; that of the machine goes by itself.
    pub fn advance(&self, by: Duration) {
        match &self.0 {
            Source::System => {}
            Source::Set(now) => drop(now.fetch_add(millis(by), Ordering::SeqCst)),
        }
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        match &self.0 {
            Source::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH);
                since.map_or(0, millis)
            }
            Source::Set(now) => now.load(Ordering::SeqCst),
        }
    }

    /// Milliseconds that never go back and go on while the machine sleeps.
    pub(crate) fn steady_ms(&self) -> i64 {
        match &self.0 {
            Source::System => {
                let now = clock_gettime(ClockId::Boottime);
                now.tv_sec.saturating_mul(1_000).saturating_add(now.tv_nsec / 1_000_000)
            }
            Source::Set(now) => now.load(Ordering::SeqCst),
        }
    }
}

/// A duration in whole milliseconds.
pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
