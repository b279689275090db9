//! The four changes, each as a plan: from one tree to the next.

use std::{sync::Arc, time::SystemTime};

use bytes::Bytes;
use garth_contract::{
    Clobber, Code, Depth, Detail, Error, Guard, Kind, Links, MAX_PATH, Made, Move, Parents, Put,
    Removed, Renamed, Result, Version, Written, WsPath,
};
use garth_search::Stands;

use crate::{
    fence::Fence,
    memory::{Difference, Plan},
    resolve::{Place, What, resolve, resolve_for},
    tree::{DIR_MODE, Dir, FILE_MODE, File, Link, Node},
};

/// What a change is computed from.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) fence: &'a Fence,
    pub(crate) root: &'a Arc<Dir>,
    pub(crate) now: SystemTime,
}

/// A content that is ready to be put into the tree.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) content: Bytes,
    pub(crate) version: Version,
}

impl<'a> Ground<'a> {
    pub(crate) fn write(self, path: &'a WsPath, draft: &Draft, put: &Put) -> Result<Plan<Written>> {
        let place = self.resolve(path, Links::Follow)?;
        let (current, parents) = match place.what {
            What::File(file) => (Some(file), 0),
            What::Dir(_) | What::Link(_) => return Err(Error::at(Code::NotAFile, path)),
            What::Nothing { parents } => (None, parents),
        };
        self.check_parents(parents, put.parents, path)?;
        match (&put.guard, current) {
            (Guard::Any, _) | (Guard::Absent, None) => {}
            (Guard::Absent, Some(_)) => return Err(Error::at(Code::FileExists, path)),
            (Guard::Unchanged(_) | Guard::Holding(_), None) => {
                return Err(Error::at(Code::Conflict, path));
            }
            (Guard::Unchanged(expected), Some(file)) if file.version == *expected => {}
            (Guard::Holding(expected), Some(file)) if file.content == *expected => {}
            (Guard::Unchanged(_) | Guard::Holding(_), Some(file)) => {
                let current = Detail::Current(file.version);
                return Err(Error::at(Code::Conflict, path).with(current));
            }
        }
        let kept = current.map_or(FILE_MODE, |file| file.mode);
        let file = File {
            content: draft.content.clone(),
            version: draft.version,
            modified: self.now,
            mode: put.mode.map_or(kept, |mode| mode & 0o7777),
        };
        let created = current.is_none();
        let answer = Written { version: draft.version, created, modified: Some(self.now) };
        self.put(self.nothing(), place, Node::File(Arc::new(file)), path)?.answering(answer)
    }

    pub(crate) fn make_dir(self, path: &'a WsPath, parents: Parents) -> Result<Plan<Made>> {
        let place = self.resolve_for(path, Links::Keep, Stands::Dir)?;
        match place.what {
            What::Dir(_) => self.nothing().answering(Made::Existed),
            What::File(_) => Err(Error::at(Code::FileExists, path)),
            What::Link(_) => match self.resolve(path, Links::Follow)?.what {
                What::Dir(_) => self.nothing().answering(Made::Existed),
                What::File(_) | What::Link(_) | What::Nothing { .. } => {
                    Err(Error::at(Code::FileExists, path))
                }
            },
            What::Nothing { parents: missing } => {
                self.check_parents(missing, parents, path)?;
                let dir = Node::Dir(Arc::new(Dir::empty(self.now, DIR_MODE)));
                self.put(self.nothing(), place, dir, path)?.answering(Made::Created)
            }
        }
    }

    pub(crate) fn symlink(self, path: &'a WsPath, target: &[u8]) -> Result<Plan<()>> {
        if target.is_empty() || target.len() > MAX_PATH || target.contains(&0) {
            return Err(Error::new(Code::InvalidPath, "a link's target must be a path"));
        }
        let place = self.resolve(path, Links::Keep)?;
        let What::Nothing { parents } = place.what else {
            return Err(Error::at(Code::FileExists, path));
        };
        self.check_parents(parents, Parents::Require, path)?;
        let link = Link { target: target.into(), modified: self.now };
        self.put(self.nothing(), place, Node::Link(Arc::new(link)), path)
    }

    pub(crate) fn remove(self, path: &'a WsPath, depth: Depth) -> Result<Plan<Removed>> {
        if path.is_root() {
            return Err(Error::at(Code::CannotDeleteRoot, path));
        }
        let place = self.resolve(path, Links::Keep)?;
        let Some(node) = place.what.node() else {
            return Err(Error::at(Code::FileNotFound, path));
        };
        if let Node::Dir(dir) = &node {
            if depth == Depth::One && !dir.entries.is_empty() {
                return Err(Error::at(Code::DirectoryNotEmpty, path));
            }
            self.fence.check_below(&place.path, dir, path)?;
        }
        let answer = Removed { kind: node.kind(), count: node.entries() };
        let mut plan = self.nothing();
        plan.take(place.path, self.now)?;
        plan.answering(answer)
    }

