//! The suite on a backend whose `find` lists and reads, as an author's own may.

use std::sync::Arc;

use bytes::Bytes;
use garth_conformance::{Backend, Subject, conform};
use garth_contract::{
    Abilities, Content, Depth, Entry, Filesystem, Links, Listing, Made, Move, Page, Parents,
    Policy, Put, Query, Removed, Renamed, Result, Sink, Span, Stage, Summary, Watch, WatchSpec,
    Written, WsPath,
};
use garth_embed::find_by_listing;
use garth_memory::Memory;

use super::memory;

conform!(listing, ByListing);

struct ByListing;

impl Backend for ByListing {
    fn name(&self) -> &str {
        "memory, found by listing"
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let (files, around) = memory::make(policy)?;
        Ok(Subject::new(Listed(files)).with(around))
    }
}

struct Listed(Memory);

impl Filesystem for Listed {
    fn abilities(&self) -> Abilities {
        Filesystem::abilities(&self.0)
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        Filesystem::stat(&self.0, path, links).await
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        Filesystem::list(&self.0, path, page).await
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        Filesystem::read(&self.0, path, span).await
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        Filesystem::write(&self.0, path, content, put).await
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        Filesystem::make_dir(&self.0, path, parents).await
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        Filesystem::remove(&self.0, path, depth).await
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        Filesystem::rename(&self.0, from, to, how).await
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        find_by_listing(self, query, sink).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        Filesystem::watch(&self.0, spec).await
    }

    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        Filesystem::read_link(&self.0, path).await
    }

    async fn stage(&self, base: &WsPath) -> Result<Box<dyn Stage>> {
        Filesystem::stage(&self.0, base).await
    }
}
