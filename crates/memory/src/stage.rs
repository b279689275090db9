//! A tree beside the tree: staged in RAM, and put in place by one change.

use std::{collections::BTreeMap, sync::Arc, time::SystemTime};

use bytes::Bytes;
use garth_contract::{
    BoxFuture, Clobber, Code, Detail, Error, Landed, Links, Part, Result, Stage, Stamp, Version,
    WsPath, check_link, is_temporary,
};
use garth_search::Stands;
use tokio::task::coop::consume_budget;

use crate::{
    Memory, blocking,
    change::Ground,
    fence::MAX_ENTRIES,
    memory::Plan,
    resolve::What,
    tree::{DIR_MODE, Dir, FILE_MODE, File, Link, Node},
};

/// Only these bits of a mode are set.
const MODE: u32 = 0o777;

/// A tree that is not part of the workspace yet.
pub(crate) struct Staged {
    files: Memory,
    /// Where the base is as it was asked for, and where it really is.
    asked: WsPath,
    real: WsPath,
    tree: Arc<Dir>,
    stamps: BTreeMap<WsPath, Stamp>,
    open: Option<Open>,
    now: SystemTime,
}

/// A file whose bytes are still coming.
struct Open {
    path: WsPath,
    stamp: Stamp,
    content: Vec<u8>,
}

impl Staged {
    /// Opens a stage on a directory.
    pub(crate) fn open(files: Memory, base: &WsPath) -> Result<Self> {
        files.fence.check_access()?;
        let (root, now) = (files.root(), files.now());
        let ground = Ground { fence: &files.fence, root: &root, now };
        let real = match ground.look(base, Links::Follow)? {
            place if matches!(place.what, What::Dir(_)) => place.path,
            place if matches!(place.what, What::Nothing { .. }) => {
                return Err(Error::at(Code::FileNotFound, base));
            }
            _ => return Err(Error::at(Code::NotADirectory, base)),
        };
        let tree = Arc::new(Dir::empty(now, DIR_MODE));
        let asked = base.clone();
        Ok(Self { files, asked, real, tree, stamps: BTreeMap::new(), open: None, now })
    }

    async fn take(&mut self, part: Part) -> Result<()> {
        consume_budget().await;
        match part {
            Part::Bytes(bytes) => self.more(&bytes),
            Part::Dir { path, stamp } => {
                self.end().await?;
                self.add_dir(path, stamp)
            }
            Part::File { path, stamp } => {
                self.end().await?;
                self.check_free(&path, Stands::Other)?;
                self.open = Some(Open { path, stamp, content: Vec::new() });
                Ok(())
            }
            Part::Link { path, target, modified } => {
                self.end().await?;
                self.check_free(&path, Stands::Other)?;
                let full = self.full(&path)?;
                check_link(&path.under(&self.real)?, &target, &self.files.fence.aliases)
                    .map_err(|error| Error::at(error.code(), &full))?;
                let modified = modified.unwrap_or(self.now);
                let link = Link { target: target.as_ref().into(), modified };
                self.plant(&path, Node::Link(Arc::new(link)))
            }
        }
    }

    fn more(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(open) = &mut self.open else {
            return Err(Error::new(Code::InvalidParams, "the bytes belong to no file"));
        };
        let actual = (open.content.len() + bytes.len()) as u64;
        let policy = &self.files.fence.policy;
        let staged = self.tree.below.bytes + actual;
        let refused = if actual > policy.max_file {
            Some((Code::FileTooLarge, policy.max_file, actual))
        } else {
            let quota = policy.quota.filter(|quota| staged > *quota);
            quota.map(|quota| (Code::QuotaExceeded, quota, staged))
        };
        if let Some((code, limit, actual)) = refused {
            let path = open.path.clone();
            self.open = None;
            return Err(Error::at(code, &self.full(&path)?).with(Detail::Limit { limit, actual }));
        }
        open.content.extend_from_slice(bytes);
        Ok(())
    }

    /// Puts the file that was begun last into the tree.
    async fn end(&mut self) -> Result<()> {
        let Some(Open { path, stamp, mut content }) = self.open.take() else { return Ok(()) };
        let (content, version) = blocking::run(content.len(), move || {
            content.shrink_to_fit();
            let version = Version::of(&content);
            (Bytes::from(content), version)
        })
        .await?;
        let modified = stamp.modified.unwrap_or(self.now);
        let mode = stamp.mode.map_or(FILE_MODE, |mode| mode & MODE);
        self.plant(&path, Node::File(Arc::new(File { content, version, modified, mode })))
    }

    fn add_dir(&mut self, path: WsPath, stamp: Stamp) -> Result<()> {
        if path.is_root() {
            return Ok(());
        }
        if !matches!(self.tree.get(&path), Some(Node::Dir(_))) {
            self.check_free(&path, Stands::Dir)?;
            self.plant(&path, Node::Dir(Arc::new(Dir::empty(self.now, DIR_MODE))))?;
        }
        self.stamps.insert(path, stamp);
        Ok(())
    }

    fn plant(&mut self, path: &WsPath, node: Node) -> Result<()> {
        if self.tree.below.entries >= MAX_ENTRIES {
            let limit = Detail::Limit { limit: MAX_ENTRIES, actual: MAX_ENTRIES + 1 };
            return Err(Error::at(Code::QuotaExceeded, &self.full(path)?).with(limit));
        }
        self.tree.plant(path, node, self.now).map(drop)
    }

