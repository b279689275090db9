//! Kernel calls on threads that may block.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use garth_contract::{Code, Error, Result};
use tokio::{
    sync::oneshot,
    task::{JoinError, spawn_blocking},
};

/// Runs a call that may block, off the runtime's own threads.
///
/// Cancel: the call goes on to its end, unless it looks at a flag.
pub(crate) async fn run<T: Send + 'static>(
    call: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    spawn_blocking(call).await.map_err(|failure| failed(&failure))?
}

/// The same for a call that leaves something behind which takes time to drop: that is done
/// when whoever waits has been told.
///
/// Cancel: as above.
pub(crate) async fn run_leaving<T: Send + 'static, L>(
    call: impl FnOnce() -> Result<(T, L)> + Send + 'static,
) -> Result<T> {
    let (tell, told) = oneshot::channel();
    let running = spawn_blocking(move || {
        let (result, _left) = match call() {
            Ok((done, left)) => (Ok(done), Some(left)),
            Err(error) => (Err(error), None),
        };
        // Nobody may wait any more.
        let _ = tell.send(result);
    });
    match told.await {
        Ok(result) => result,
        Err(_) => Err(running
            .await
            .map_or_else(|failure| failed(&failure), |()| Error::of(Code::Internal))),
    }
}

fn failed(failure: &JoinError) -> Error {
    Error::of(if failure.is_cancelled() { Code::Cancelled } else { Code::Internal })
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

#[cfg(test)]
mod tests {
    use std::{
        sync::mpsc::{Receiver, Sender, channel},
        time::Duration,
    };

    use super::*;

    /// What is left behind: it is gone when it was let go, and says whether it was.
    struct Left(Receiver<()>, Sender<bool>);

    impl Drop for Left {
        fn drop(&mut self) {
            let _ = self.1.send(self.0.recv_timeout(Duration::from_secs(5)).is_ok());
        }
    }

    #[tokio::test]
    async fn what_is_left_behind_goes_after_the_answer() {
        let ((let_go, until), (says, said)) = (channel(), channel());
        let left = Left(until, says);
        assert_eq!(run_leaving(move || Ok((7, left))).await.unwrap(), 7);
        let_go.send(()).unwrap();
        assert!(said.recv().unwrap(), "it went before whoever waited was told");
    }

    #[tokio::test]
    async fn a_call_that_fails_is_an_error_and_one_that_panics_too() {
        let refused = || Err::<(u8, ()), _>(Error::of(Code::NotAFile));
        assert_eq!(run_leaving(refused).await.unwrap_err().code(), Code::NotAFile);
        let broken = || -> Result<(u8, ())> { panic!("on purpose") };
        assert_eq!(run_leaving(broken).await.unwrap_err().code(), Code::Internal);
    }
}
