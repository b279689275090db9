//! The methods of the contract, on a tree in RAM.

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{
    Abilities, Access, Code, Content, Depth, Detail, Entry, Error, Filesystem, Links, Listing,
    Made, Move, Page, Parents, Put, Query, Removed, Renamed, Result, Sink, Span, Stage, Summary,
    Version, Watch, WatchSpec, Written, WsPath, told_link,
};

use tokio::task::coop::consume_budget;

use crate::{
    Memory, blocking,
    change::{Draft, Ground},
    find,
    list::list,
    memory::Plan,
    read::read,
    resolve::{What, resolve},
    stage::Staged,
    tree::Dir,
};

impl Memory {
    /// Makes a symbolic link; where it points to is judged when it is followed.
    ///
    /// # Errors
    /// `FILE_EXISTS`, `PARENT_NOT_FOUND`, `INVALID_PATH` for a target that is no
    /// path, and those that every change can have.
    pub fn symlink(&self, path: &WsPath, target: &[u8]) -> Result<()> {
        self.plan(|ground| ground.symlink(path, target))
    }

    /// Makes one change, unless the workspace is read-only.
    fn plan<T>(&self, plan: impl for<'a> Fn(Ground<'a>) -> Result<Plan<T>>) -> Result<T> {
        self.fence.check_access()?;
        let now = self.now();
        self.change(|root: &Arc<Dir>| plan(Ground { fence: &self.fence, root, now }))
    }
}

/// No call here ever has to wait, so a caller in a loop would keep its thread for
/// ever. Each therefore takes from the runtime's budget and lets others run when
/// it is used up; without a runtime there is none, and nothing to wait for.
impl Filesystem for Memory {
    fn abilities(&self) -> Abilities {
        Abilities {
            write: self.fence.policy.access == Access::ReadWrite,
            rename: true,
            empty_dirs: true,
            symlinks: true,
            special_files: false,
            modes: true,
            any_names: true,
            watch: true,
            find: true,
            trees: true,
            durable: false,
        }
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        consume_budget().await;
        let root = self.root();
        let found = resolve(&self.fence, &root, path, links)?.what.node();
        found.map(|node| node.entry(path.clone())).ok_or_else(|| missing(path))
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        consume_budget().await;
        let root = self.root();
        let place = resolve(&self.fence, &root, path, Links::Follow)?;
        match place.what {
            What::Dir(dir) => list(&self.fence, &place.path, dir, (path, page)),
            What::File(_) | What::Link(_) => Err(Error::at(Code::NotADirectory, path)),
            What::Nothing { .. } => Err(missing(path)),
        }
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        consume_budget().await;
        let root = self.root();
        let file = match resolve(&self.fence, &root, path, Links::Follow)?.what {
            What::File(file) => Arc::clone(file),
            What::Dir(_) | What::Link(_) => return Err(Error::at(Code::NotAFile, path)),
            What::Nothing { .. } => return Err(missing(path)),
        };
        drop(root);
        let scanned = match span {
            Span::Whole { .. } | Span::Bytes { .. } => 0,
            Span::Lines { .. } | Span::LastLines { .. } => file.content.len(),
        };
        let path = path.clone();
        blocking::run(scanned, move || read(&file, &path, span)).await?
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        consume_budget().await;
        self.fence.check_access()?;
        if path.is_root() {
            return Err(Error::at(Code::NotAFile, path));
        }
        let (actual, limit) = (content.len() as u64, self.fence.policy.max_file);
        if actual > limit {
            let error = Error::at(Code::FileTooLarge, path);
            return Err(error.with(Detail::Limit { limit, actual }));
        }
        let draft = blocking::run(content.len(), move || {
            // A copy: the bytes may be a small part of a large buffer, which would be
            // held for as long as the file is, past every quota.
            let content = Bytes::copy_from_slice(&content);
            Draft { version: Version::of(&content), content }
        })
        .await?;
        self.plan(|ground| ground.write(path, &draft, &put))
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        consume_budget().await;
        self.plan(|ground| ground.make_dir(path, parents))
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        consume_budget().await;
        self.plan(|ground| ground.remove(path, depth))
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        consume_budget().await;
        self.plan(|ground| ground.rename(from, to, how))
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        find::find(Arc::clone(&self.fence), self.root(), query.clone(), sink).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        self.with_feeds(|root, feeds| feeds.open(&self.fence, root, spec))
    }

    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        consume_budget().await;
        let root = self.root();
        let place = resolve(&self.fence, &root, path, Links::Keep)?;
        match place.what {
            What::Link(link) => Ok(told_link(&place.path, &link.target, &self.fence.aliases)),
            What::Dir(_) | What::File(_) => Err(Error::not_a_link(path)),
            What::Nothing { .. } => Err(missing(path)),
        }
    }

    async fn stage(&self, base: &WsPath) -> Result<Box<dyn Stage>> {
        consume_budget().await;
        Ok(Box::new(Staged::open(self.handle(), base)?))
    }
}

fn missing(path: &WsPath) -> Error {
    Error::at(Code::FileNotFound, path)
}
