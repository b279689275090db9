//! Runs a future so that a panic of it ends this call and no other.

use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    task::Poll,
};

use garth_contract::{BoxFuture, Code, Error, Result};

/// Runs what `start` begins.
///
/// # Errors
/// `INTERNAL` where it panics; its own otherwise.
///
/// Cancel: the future is dropped.
pub(crate) async fn contain<'a, T>(start: impl FnOnce() -> BoxFuture<'a, Result<T>>) -> Result<T> {
    let mut future = caught(start)?;
    let polled = poll_fn(|context| match caught(|| future.as_mut().poll(context)) {
        Ok(polled) => polled,
        Err(panicked) => Poll::Ready(Err(panicked)),
    });
    polled.await
}

/// Does something whose panic becomes an error.
pub(crate) fn caught<T>(act: impl FnOnce() -> T) -> Result<T> {
    // What a panic leaves behind is dropped with the call and looked at by nobody.
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| {
        discard(payload);
        Error::new(Code::Internal, "the operation failed in a way nobody thought of")
    })
}

/// Drops what a panic carried, which can be of any type and panic itself.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
}
