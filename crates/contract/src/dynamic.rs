//! The object-safe twin of [`Filesystem`], written by hand.
//!
//! A backend implements [`Filesystem`] with plain `async fn`s; whoever holds one
//! of several backends holds an `Arc<dyn DynFilesystem>`. The blanket
//! implementation is the only bridge, so the two cannot drift apart.

use std::{future::Future, pin::Pin, sync::Arc};

use bytes::Bytes;

use crate::{
    Abilities, Content, Depth, Entry, Filesystem, Folder, Gathered, Incoming, Links, Listing, Made,
    Move, Page, Parents, Put, Query, Removed, Renamed, Result, Sink, Span, Stage, Summary, Watch,
    WatchSpec, Written, WsPath,
};

/// A future behind a pointer.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// [`Filesystem`] behind a pointer; each method means what its twin means.
#[allow(missing_docs, reason = "each method is specified on its twin in Filesystem")]
pub trait DynFilesystem: Send + Sync {
    fn abilities(&self) -> Abilities;
    fn stat<'a>(&'a self, path: &'a WsPath, links: Links) -> BoxFuture<'a, Result<Entry>>;
    fn stat_now(&self, path: &WsPath, links: Links) -> Option<Entry>;
    fn list<'a>(&'a self, path: &'a WsPath, page: Page) -> BoxFuture<'a, Result<Listing>>;
    fn read<'a>(&'a self, path: &'a WsPath, span: Span) -> BoxFuture<'a, Result<Content>>;
    fn read_now(&self, path: &WsPath, span: Span) -> Option<Content>;
    fn gather<'a>(
        &'a self,
        path: &'a WsPath,
        span: Span,
        into: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<Gathered>>;
    fn folder(&self, path: &WsPath) -> Option<Box<dyn Folder>>;
    fn write<'a>(
        &'a self,
        path: &'a WsPath,
        content: Bytes,
        put: Put,
    ) -> BoxFuture<'a, Result<Written>>;
    fn make_dir<'a>(&'a self, path: &'a WsPath, parents: Parents) -> BoxFuture<'a, Result<Made>>;
    fn remove<'a>(&'a self, path: &'a WsPath, depth: Depth) -> BoxFuture<'a, Result<Removed>>;
    fn rename<'a>(
        &'a self,
        from: &'a WsPath,
        to: &'a WsPath,
        how: Move,
    ) -> BoxFuture<'a, Result<Renamed>>;
    fn find<'a>(&'a self, query: &'a Query, sink: Arc<dyn Sink>) -> BoxFuture<'a, Result<Summary>>;
    fn watch<'a>(&'a self, spec: &'a WatchSpec) -> BoxFuture<'a, Result<Watch>>;
    fn read_link<'a>(&'a self, path: &'a WsPath) -> BoxFuture<'a, Result<Bytes>>;
    fn stage<'a>(&'a self, base: &'a WsPath) -> BoxFuture<'a, Result<Box<dyn Stage>>>;
    fn receive<'a>(&'a self, path: &'a WsPath) -> BoxFuture<'a, Result<Box<dyn Incoming>>>;
}

impl<F: Filesystem> DynFilesystem for F {
    fn abilities(&self) -> Abilities {
        Filesystem::abilities(self)
    }

    fn stat<'a>(&'a self, path: &'a WsPath, links: Links) -> BoxFuture<'a, Result<Entry>> {
        Box::pin(Filesystem::stat(self, path, links))
    }

    fn stat_now(&self, path: &WsPath, links: Links) -> Option<Entry> {
        Filesystem::stat_now(self, path, links)
    }

    fn list<'a>(&'a self, path: &'a WsPath, page: Page) -> BoxFuture<'a, Result<Listing>> {
        Box::pin(Filesystem::list(self, path, page))
    }

    fn read<'a>(&'a self, path: &'a WsPath, span: Span) -> BoxFuture<'a, Result<Content>> {
        Box::pin(Filesystem::read(self, path, span))
    }

    fn read_now(&self, path: &WsPath, span: Span) -> Option<Content> {
        Filesystem::read_now(self, path, span)
    }

    fn gather<'a>(
        &'a self,
        path: &'a WsPath,
        span: Span,
        into: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<Gathered>> {
        Box::pin(Filesystem::gather(self, path, span, into))
    }

    fn folder(&self, path: &WsPath) -> Option<Box<dyn Folder>> {
        Filesystem::folder(self, path)
    }

    fn write<'a>(
        &'a self,
        path: &'a WsPath,
        content: Bytes,
        put: Put,
    ) -> BoxFuture<'a, Result<Written>> {
        Box::pin(Filesystem::write(self, path, content, put))
    }

    fn make_dir<'a>(&'a self, path: &'a WsPath, parents: Parents) -> BoxFuture<'a, Result<Made>> {
        Box::pin(Filesystem::make_dir(self, path, parents))
    }

    fn remove<'a>(&'a self, path: &'a WsPath, depth: Depth) -> BoxFuture<'a, Result<Removed>> {
        Box::pin(Filesystem::remove(self, path, depth))
    }

    fn rename<'a>(
        &'a self,
        from: &'a WsPath,
        to: &'a WsPath,
        how: Move,
    ) -> BoxFuture<'a, Result<Renamed>> {
        Box::pin(Filesystem::rename(self, from, to, how))
    }

    fn find<'a>(&'a self, query: &'a Query, sink: Arc<dyn Sink>) -> BoxFuture<'a, Result<Summary>> {
        Box::pin(Filesystem::find(self, query, sink))
    }

    fn watch<'a>(&'a self, spec: &'a WatchSpec) -> BoxFuture<'a, Result<Watch>> {
        Box::pin(Filesystem::watch(self, spec))
    }

    fn read_link<'a>(&'a self, path: &'a WsPath) -> BoxFuture<'a, Result<Bytes>> {
        Box::pin(Filesystem::read_link(self, path))
    }

    fn stage<'a>(&'a self, base: &'a WsPath) -> BoxFuture<'a, Result<Box<dyn Stage>>> {
        Box::pin(Filesystem::stage(self, base))
    }

    fn receive<'a>(&'a self, path: &'a WsPath) -> BoxFuture<'a, Result<Box<dyn Incoming>>> {
        Box::pin(Filesystem::receive(self, path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twin_is_object_safe() {
        fn takes(_: Option<&dyn DynFilesystem>) {}
        takes(None);
    }
}
