//! Kernel calls on threads that may block.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use garth_contract::{Code, Error, Result};

/// Runs a call that may block, off the runtime's own threads.
///
/// Cancel: the call goes on to its end, unless it looks at a flag.
pub(crate) async fn run<T: Send + 'static>(
    call: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(call).await.map_err(|failure| {
        let code = if failure.is_cancelled() { Code::Cancelled } else { Code::Internal };
        Error::of(code)
    })?
}

/// Ends a call that nobody waits for.
pub(crate) fn check(cancel: &AtomicBool) -> Result<()> {
    if cancel.load(Ordering::SeqCst) { Err(Error::of(Code::Cancelled)) } else { Ok(()) }
}

/// A flag that is raised when its owner is dropped, for long walks to look at.
#[derive(Debug)]
pub(crate) struct CancelOnDrop(Arc<AtomicBool>);

impl CancelOnDrop {
    pub(crate) fn new() -> (Self, Arc<AtomicBool>) {
        let flag = Arc::new(AtomicBool::new(false));
        (Self(Arc::clone(&flag)), flag)
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