    /// Refuses a place that is taken, cannot be had, or may not be changed.
    fn check_free(&self, path: &WsPath, stands: Stands) -> Result<()> {
        let full = self.full(path)?;
        if path.components().any(is_temporary) {
            let error = Error::at(Code::InvalidPath, &full);
            return Err(error.hint("Names of this form belong to temporary files."));
        }
        let real = path.under(&self.real)?;
        if self.files.fence.denies(real.as_bytes(), stands) {
            return Err(Error::at(Code::PermissionDenied, &full));
        }
        self.files.fence.check_change(&real, &full)?;
        if path.is_root() || self.tree.get(path).is_some() {
            return Err(Error::at(Code::FileExists, &full));
        }
        let mut here = &self.tree;
        for name in path.components() {
            match here.entries.get(name) {
                Some(Node::Dir(dir)) => here = dir,
                Some(Node::File(_) | Node::Link(_)) => {
                    return Err(Error::at(Code::NotADirectory, &full));
                }
                None => break,
            }
        }
        Ok(())
    }

    /// The path of something staged as the caller knows it.
    fn full(&self, path: &WsPath) -> Result<WsPath> {
        path.under(&self.asked)
    }

    async fn read(&mut self, path: &WsPath, offset: u64, length: u64) -> Result<Bytes> {
        if self.open.as_ref().is_some_and(|open| open.path == *path) {
            self.end().await?;
        }
        let file = match self.tree.get(path) {
            Some(Node::File(file)) => file,
            Some(Node::Dir(_) | Node::Link(_)) => {
                return Err(Error::at(Code::NotAFile, &self.full(path)?));
            }
            None if path.is_root() => return Err(Error::at(Code::NotAFile, &self.asked)),
            None => return Err(Error::at(Code::FileNotFound, &self.full(path)?)),
        };
        let size = file.content.len();
        let bound = |count: u64| usize::try_from(count).unwrap_or(usize::MAX).min(size);
        let start = bound(offset);
        Ok(file.content.slice(start..bound(offset.saturating_add(length)).max(start)))
    }

    async fn put_in_place(mut self, clobber: Clobber) -> Result<Landed> {
        self.end().await?;
        for (path, stamp) in std::mem::take(&mut self.stamps) {
            let mode = stamp.mode.map_or(DIR_MODE, |mode| mode & MODE);
            self.tree.stamp(&path, stamp.modified.unwrap_or(self.now), mode);
        }
        self.files.fence.check_access()?;
        let now = self.files.now();
        self.files.change(|root| {
            let ground = Ground { fence: &self.files.fence, root, now };
            self.plan(ground, clobber)
        })
    }

    /// Plans to put each staged entry where nothing, or something lesser, stands.
    fn plan(&self, ground: Ground<'_>, clobber: Clobber) -> Result<Plan<Landed>> {
        let conflict = |_| Error::at(Code::Conflict, &self.asked);
        let place = ground.look(&self.asked, Links::Follow).map_err(conflict)?;
        if place.path != self.real || !matches!(place.what, What::Dir(_)) {
            return Err(Error::at(Code::Conflict, &self.asked));
        }
        let mut plan = ground.nothing();
        let mut landed = Landed::default();
        let mut pending = vec![(WsPath::root(), &self.tree)];
        while let Some((path, dir)) = pending.pop() {
            for (name, node) in &dir.entries {
                let path = path.join(name)?;
                let at = path.under(&self.real)?;
                let there = ground.root.get(&at).map(|there| matches!(there, Node::Dir(_)));
                match (node, there) {
                    (_, None) => plan.put(at, node.clone(), ground.now)?,
                    (Node::Dir(inside), Some(true)) => pending.push((path, inside)),
                    (Node::File(_) | Node::Link(_), Some(false)) if clobber == Clobber::Replace => {
                        plan.put(at, node.clone(), ground.now)?;
                        landed.replaced += 1;
                    }
                    (Node::Dir(_) | Node::File(_) | Node::Link(_), Some(is_dir)) => {
                        let code = match (clobber, is_dir) {
                            (Clobber::Refuse, _) => Code::DestinationExists,
                            (Clobber::Replace, true) => Code::NotAFile,
                            (Clobber::Replace, false) => Code::NotADirectory,
                        };
                        return Err(Error::at(code, &self.full(&path)?));
                    }
                }
            }
        }
        self.files.fence.check_room(ground.root, &plan.root, &self.asked)?;
        plan.answering(landed)
    }
}

impl Stage for Staged {
    fn add(&mut self, parts: Vec<Part>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            for part in parts {
                self.take(part).await?;
            }
            Ok(())
        })
    }

    fn read_back<'a>(
        &'a mut self,
        path: &'a WsPath,
        offset: u64,
        length: u64,
    ) -> BoxFuture<'a, Result<Bytes>> {
        Box::pin(self.read(path, offset, length))
    }

    fn land(self: Box<Self>, clobber: Clobber) -> BoxFuture<'static, Result<Landed>> {
        Box::pin(self.put_in_place(clobber))
    }

    fn discard(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { drop(self) })
    }
}

/// Lets go of what did not land; a tree of many entries takes its time.
impl Drop for Staged {
    fn drop(&mut self) {
        let empty = Arc::new(Dir::empty(self.now, 0));
        blocking::discard(Node::Dir(std::mem::replace(&mut self.tree, empty)));
    }
}
