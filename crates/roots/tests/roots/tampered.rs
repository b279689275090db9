//! Files in RAM whose every call passes by a hand that may fail or stop it.

use std::{future::pending, sync::Arc};

use bytes::Bytes;
use garth_contract::{
    Abilities, Code, Content, Depth, Entry, Error, Filesystem, Links, Listing, Made, Move, Page,
    Parents, Put, Query, Removed, Renamed, Result, Sink, Span, Summary, Watch, WatchSpec, Written,
    WsPath,
};
use garth_memory::Memory;

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Pass,
    Fail(Code),
    /// The call never comes back and does nothing, as if the machine had stopped.
    Hang,
}

type Hand = dyn Fn(&str, &WsPath) -> Act + Send + Sync;

pub(crate) struct Tampered {
    files: Memory,
    hand: Box<Hand>,
}

impl Tampered {
    pub(crate) fn new(
        files: Memory,
        hand: impl Fn(&str, &WsPath) -> Act + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { files, hand: Box::new(hand) })
    }

    async fn pass(&self, call: &str, path: &WsPath) -> Result<()> {
        if tokio::runtime::Handle::try_current().is_ok() {
            // Each call is a point at which a caller can be dropped.
            tokio::task::yield_now().await;
        }
        match (self.hand)(call, path) {
            Act::Pass => Ok(()),
            Act::Fail(code) => Err(Error::at(code, path)),
            Act::Hang => pending().await,
        }
    }
}

impl Filesystem for Tampered {
    fn abilities(&self) -> Abilities {
        Filesystem::abilities(&self.files)
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        self.pass("stat", path).await?;
        Filesystem::stat(&self.files, path, links).await
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        self.pass("list", path).await?;
        Filesystem::list(&self.files, path, page).await
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        self.pass("read", path).await?;
        Filesystem::read(&self.files, path, span).await
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        self.pass("write", path).await?;
        Filesystem::write(&self.files, path, content, put).await
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        self.pass("make_dir", path).await?;
        Filesystem::make_dir(&self.files, path, parents).await
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        self.pass("remove", path).await?;
        Filesystem::remove(&self.files, path, depth).await
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        self.pass("rename", to).await?;
        Filesystem::rename(&self.files, from, to, how).await
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        self.pass("find", &query.base).await?;
        Filesystem::find(&self.files, query, sink).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        self.pass("watch", &spec.path).await?;
        Filesystem::watch(&self.files, spec).await
    }
}
