//! Files of which what is read and written whole is kept.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use bytes::Bytes;
use garth_contract::{
    Abilities, Content, Depth, DynFilesystem, Entry, Filesystem, Folder, Gathered, Incoming, Links,
    Listing, Made, Move, Page, Parents, Put, Query, Removed, Renamed, Result, Sink, Span, Stage,
    Summary, Watch, WatchSpec, Written, WsPath,
};

use super::{Keeper, MOST_FILE};

/// Files whose last look is remembered, so that one that is read again and again is kept
/// once; those that are forgotten are looked at anew.
const MOST_LOOKS: usize = 4_096;

/// The files.
pub(super) struct Keeping {
    fs: Arc<dyn DynFilesystem>,
    keeper: Keeper,
    looks: Mutex<HashMap<WsPath, Look>>,
}

/// How a file looked whose content is kept.
type Look = (u64, Option<SystemTime>);

impl Keeping {
    pub(super) fn new(fs: Arc<dyn DynFilesystem>, keeper: Keeper) -> Self {
        Self { fs, keeper, looks: Mutex::default() }
    }

    /// Keeps what was read whole, where it is new.
    fn saw(&self, path: &WsPath, content: &Content) {
        let whole = content.offset == 0 && content.bytes.len() as u64 == content.size;
        if whole && content.size <= MOST_FILE && self.is_new(path, (content.size, content.modified))
        {
            self.keeper.keep(path, content.bytes.clone(), content.known);
        }
    }

    /// Tells whether a file looks other than it did last.
    fn is_new(&self, path: &WsPath, look: Look) -> bool {
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        if look.1.is_some() && looks.get(path) == Some(&look) {
            return false;
        }
        if looks.len() >= MOST_LOOKS {
            looks.clear();
        }
        looks.insert(path.clone(), look);
        true
    }
}

impl Filesystem for Keeping {
    fn abilities(&self) -> Abilities {
        self.fs.abilities()
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        self.fs.stat(path, links).await
    }

    fn stat_now(&self, path: &WsPath, links: Links) -> Option<Entry> {
        self.fs.stat_now(path, links)
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        self.fs.list(path, page).await
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        let content = self.fs.read(path, span).await?;
        self.saw(path, &content);
        Ok(content)
    }

    fn read_now(&self, path: &WsPath, span: Span) -> Option<Content> {
        let content = self.fs.read_now(path, span)?;
        self.saw(path, &content);
        Some(content)
    }

    // Nobody is told a version of what is gathered, so nobody can ask about it later; a tree
    // that is packed would push out what callers were told of.
    async fn gather(&self, path: &WsPath, span: Span, into: &mut Vec<u8>) -> Result<Gathered> {
        self.fs.gather(path, span, into).await
    }

    fn folder(&self, path: &WsPath) -> Option<Box<dyn Folder>> {
        self.fs.folder(path)
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        let kept = (content.len() as u64 <= MOST_FILE).then(|| content.clone());
        let written = self.fs.write(path, content, put).await?;
        if let Some(kept) = kept
            && self.is_new(path, (kept.len() as u64, written.modified))
        {
            self.keeper.keep(path, kept, Some(written.version));
        }
        Ok(written)
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        self.fs.make_dir(path, parents).await
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        self.fs.remove(path, depth).await
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        self.fs.rename(from, to, how).await
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        self.fs.find(query, sink).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        self.fs.watch(spec).await
    }

    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        self.fs.read_link(path).await
    }

    async fn stage(&self, base: &WsPath) -> Result<Box<dyn Stage>> {
        self.fs.stage(base).await
    }

    // What arrives in pieces is kept when it is first shown.
    async fn receive(&self, path: &WsPath) -> Result<Box<dyn Incoming>> {
        self.fs.receive(path).await
    }
}
