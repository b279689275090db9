//! [`Host`]: the [`Filesystem`] of a directory on this machine.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use bytes::Bytes;
use garth_contract::{
    Abilities, Access, Aliases, Content, Depth, Durability, Entry, Filesystem, Folder, Gathered,
    Incoming, Links, Listing, Made, Move, Page, Parents, Policy, Put, Query, Removed, Renamed,
    Result, Sink, Span, Stage, Summary, Watch, WatchSpec, Written, WsPath,
};

use crate::{
    blocking::{self, CancelOnDrop},
    folder::Opened,
    lone::Lone,
    look, make_dir, read,
    receive::{Arriving, Draft},
    remove, rename,
    stage::{Build, Staged},
    start, sweep,
    tree::{Resolver, Tree},
    write::{self, New},
};

/// The files below one directory of this machine, and nothing else of it.
///
/// Cloning is cheap and gives the same workspace.
#[derive(Clone, Debug)]
pub struct Host {
    tree: Arc<Tree>,
    /// Who else is served by the thread that calls, where that is known.
    lone: Option<Arc<Lone>>,
}

impl Host {
    /// Opens a directory as a workspace.
    ///
    /// Links with absolute targets stay inside when the target begins with the
    /// directory's own path or with one of `aliases`.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_FOUND` when there is no such directory, `NOT_A_DIRECTORY` for
    /// anything else, `INVALID_PATTERN` for a rule of the policy that does not parse.
    pub fn open(root: &Path, policy: Policy, aliases: Aliases) -> Result<Self> {
        Ok(Self { tree: Arc::new(Tree::open(root, policy, aliases)?), lone: None })
    }

    /// The same for a program whose one thread serves one client: short writes are its own.
    #[must_use]
    pub fn for_one(self, lone: Arc<Lone>) -> Self {
        Self { lone: Some(lone), ..self }
    }

    /// Resolves paths in another way from now on; both ways give the same answers.
    #[must_use]
    pub fn with_resolver(self, resolver: Resolver) -> Self {
        self.tree.set_resolver(resolver);
        self
    }

    /// Removes the temporary files that a crash left behind, and says how many.
    ///
    /// # Errors
    /// Those of a walk over the whole tree.
    pub async fn sweep(&self) -> Result<u64> {
        self.run(|tree, _| sweep::sweep(tree)).await
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Runs a call on a thread that may block.
    ///
    /// Cancel: a call that has not begun never does; one that has looks at the flag
    /// where it would otherwise act after somebody stopped waiting for it.
    async fn run<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Tree, &AtomicBool) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let tree = Arc::clone(&self.tree);
        let (_guard, cancel) = CancelOnDrop::new();
        blocking::run(move || {
            blocking::check(&cancel)?;
            call(&tree, &cancel)
        })
        .await
    }
}

impl Filesystem for Host {
    fn abilities(&self) -> Abilities {
        Abilities {
            write: self.tree.policy.access == Access::ReadWrite,
            rename: true,
            empty_dirs: true,
            symlinks: true,
            special_files: true,
            modes: true,
            any_names: true,
            watch: true,
            find: true,
            trees: true,
            durable: self.tree.policy.durability == Durability::Synced,
        }
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        if let Some(entry) = self.stat_now(path, links) {
            return Ok(entry);
        }
        let path = path.clone();
        self.run(move |tree, _| look::stat(tree, &path, links)).await
    }

    fn stat_now(&self, path: &WsPath, links: Links) -> Option<Entry> {
        look::stat_cached(&self.tree, path, links)
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        let path = path.clone();
        self.run(move |tree, _| look::list(tree, &path, page)).await
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        if let Some(content) = self.read_now(path, span) {
            return Ok(content);
        }
        let path = path.clone();
        self.run(move |tree, _| read::read(tree, &path, span)).await
    }

    fn read_now(&self, path: &WsPath, span: Span) -> Option<Content> {
        read::read_cached(&self.tree, path, span)
    }

    async fn gather(&self, path: &WsPath, span: Span, into: &mut Vec<u8>) -> Result<Gathered> {
        if let Some(gathered) = read::gather_cached(&self.tree, path, span, into) {
            return Ok(gathered);
        }
        let path = path.clone();
        let content = self.run(move |tree, _| read::read(tree, &path, span)).await?;
        into.extend_from_slice(&content.bytes);
        let length = content.bytes.len() as u64;
        let Content { size, modified, mode, .. } = content;
        Ok(Gathered { length, size, modified, mode })
    }

    fn folder(&self, path: &WsPath) -> Option<Box<dyn Folder>> {
        let opened = Opened::cached(&self.tree, path)?;
        Some(Box::new(opened))
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        if let Some(lone) = &self.lone
            && let Some(written) = lone.write(&self.tree, path, (&content, &put))
        {
            return written;
        }
        let (tree, path) = (Arc::clone(&self.tree), path.clone());
        let (_guard, cancel) = CancelOnDrop::new();
        blocking::run_leaving(move || {
            blocking::check(&cancel)?;
            write::write(&tree, &path, (New::Bytes(&content), put), &cancel)
        })
        .await
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        let path = path.clone();
        self.run(move |tree, _| make_dir::make_dir(tree, &path, parents)).await
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        let path = path.clone();
        self.run(move |tree, _| remove::remove(tree, &path, depth)).await
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        let (from, to) = (from.clone(), to.clone());
        self.run(move |tree, _| rename::rename(tree, &from, &to, how)).await
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        let query = query.clone();
        self.run(move |tree, cancel| start::find(tree, &query, &*sink, cancel)).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        let spec = spec.clone();
        self.run(move |tree, cancel| start::watch(tree, &spec, cancel)).await
    }

    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        let path = path.clone();
        self.run(move |tree, _| look::read_link(tree, &path)).await
    }

    async fn stage(&self, base: &WsPath) -> Result<Box<dyn Stage>> {
        let (tree, base) = (Arc::clone(&self.tree), base.clone());
        let build = self.run(move |_, _| Build::open(&tree, &base)).await?;
        Ok(Box::new(Staged::new(build)))
    }

    async fn receive(&self, path: &WsPath) -> Result<Box<dyn Incoming>> {
        let (tree, path) = (Arc::clone(&self.tree), path.clone());
        let draft = self.run(move |_, _| Draft::open(&tree, &path)).await?;
        Ok(Box::new(Arriving::new(draft)))
    }
}
