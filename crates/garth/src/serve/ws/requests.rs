//! The requests of one connection that are under way: each can be cancelled, and no
//! two have the same id.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

/// Those under way; clones are the same ones.
#[derive(Clone, Default)]
pub(crate) struct Requests(Arc<Mutex<HashMap<String, oneshot::Sender<()>>>>);

/// One that is under way, until this is dropped.
pub(crate) struct Underway {
    requests: Requests,
    id: String,
    cancelled: oneshot::Receiver<()>,
}

impl Requests {
    /// Tells whether a request with this id is under way.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.lock().contains_key(id)
    }

    /// Begins a request; `None` where one with this id is under way.
    pub(crate) fn begin(&self, id: &str) -> Option<Underway> {
        let (cancel, cancelled) = oneshot::channel();
        let mut all = self.lock();
        if all.contains_key(id) {
            return None;
        }
        all.insert(id.to_owned(), cancel);
        drop(all);
        Some(Underway { requests: self.clone(), id: id.to_owned(), cancelled })
    }

    /// Cancels a request; tells whether it was under way.
    pub(crate) fn cancel(&self, id: &str) -> bool {
        self.lock().remove(id).is_some_and(|cancel| cancel.send(()).is_ok())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Underway {
    /// Waits until somebody cancels it.
    ///
    /// Cancel: nothing happens.
    pub(crate) async fn cancelled(&mut self) {
        if (&mut self.cancelled).await.is_err() {
            // Who could have cancelled it is gone, and so will this be.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.requests.lock().remove(&self.id);
    }
}
