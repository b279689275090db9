//! A file that arrives in one of several roots, told as from the top.

use bytes::Bytes;
use garth_contract::{BoxFuture, Incoming, Put, Result, Version, Written};

use crate::roots::Root;

/// A file whose place is in one root.
pub(crate) struct Outside {
    pub(crate) root: Root,
    pub(crate) incoming: Box<dyn Incoming>,
}

impl Incoming for Outside {
    fn add(&mut self, pieces: Vec<Bytes>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.root.told(self.incoming.add(pieces).await) })
    }

    fn read_back(&mut self, offset: u64, length: u64) -> BoxFuture<'_, Result<Bytes>> {
        Box::pin(async move { self.root.told(self.incoming.read_back(offset, length).await) })
    }

    fn version(&mut self) -> BoxFuture<'_, Result<Version>> {
        Box::pin(async move { self.root.told(self.incoming.version().await) })
    }

    fn land(self: Box<Self>, put: Put) -> BoxFuture<'static, Result<Written>> {
        let Self { root, incoming } = *self;
        Box::pin(async move { root.told(incoming.land(put).await) })
    }
}
