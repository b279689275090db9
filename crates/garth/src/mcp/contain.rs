//! A call whose panic ends with an answer, and not with a client that waits for ever.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
};

use garth_contract::{BoxFuture, Code, Error, Result};
use garth_ops::{Failure, Reply};

/// What a tool answers; a panic is `INTERNAL`.
pub(crate) struct Contained<'a>(pub(crate) BoxFuture<'a, Result<Reply, Failure>>);

impl Future for Contained<'_> {
    type Output = Result<Reply, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // After a panic nobody looks at the future again; its locks go with it.
        let polled = catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context)));
        // What a panic says can hold anything, also what stands in files.
        polled.unwrap_or_else(|_| {
            let error = Error::new(Code::Internal, "the tool failed within");
            let error = error.hint("Look at what stands there now before trying again.");
            Poll::Ready(Err(error.into()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let broken = Contained(Box::pin(async { panic!("with what stood in a file") }));
        let error = broken.await.unwrap_err().error;
        assert_eq!(error.code(), Code::Internal);
        assert_eq!(error.message(), "the tool failed within");
    }
}
