//! A guest that listens on a socket which this machine can reach.

use std::path::PathBuf;

use garth_contract::{Code, Error, ProcessId, Result};
use tokio::net::UnixStream;

use crate::Connect;

/// A guest that somebody else starts, and that stays when its clients go.
#[derive(Clone, Debug)]
pub struct Socket {
    path: PathBuf,
}

impl Socket {
    /// The guest that listens here.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }
}

impl Connect for Socket {
    type Pipe = UnixStream;

    async fn connect(&self, _: ProcessId) -> Result<UnixStream> {
        let stream = UnixStream::connect(&self.path).await;
        stream.map_err(|_| Error::new(Code::ProviderUnavailable, "no guest listens at its socket"))
    }
}
