//! The files of a sandbox that is made when the first of them is asked for.
//!
//! They are those that its guest serves, so whoever looks at them makes the sandbox.

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{
    Abilities, Content, Depth, Entry, Filesystem, Links, Listing, Made, Move, Page, Parents, Put,
    Query, Removed, Renamed, Result, Sink, Span, Stage, Summary, Watch, WatchSpec, Written, WsPath,
};

use crate::{Connect, Lazy};

impl<C: Connect + Clone> Filesystem for Lazy<C> {
    /// What a guest can do: it is known before there is one, since it is this program's.
    fn abilities(&self) -> Abilities {
        Abilities {
            write: true,
            rename: true,
            empty_dirs: true,
            symlinks: true,
            special_files: true,
            modes: true,
            any_names: true,
            watch: true,
            find: true,
            trees: true,
            durable: true,
        }
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        Filesystem::stat(self.remote().await?, path, links).await
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        Filesystem::list(self.remote().await?, path, page).await
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        Filesystem::read(self.remote().await?, path, span).await
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        Filesystem::write(self.remote().await?, path, content, put).await
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        Filesystem::make_dir(self.remote().await?, path, parents).await
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        Filesystem::remove(self.remote().await?, path, depth).await
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        Filesystem::rename(self.remote().await?, from, to, how).await
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        Filesystem::find(self.remote().await?, query, sink).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        Filesystem::watch(self.remote().await?, spec).await
    }

    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        Filesystem::read_link(self.remote().await?, path).await
    }

    async fn stage(&self, base: &WsPath) -> Result<Box<dyn Stage>> {
        Filesystem::stage(self.remote().await?, base).await
    }
}
