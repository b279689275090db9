//! Drops a call at every point where it can be dropped.
//!
//! A future gives its caller a chance to drop it each time it is not ready. So one
//! is dropped after the first such point, then after the second, and so on until
//! the call ends by itself (where there are many, in growing steps); then again
//! after ever longer waits, for the points that lie on other threads.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::Duration,
};

use crate::{Verdict, stop::holds};

/// More points than any call has; a call that has more never ends.
const MOST_POINTS: u64 = 1_000_000;
/// How many waits of growing length are tried.
const WAITS: u64 = 60;

/// When a call is dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Drops {
    /// After it was not ready so many times.
    AfterPolls(u64),
    /// After so many steps of 20 µs.
    AfterWait(u64),
}

/// Runs a call until it ends or is dropped.
pub(crate) async fn cut<F: Future>(drops: Drops, call: F) -> Option<F::Output> {
    match drops {
        Drops::AfterPolls(most) => {
            let mut call = pin!(call);
            let mut polls = 0;
            poll_fn(|context| {
                if polls == most {
                    return Poll::Ready(None);
                }
                polls += 1;
                match call.as_mut().poll(context) {
                    Poll::Ready(output) => Poll::Ready(Some(output)),
                    Poll::Pending if polls == most => Poll::Ready(None),
                    Poll::Pending => Poll::Pending,
                }
            })
            .await
        }
        Drops::AfterWait(steps) => {
            tokio::time::timeout(Duration::from_micros(20 * steps), call).await.ok()
        }
    }
}

/// Drops a call everywhere; `attempt` says whether it ended by itself.
pub(crate) async fn everywhere<F: Future<Output = Verdict<bool>>>(
    mut attempt: impl FnMut(u64, Drops) -> F,
) -> Verdict {
    let mut polls = 0;
    while !attempt(polls, Drops::AfterPolls(polls)).await? {
        // Every point while there are few, then ever fewer of them.
        polls += 1 + polls / 32;
        holds("the call ends", polls < MOST_POINTS)?;
    }
    for wait in 0..WAITS {
        attempt(polls + 1 + wait, Drops::AfterWait(wait)).await?;
    }
    Ok(())
}
