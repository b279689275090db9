//! How many calls are under way, and how much is owed to a client.
//!
//! A call holds its place until its answer has left, so a client that stops
//! reading stops its own calls and fills no memory. What it sends meanwhile waits
//! in order: first here, by a bound of bytes, then in the pipe.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use garth_host::Lone;
use rmcp::model::RequestId;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How many calls run, or have answers that have not left, at a time.
const MOST_CALLS: usize = 64;
/// How many bytes of requests wait for an answer before no more are read.
const MOST_BYTES: usize = 64 << 20;
/// How many requests wait for an answer before no more are read.
const MOST_REQUESTS: usize = 65_536;

/// The bounds of one connection.
#[derive(Debug)]
pub(crate) struct Room {
    places: Arc<Semaphore>,
    open: Mutex<Open>,
    freed: Notify,
    /// Told how many calls are under way.
    lone: Arc<Lone>,
}

/// The requests without an answer.
#[derive(Debug, Default)]
struct Open {
    requests: HashMap<RequestId, Request>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Request {
    bytes: usize,
    /// Given back when the answer has left.
    _place: Option<OwnedSemaphorePermit>,
}

impl Room {
    pub(crate) fn new(lone: Arc<Lone>) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(MOST_CALLS));
        Arc::new(Self { places, open: Mutex::default(), freed: Notify::new(), lone })
    }

    /// Notes that a request has come, of so many bytes.
    pub(crate) fn came(&self, id: RequestId, bytes: usize) {
        let mut open = self.open();
        open.bytes += bytes;
        let before = open.requests.insert(id, Request { bytes, _place: None });
        open.bytes -= before.map_or(0, |request| request.bytes);
        self.lone.serves(open.requests.len());
    }

    /// Notes that an answer has left, or that none will.
    pub(crate) fn settled(&self, id: &RequestId) {
        let mut open = self.open();
        if let Some(request) = open.requests.remove(id) {
            open.bytes -= request.bytes;
            self.lone.serves(open.requests.len());
            self.freed.notify_one();
        }
    }

    /// Waits for a place to run a call in; it is kept until the call is settled.
    pub(crate) async fn enter(&self, id: &RequestId) {
        // The semaphore is never closed, and a call without a place would still be
        // a call.
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else { return };
        if let Some(request) = self.open().requests.get_mut(id) {
            request._place = Some(place);
        }
    }

    /// Waits until another request may be read.
    pub(crate) async fn until_free(&self) {
        loop {
            {
                let open = self.open();
                if open.bytes < MOST_BYTES && open.requests.len() < MOST_REQUESTS {
                    return;
                }
            }
            self.freed.notified().await;
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
