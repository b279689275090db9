//! How much memory bodies of requests and files on their way may take, all together.

use std::{sync::Arc, time::Duration};

use garth_contract::{Code, Detail, Error, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// All together, in bytes: a hundred files on their way, a few large texts that are
/// looked at whole, and what else goes on.
const MOST: u64 = 1 << 30;
/// What is counted as one.
const UNIT: u64 = 1 << 10;
/// How long to wait for memory that others have.
const PATIENCE: Duration = Duration::from_secs(10);

/// The memory; clones are the same one.
#[derive(Clone)]
pub(crate) struct Memory {
    units: Arc<Semaphore>,
    patience: Duration,
}

/// Memory that was taken, until this is dropped.
pub(crate) struct Taken(OwnedSemaphorePermit);

impl Memory {
    pub(crate) fn new() -> Self {
        Self::of(MOST, PATIENCE)
    }

    fn of(bytes: u64, patience: Duration) -> Self {
        let units = usize::try_from(bytes / UNIT).unwrap_or(Semaphore::MAX_PERMITS);
        Self { units: Arc::new(Semaphore::new(units)), patience }
    }

    /// Takes memory for so many bytes, and waits for it for a while.
    ///
    /// # Errors
    /// `RATE_LIMIT_EXCEEDED` while others have it.
    ///
    /// Cancel: nothing was taken.
    pub(crate) async fn take(&self, bytes: u64) -> Result<Taken> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let wanted = Arc::clone(&self.units).acquire_many_owned(units);
        match tokio::time::timeout(self.patience, wanted).await {
            Ok(Ok(permit)) => Ok(Taken(permit)),
            Ok(Err(_)) | Err(_) => {
                let message = "too much is on its way at the same time";
                let wait = Detail::RetryAfter(Duration::from_secs(1));
                Err(Error::new(Code::RateLimitExceeded, message).with(wait))
            }
        }
    }
}

impl Taken {
    /// Takes what another one has along.
    pub(crate) fn join(&mut self, other: Self) {
        self.0.merge(other.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_taken_is_given_back_and_no_more_than_there_is() {
        let memory = Memory::of(MOST, Duration::from_millis(10));
        let mut half = memory.take(MOST / 2).await.unwrap();
        half.join(memory.take(MOST / 2).await.unwrap());
        let refused = memory.take(1).await.err().map(|error| error.code());
        assert_eq!(refused, Some(Code::RateLimitExceeded));
        drop(half);
        assert!(memory.take(MOST).await.is_ok());
        assert!(memory.take(MOST + 1).await.is_err());
    }
}
