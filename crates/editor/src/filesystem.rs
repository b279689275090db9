//! The contract's methods, each handed to the file that knows it.

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{
    Abilities, Content, Depth, Entry, Filesystem, Links, Listing, Made, Move, Page, Parents, Put,
    Query, Removed, Renamed, Result, Sink, Span, Stage, Summary, Watch, WatchSpec, Written, WsPath,
};

use crate::Editor;

impl Filesystem for Editor {
    fn abilities(&self) -> Abilities {
        let beneath = self.beneath.abilities();
        // What a client holds is as safe as the client.
        Abilities { durable: beneath.durable && !self.session.offers().takes(), ..beneath }
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        self.stat_entry(path, links).await
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        self.list_dir(path, page).await
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        self.read_span(path, span).await
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        self.write_whole(path, content, put).await
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        self.beneath.make_dir(path, parents).await
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        self.remove_entry(path, depth).await
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        self.rename_entry(from, to, how).await
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        self.find_all(query, sink).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        self.beneath.watch(spec).await
    }

    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        self.beneath.read_link(path).await
    }

    // A tree that lands has bytes, modes, times and links, which no client takes.
    async fn stage(&self, base: &WsPath) -> Result<Box<dyn Stage>> {
        self.beneath.stage(base).await
    }

    // What arrives in pieces would land beneath, behind the client's back. Without
    // this ability it is collected and written whole.
}
