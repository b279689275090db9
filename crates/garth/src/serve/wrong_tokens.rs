//! Whoever comes with a wrong token waits before it hears so, and few wait at a time.
//!
//! A token has 256 random bits, so nobody finds one by trying. Trying should still not
//! cost the gateway anything, and be seen to lead nowhere. Who has a good token never
//! waits here, so nobody can be locked out by somebody else's tries.

use std::time::Duration;

use tokio::sync::Semaphore;

/// How long a wrong token waits for its answer.
const WAIT: Duration = Duration::from_millis(250);

/// How many wait at a time; with their wait, this bounds the tries in a second.
const MOST: usize = 32;

/// Where those wait whose token was wrong.
pub(crate) struct WrongTokens(Semaphore);

/// Whether somebody with a wrong token is told so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// It waited, and is told.
    Yes,
    /// Too many wait; the connection just ends.
    No,
}

impl WrongTokens {
    pub(crate) fn new() -> Self {
        Self(Semaphore::new(MOST))
    }

    /// Waits, and says whether to answer.
    ///
    /// Cancel: the place is free again.
    pub(crate) async fn wait(&self) -> Told {
        let Ok(_place) = self.0.try_acquire() else { return Told::No };
        tokio::time::sleep(WAIT).await;
        Told::Yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn few_wait_at_a_time_and_the_others_are_not_answered() {
        let tokens = WrongTokens::new();
        let all = futures::future::join_all((0..MOST + 5).map(|_| tokens.wait())).await;
        assert_eq!(all.iter().filter(|told| **told == Told::Yes).count(), MOST);
        assert_eq!(tokens.wait().await, Told::Yes);
    }
}
