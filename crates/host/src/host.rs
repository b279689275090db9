//! [`Host`]: the [`Filesystem`] of a directory on this machine.

use std::{path::Path, sync::Arc};

use bytes::Bytes;
use garth_contract::{
    Abilities, Access, Aliases, Content, Depth, Durability, Entry, Filesystem, Links, Listing,
    Made, Move, Page, Parents, Policy, Put, Query, Removed, Renamed, Result, Sink, Span, Summary,
    Watch, WatchSpec, Written, WsPath,
};

use crate::{
    blocking, look, make_dir, read, remove, rename,
    start::{self, CancelOnDrop},
    sweep,
    tree::{Resolver, Tree},
    write,
};

/// The files below one directory of this machine, and nothing else of it.
///
/// Cloning is cheap and gives the same workspace.
#[derive(Clone, Debug)]
pub struct Host {
    tree: Arc<Tree>,
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
        Ok(Self { tree: Arc::new(Tree::open(root, policy, aliases)?) })
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
        self.run(sweep::sweep).await
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    async fn run<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Tree) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let tree = Arc::clone(&self.tree);
        blocking::run(move || call(&tree)).await
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
            durable: self.tree.policy.durability == Durability::Synced,
        }
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        let path = path.clone();
        self.run(move |tree| look::stat(tree, &path, links)).await
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        let path = path.clone();
        self.run(move |tree| look::list(tree, &path, page)).await
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        let path = path.clone();
        self.run(move |tree| read::read(tree, &path, span)).await
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        let path = path.clone();
        self.run(move |tree| write::write(tree, &path, &content, put)).await
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        let path = path.clone();
        self.run(move |tree| make_dir::make_dir(tree, &path, parents)).await
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        let path = path.clone();
        self.run(move |tree| remove::remove(tree, &path, depth)).await
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        let (from, to) = (from.clone(), to.clone());
        self.run(move |tree| rename::rename(tree, &from, &to, how)).await
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        let query = query.clone();
        // Cancel: the guard raises the flag that the walk looks at.
        let (_guard, cancel) = CancelOnDrop::new();
        self.run(move |tree| start::find(tree, &query, &*sink, &cancel)).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        let spec = spec.clone();
        // Cancel: the guard raises the flag that the set-up looks at.
        let (_guard, cancel) = CancelOnDrop::new();
        self.run(move |tree| start::watch(tree, &spec, &cancel)).await
    }
}