    pub(crate) fn rename(
        self,
        from: &'a WsPath,
        to: &'a WsPath,
        how: Move,
    ) -> Result<Plan<Renamed>> {
        if let Some(root) = [from, to].into_iter().find(|path| path.is_root()) {
            return Err(Error::at(Code::CannotDeleteRoot, root));
        }
        let source = self
            .resolve(from, Links::Keep)
            .map_err(|error| error.recode(Code::FileNotFound, Code::SourceNotFound))?;
        let Some(node) = source.what.node() else {
            return Err(Error::at(Code::SourceNotFound, from));
        };
        let target = self.resolve_for(to, Links::Keep, node.kind().into())?;
        if source.path == target.path {
            let answer = Renamed { kind: node.kind(), replaced: false };
            return self.nothing().answering(answer);
        }
        if node.kind() == Kind::Dir && target.path.below(&source.path).is_some() {
            return Err(Error::at(Code::CannotMoveToSubdirectory, to));
        }
        if let What::Nothing { parents } = target.what {
            self.check_parents(parents, how.parents, to)?;
        }
        let replaced = check_clobber(&target.what, node.kind(), how.clobber, to)?;
        if let Node::Dir(dir) = &node {
            self.fence.check_below(&source.path, dir, from)?;
            self.fence.check_below(&target.path, dir, to)?;
        }
        let answer = Renamed { kind: node.kind(), replaced };
        let mut plan = self.nothing();
        plan.take(source.path, self.now)?;
        self.put(plan, target, node, to)?.answering(answer)
    }

    /// Finds a place.
    pub(crate) fn look(self, path: &'a WsPath, links: Links) -> Result<Place<'a>> {
        resolve(self.fence, self.root, path, links)
    }

    /// Finds a place that is to be changed.
    fn resolve(self, path: &'a WsPath, links: Links) -> Result<Place<'a>> {
        self.resolve_for(path, links, Stands::Other)
    }

    /// The same of a place where something new is to stand.
    fn resolve_for(self, path: &'a WsPath, links: Links, coming: Stands) -> Result<Place<'a>> {
        let place = resolve_for(self.fence, self.root, path, (links, coming))?;
        self.fence.check_change(&place.path, path)?;
        Ok(place)
    }

    fn check_parents(self, missing: usize, parents: Parents, asked: &WsPath) -> Result<()> {
        match parents {
            Parents::Require if missing > 0 => Err(Error::at(Code::ParentNotFound, asked)),
            Parents::Require | Parents::Create => Ok(()),
        }
    }

    /// A plan that changes nothing yet.
    pub(crate) fn nothing(self) -> Plan<()> {
        Plan { root: Arc::clone(self.root), changes: Vec::new(), answer: () }
    }

    /// Plans to put a node at a place, with the parents that are missing there.
    pub(crate) fn put(
        self,
        mut plan: Plan<()>,
        place: Place<'_>,
        node: Node,
        asked: &WsPath,
    ) -> Result<Plan<()>> {
        self.fence.check_length(&place.path, &node, asked)?;
        let (mut at, mut node) = (place.path, node);
        if let What::Nothing { parents } = place.what {
            for _ in 0..parents {
                node = Node::Dir(Arc::new(Dir::holding(&at, node, self.now)));
                at = at.parent().ok_or_else(|| Error::of(Code::Internal))?;
            }
        }
        plan.put(at, node, self.now)?;
        self.fence.check_room(self.root, &plan.root, asked)?;
        Ok(plan)
    }
}

impl Plan<()> {
    pub(crate) fn put(&mut self, at: WsPath, node: Node, now: SystemTime) -> Result<()> {
        let old = self.root.put(&at, node.clone(), now)?;
        self.changes.push(Difference { path: at, old, new: Some(node) });
        Ok(())
    }

    fn take(&mut self, at: WsPath, now: SystemTime) -> Result<()> {
        let old = self.root.take(&at, now)?;
        self.changes.push(Difference { path: at, old: Some(old), new: None });
        Ok(())
    }

    pub(crate) fn answering<T>(self, answer: T) -> Result<Plan<T>> {
        Ok(Plan { root: self.root, changes: self.changes, answer })
    }
}

/// Says whether something is replaced, or refuses.
fn check_clobber(there: &What<'_>, coming: Kind, clobber: Clobber, to: &WsPath) -> Result<bool> {
    let refuse = |code| Err(Error::at(code, to));
    match (there, clobber, coming == Kind::Dir) {
        (What::Nothing { .. }, ..) => Ok(false),
        (_, Clobber::Refuse, _) => refuse(Code::DestinationExists),
        (What::Dir(_), Clobber::Replace, false) => refuse(Code::NotAFile),
        (What::Dir(dir), Clobber::Replace, true) if !dir.entries.is_empty() => {
            refuse(Code::DirectoryNotEmpty)
        }
        (What::File(_) | What::Link(_), Clobber::Replace, true) => refuse(Code::NotADirectory),
        (What::Dir(_), Clobber::Replace, true)
        | (What::File(_) | What::Link(_), Clobber::Replace, false) => Ok(true),
    }
}
