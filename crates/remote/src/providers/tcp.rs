//! A guest that listens at an address which this machine can reach.
//!
//! Nothing is encrypted and nobody is asked who they are: it is for addresses that only
//! the two sides can reach.

use std::net::SocketAddr;

use garth_contract::{Code, Error, ProcessId, Result};
use garth_wire::Handles;
use tokio::net::TcpStream;

use crate::Connect;

/// A guest that somebody else starts, and that stays when its clients go.
#[derive(Clone, Copy, Debug)]
pub struct Tcp {
    address: SocketAddr,
}

impl Tcp {
    /// The guest that listens here.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        Self { address }
    }
}

impl Connect for Tcp {
    type Pipe = Handles;

    async fn connect(&self, _: ProcessId) -> Result<Handles> {
        let connect = async {
            let stream = TcpStream::connect(self.address).await?;
            // Messages are small, and each is waited for.
            stream.set_nodelay(true)?;
            Handles::both_ways(stream.into_std()?.into())
        };
        let handles = connect.await;
        handles
            .map_err(|_| Error::new(Code::ProviderUnavailable, "no guest listens at its address"))
    }
}
