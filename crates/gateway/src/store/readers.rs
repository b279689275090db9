//! A few connections that read, each lent to one reader at a time.

use std::{
    path::PathBuf,
    sync::Arc,
    sync::{Mutex, PoisonError},
};

use garth_contract::{Code, Error, Result};
use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::connect;
use crate::clock::Clock;

/// Readers at once; what is asked often is kept in memory by those who ask.
const READERS: usize = 4;

pub(super) struct Readers(Arc<Pool>);

struct Pool {
    path: PathBuf,
    clock: Clock,
    turns: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, clock: Clock) -> Self {
        let idle = Mutex::new(Vec::with_capacity(READERS));
        Self(Arc::new(Pool { path, clock, turns: Semaphore::new(READERS), idle }))
    }

    /// Reads on a thread that may wait.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let pool = Arc::clone(&self.0);
        let stopped = |_| Error::new(Code::Internal, "a reader of the registry was stopped");
        let _turn = self
            .0
            .turns
            .acquire()
            .await
            .map_err(|_| Error::new(Code::Internal, "the registry is closed"))?;
        tokio::task::spawn_blocking(move || pool.read(work)).await.map_err(stopped)?
    }

    /// Reads on this thread.
    pub(super) fn read_waiting<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.0.read(work)
    }
}

impl Pool {
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connect::open_reader(&self.path, &self.clock)?,
        };
        let result = work(&connection);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < READERS {
            idle.push(connection);
        }
        result
    }
}
