//! Holds changes back while one that was given up may still be under way.
//!
//! Whoever drops a write and then writes again must not see the first one land
//! last. So a change begins only when the guest has said of every change that was
//! dropped that it is over.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How many changes were given up and are not known to be over.
#[derive(Debug, Default)]
pub(crate) struct Barrier {
    open: AtomicUsize,
    over: Notify,
}

impl Barrier {
    /// One more was given up.
    pub(crate) fn raise(&self) {
        self.open.fetch_add(1, Ordering::SeqCst);
    }

    /// One of them is over.
    pub(crate) fn lower(&self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
        self.over.notify_waiters();
    }

    /// Waits until all are over.
    pub(crate) async fn pass(&self) {
        loop {
            let over = self.over.notified();
            if self.open.load(Ordering::SeqCst) == 0 {
                return;
            }
            over.await;
        }
    }
}
