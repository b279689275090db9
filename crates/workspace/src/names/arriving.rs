//! What arrives at a place with a secret in its name: no error of it tells the name.

use bytes::Bytes;
use garth_contract::{
    BoxFuture, Clobber, Incoming, Landed, Part, Put, Result, Stage, Version, Written, WsPath,
};

use super::Names;

/// A tree on its way to `base`.
pub(super) fn stage(stage: Box<dyn Stage>, names: Names, base: WsPath) -> Box<dyn Stage> {
    Box::new(Arriving { thing: stage, names, real: base })
}

/// A file on its way to `path`.
pub(super) fn incoming(
    incoming: Box<dyn Incoming>,
    names: Names,
    path: WsPath,
) -> Box<dyn Incoming> {
    Box::new(Arriving { thing: incoming, names, real: path })
}

struct Arriving<T: ?Sized> {
    names: Names,
    real: WsPath,
    thing: Box<T>,
}

impl Stage for Arriving<dyn Stage> {
    fn add(&mut self, parts: Vec<Part>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async {
            let added = self.thing.add(parts).await;
            added.map_err(|error| self.names.told(error, &self.real))
        })
    }

    fn read_back<'a>(
        &'a mut self,
        path: &'a WsPath,
        offset: u64,
        length: u64,
    ) -> BoxFuture<'a, Result<Bytes>> {
        Box::pin(async move {
            let read = self.thing.read_back(path, offset, length).await;
            read.map_err(|error| self.names.told(error, &self.real))
        })
    }

    fn land(self: Box<Self>, clobber: Clobber) -> BoxFuture<'static, Result<Landed>> {
        let Self { names, real, thing } = *self;
        Box::pin(async move { thing.land(clobber).await.map_err(|error| names.told(error, &real)) })
    }

    fn discard(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.thing.discard()
    }
}

impl Incoming for Arriving<dyn Incoming> {
    fn add(&mut self, pieces: Vec<Bytes>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async {
            let added = self.thing.add(pieces).await;
            added.map_err(|error| self.names.told(error, &self.real))
        })
    }

    fn read_back(&mut self, offset: u64, length: u64) -> BoxFuture<'_, Result<Bytes>> {
        Box::pin(async move {
            let read = self.thing.read_back(offset, length).await;
            read.map_err(|error| self.names.told(error, &self.real))
        })
    }

    fn version(&mut self) -> BoxFuture<'_, Result<Version>> {
        Box::pin(async {
            let version = self.thing.version().await;
            version.map_err(|error| self.names.told(error, &self.real))
        })
    }

    fn land(self: Box<Self>, put: Put) -> BoxFuture<'static, Result<Written>> {
        let Self { names, real, thing } = *self;
        Box::pin(async move { thing.land(put).await.map_err(|error| names.told(error, &real)) })
    }
}
