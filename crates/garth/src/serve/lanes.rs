//! Threads that each serve connections of their own.
//!
//! Where threads take work from each other, a small request wakes a second one that finds nothing
//! left to do, and what a connection uses lies by turns in the cache of every processor. So a
//! WebSocket stays with one thread, which reads, answers and writes. What takes its time is done
//! elsewhere, since others are served by the same thread.

mod vigil;

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use garth_contract::{Code, Error, Result};
use tokio::{runtime::Builder, sync::mpsc};

pub(crate) use vigil::Vigil;

/// What begins to serve a connection, on its thread.
type Begin = Box<dyn FnOnce(Vigil) + Send>;

/// The threads.
pub(crate) struct Lanes {
    lanes: Vec<mpsc::UnboundedSender<Begin>>,
    next: AtomicUsize,
}

impl Lanes {
    /// One for each processor. They end with this.
    ///
    /// # Errors
    /// `INTERNAL` where there can be no more threads.
    pub(crate) fn begin() -> Result<Self> {
        let count = thread::available_parallelism().map_or(1, usize::from);
        let lanes = (0..count).map(|_| lane()).collect::<Result<_>>()?;
        Ok(Self { lanes, next: AtomicUsize::new(0) })
    }

    /// Has a connection served: what this makes is run by the thread whose turn it is.
    pub(crate) fn serve<F>(&self, connection: impl FnOnce(Vigil) -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.lanes.len().max(1);
        let begin: Begin = Box::new(|vigil| drop(tokio::spawn(connection(vigil))));
        // Connections are bounded elsewhere, so those that wait to begin are too.
        if let Some(lane) = self.lanes.get(turn) {
            let _ = lane.send(begin);
        }
    }
}

/// Begins a thread that serves what it is sent, until nobody can send more.
fn lane() -> Result<mpsc::UnboundedSender<Begin>> {
    let failed = |_| Error::new(Code::Internal, "the threads for connections cannot be started");
    let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let (send, mut connections) = mpsc::unbounded_channel::<Begin>();
    let serving = move || {
        runtime.block_on(async {
            let vigil = Vigil::default();
            tokio::spawn(vigil.clone().keep());
            while let Some(begin) = connections.recv().await {
                begin(vigil.clone());
            }
        });
        // What still runs had its time.
        runtime.shutdown_background();
    };
    thread::Builder::new().name("garth-lane".to_owned()).spawn(serving).map_err(failed)?;
    Ok(send)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn connections_take_turns_and_each_stays_with_its_thread() {
        let lanes = Lanes::begin().unwrap();
        let mut threads = HashSet::new();
        for _ in 0..2 * lanes.lanes.len() {
            let (send, told) = oneshot::channel();
            lanes.serve(|_| async {
                let before = thread::current().id();
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                }
                let _ = send.send((before, thread::current().id()));
            });
            let (before, after) = told.await.unwrap();
            assert_eq!(before, after);
            threads.insert(before);
        }
        assert_eq!(threads.len(), lanes.lanes.len());
    }

    #[tokio::test]
    async fn a_thread_ends_with_the_lanes_and_so_does_what_it_serves() {
        let lanes = Lanes::begin().unwrap();
        let (held, dropped) = oneshot::channel::<()>();
        let (began, begun) = oneshot::channel();
        lanes.serve(|_| async {
            let _held = held;
            let _ = began.send(());
            std::future::pending::<()>().await;
        });
        begun.await.unwrap();
        drop(lanes);
        assert!(dropped.await.is_err());
    }
}
