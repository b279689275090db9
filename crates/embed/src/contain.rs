//! Runs a future so that no panic of it gets out, and ends it in time.
//!
//! What cannot be contained: a program built to abort on panics, a stack that
//! runs over, a destructor that panics while a panic is under way, and a tool
//! that keeps its thread without ever waiting, which no deadline can interrupt.

use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    task::{Context, Poll},
    time::Duration,
};

use garth_contract::BoxFuture;

/// Why a future gave nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// It panicked.
    Panicked,
    /// Its time was over.
    Late(Duration),
    /// There is a deadline and no timer to keep it.
    NoTimer,
}

/// Runs what `start` begins, for at most so long.
///
/// Cancel: the future is dropped, and a panic of its destructors is contained too.
pub(crate) async fn run<'a, T>(
    start: impl FnOnce() -> BoxFuture<'a, T>,
    deadline: Option<Duration>,
) -> Result<T, Stopped> {
    let future = caught(start).map_err(|Panic| Stopped::Panicked)?;
    let mut contained = Contained(Some(future));
    let polled = poll_fn(|context| contained.poll(context));
    let Some(deadline) = deadline else { return polled.await };
    // Outside a runtime with a timer, making the timeout panics.
    let timed = caught(|| tokio::time::timeout(deadline, polled));
    match timed.map_err(|Panic| Stopped::NoTimer)?.await {
        Ok(polled) => polled,
        Err(_) => Err(Stopped::Late(deadline)),
    }
}

/// Something panicked.
pub(crate) struct Panic;

/// Does something of which a panic is contained.
pub(crate) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, Panic> {
    // What a panic leaves behind is dropped here or looked at by nobody else.
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| {
        discard(payload);
        Panic
    })
}

/// Drops what a panic carried, which can be of any type and panic itself.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
}

/// A future no panic of which gets out; `None` once it has ended.
struct Contained<'a, T>(Option<BoxFuture<'a, T>>);

impl<T> Contained<'_, T> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<T, Stopped>> {
        let Some(future) = &mut self.0 else { return Poll::Pending };
        let polled = caught(|| future.as_mut().poll(context));
        match polled {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => {
                self.end();
                Poll::Ready(Ok(value))
            }
            Err(Panic) => {
                self.end();
                Poll::Ready(Err(Stopped::Panicked))
            }
        }
    }

    fn end(&mut self) {
        let future = self.0.take();
        let _ = caught(|| drop(future));
    }
}

impl<T> Drop for Contained<'_, T> {
    fn drop(&mut self) {
        self.end();
    }
}
