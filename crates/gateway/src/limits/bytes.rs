//! Bytes a minute: what comes is charged before, what leaves is owed after.
//!
//! The same GCRA as for requests, with one thing that the limiter for those cannot do:
//! a reply has left when its size is known, so its bytes are taken even where they are
//! not there, and the next call waits until they are.

use std::time::Duration;

use super::accounts::{MINUTE, Now};

/// A budget of bytes: the time at which it is full again.
#[derive(Default)]
pub(super) struct Bytes {
    full_at: Now,
}

impl Bytes {
    /// Pays for a request, once everything before it is paid. One that is larger than a
    /// minute's budget needs a full one, and owes the rest.
    ///
    /// # Errors
    /// The time after which it can be paid.
    pub(super) fn charge(&mut self, most: u64, bytes: u64, now: Now) -> Result<(), Duration> {
        // Nothing a minute is a refusal that no wait helps; a minute is as good as any.
        let cost = time_for(bytes, most).ok_or(MINUTE)?;
        let full_at = self.full_at.max(now);
        let fits_at = full_at.saturating_add(cost.min(MINUTE)).saturating_sub(MINUTE);
        if fits_at > now {
            return Err(fits_at.saturating_sub(now));
        }
        self.full_at = full_at.saturating_add(cost);
        Ok(())
    }

    /// Pays for a reply that has left, whether or not it is there.
    pub(super) fn owe(&mut self, most: u64, bytes: u64, now: Now) {
        let Some(cost) = time_for(bytes, most) else { return };
        self.full_at = self.full_at.max(now).saturating_add(cost);
    }

    pub(super) fn is_full(&self, now: Now) -> bool {
        self.full_at <= now
    }
}

/// How long so many bytes take to refill; `None` where none ever do.
fn time_for(bytes: u64, most: u64) -> Option<Duration> {
    let minute = u64::try_from(MINUTE.as_nanos()).unwrap_or(u64::MAX);
    let nanos = match bytes.checked_mul(minute) {
        // Most often; to divide twice as many digits takes many times as long.
        Some(product) => product.checked_div(most)?,
        None => {
            let nanos = (u128::from(bytes) * u128::from(minute)).checked_div(u128::from(most))?;
            u64::try_from(nanos).unwrap_or(u64::MAX)
        }
    };
    Some(Duration::from_nanos(nanos))
}
