//! A stage of one root, told as the whole tree tells it.

use bytes::Bytes;
use garth_contract::{BoxFuture, Clobber, Landed, Part, Result, Stage, WsPath};

use crate::roots::Root;

/// A stage whose base is in one root.
pub(crate) struct Outer {
    pub(crate) root: Root,
    pub(crate) stage: Box<dyn Stage>,
}

impl Stage for Outer {
    fn add(&mut self, parts: Vec<Part>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.root.told(self.stage.add(parts).await) })
    }

    fn read_back<'a>(
        &'a mut self,
        path: &'a WsPath,
        offset: u64,
        length: u64,
    ) -> BoxFuture<'a, Result<Bytes>> {
        Box::pin(async move { self.root.told(self.stage.read_back(path, offset, length).await) })
    }

    fn land(self: Box<Self>, clobber: Clobber) -> BoxFuture<'static, Result<Landed>> {
        let Self { root, stage } = *self;
        Box::pin(async move { root.told(stage.land(clobber).await) })
    }

    fn discard(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.stage.discard()
    }
}
