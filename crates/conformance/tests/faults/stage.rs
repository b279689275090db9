//! How the naive backend stages a tree: in a map beside the tree.

use std::{collections::BTreeMap, sync::Arc, time::SystemTime};

use bytes::Bytes;
use garth_conformance::model::{Node, Tree};
use garth_contract::{
    BoxFuture, Clobber, Code, Error, Landed, Links, Part, Result, Stage, Stamp, WsPath, check_link,
    is_temporary, told_link,
};
use tokio::task::yield_now;

use crate::{fault::Fault, naive::Naive};

impl Naive {
    pub(crate) fn link_text(&self, path: &WsPath) -> Result<Bytes> {
        let tree = self.tree();
        let place = self.place(&tree, path, Links::Keep)?;
        match tree.get(&place.path) {
            Some(Node::Link(target)) if self.has(Fault::TellsAbsoluteLinks) => {
                Ok(target.clone().into())
            }
            Some(Node::Link(target)) => Ok(told_link(&place.path, target, &tree.aliases)),
            Some(Node::File { .. }) if self.has(Fault::ReadsFilesAsLinks) => Ok(Bytes::new()),
            Some(_) => Err(Error::not_a_link(path)),
            None => Err(Error::at(Code::FileNotFound, path)),
        }
    }

    pub(crate) fn open_stage(&self, base: &WsPath) -> Result<Staged> {
        let tree = self.tree();
        let place = self.place(&tree, base, Links::Follow)?;
        self.admit_base(&place.path, base)?;
        match tree.get(&place.path) {
            Some(Node::Dir) => {}
            Some(_) => return Err(Error::at(Code::NotADirectory, base)),
            None => return Err(Error::at(Code::FileNotFound, base)),
        }
        let naive = Self::on(Arc::clone(&self.shared), self.policy.clone(), self.fault)?;
        let (asked, real) = (base.clone(), place.path);
        Ok(Staged {
            naive,
            asked,
            real,
            nodes: BTreeMap::new(),
            stamps: BTreeMap::new(),
            open: None,
        })
    }
}

/// A tree beside the tree.
pub(crate) struct Staged {
    naive: Naive,
    asked: WsPath,
    real: WsPath,
    nodes: BTreeMap<WsPath, Node>,
    stamps: BTreeMap<WsPath, Stamp>,
    open: Option<WsPath>,
}

impl Staged {
    fn full(&self, path: &WsPath) -> WsPath {
        path.under(&self.asked).unwrap()
    }

    fn take(&mut self, part: Part) -> Result<()> {
        let (path, node) = match part {
            Part::Bytes(bytes) => return self.more(&bytes),
            Part::Dir { path, stamp } => {
                self.open = None;
                if !path.is_root() && self.nodes.get(&path) != Some(&Node::Dir) {
                    self.put(&path, Node::Dir)?;
                }
                self.stamps.insert(path, stamp);
                return Ok(());
            }
            Part::File { path, stamp } => {
                self.open = Some(path.clone());
                let allowed = if self.naive.has(Fault::KeepsSetId) { 0o7777 } else { 0o777 };
                let mode = stamp.mode.map(|mode| mode & allowed);
                let stamp = stamp.modified.map_or(self.naive.tree().clock, seconds);
                (path, Node::File { content: Bytes::new(), mode, stamp })
            }
            Part::Link { path, target, .. } => {
                self.open = None;
                if !self.naive.has(Fault::StagesLinksOut) {
                    let real = path.under(&self.real)?;
                    let checked = check_link(&real, &target, &self.naive.tree().aliases);
                    checked.map_err(|error| Error::at(error.code(), &self.full(&path)))?;
                }
                (path, Node::Link(target.to_vec()))
            }
        };
        let put = self.put(&path, node);
        if put.is_err() {
            self.open = None;
        }
        put
    }

    fn put(&mut self, path: &WsPath, node: Node) -> Result<()> {
        let refuse = |code| Err(Error::at(code, &self.full(path)));
        if path.components().any(is_temporary) {
            return refuse(Code::InvalidPath);
        }
        let real = path.under(&self.real)?;
        let veiled = match self.naive.has(Fault::LandsUnallowed) {
            true => self.naive.veil.denies(&real),
            false => self.naive.veil.covers(&real, Some(&node)),
        };
        let covered = veiled || self.naive.protected.cover(&real);
        if covered && !self.naive.has(Fault::LandsDenied) {
            return refuse(Code::PermissionDenied);
        }
        let taken = self.nodes.contains_key(path);
        if path.is_root() || (taken && !self.naive.has(Fault::OverwritesStaged)) {
            return refuse(Code::FileExists);
        }
        let mut parents = Vec::new();
        let mut here = path.parent().unwrap();
        while !here.is_root() {
            match self.nodes.get(&here) {
                None => parents.push(here.clone()),
                Some(Node::Dir) => {}
                Some(Node::Link(_)) if self.naive.has(Fault::StagesBelowLinks) => {}
                Some(_) => return refuse(Code::NotADirectory),
            }
            here = here.parent().unwrap();
        }
        self.nodes.extend(parents.into_iter().map(|parent| (parent, Node::Dir)));
        if self.naive.has(Fault::ShowsStaged) {
            self.naive.tree().nodes.insert(real, node.clone());
        }
        self.nodes.insert(path.clone(), node);
        Ok(())
    }

    fn more(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(path) = &self.open else { return Err(Error::of(Code::InvalidParams)) };
        let Some(Node::File { content, .. }) = self.nodes.get_mut(path) else {
            return Err(Error::of(Code::Internal));
        };
        let longer = [&content[..], bytes].concat();
        if longer.len() as u64 > self.naive.policy.max_file {
            let path = path.clone();
            self.nodes.remove(&path);
            self.open = None;
            return Err(Error::at(Code::FileTooLarge, &self.full(&path)));
        }
        *content = longer.into();
        Ok(())
    }

    fn read(&mut self, path: &WsPath, offset: u64, length: u64) -> Result<Bytes> {
        self.open.take_if(|open| open == path);
        match self.nodes.get(path) {
            Some(Node::File { content, .. }) => {
                let size = content.len() as u64;
                let start = offset.min(size);
                let end = start.saturating_add(length).min(size);
                Ok(content.slice(usize::try_from(start).unwrap()..usize::try_from(end).unwrap()))
            }
            None if !path.is_root() => Err(Error::at(Code::FileNotFound, &self.full(path))),
            Some(_) | None => Err(Error::at(Code::NotAFile, &self.full(path))),
        }
    }

    /// The tree as it is after the landing, or how far it came before an error.
    fn landed(&self, mut tree: Tree, clobber: Clobber) -> (Tree, Result<Landed>) {
        let mut landed = Landed::default();
        for (path, node) in &self.nodes {
            let mut at = path.under(&self.real).unwrap();
            if self.naive.has(Fault::FollowsLinksOnLand)
                && let Ok(place) = tree.place(&at, Links::Follow)
            {
                at = place.path;
            }
            let there = tree.get(&at).cloned();
            let asked = clobber == Clobber::Replace || self.naive.has(Fault::ReplacesUnasked);
            let code = match (node, &there) {
                (_, None) => None,
                (Node::Dir, Some(Node::Dir)) => continue,
                (_, Some(_)) if !asked => Some(Code::DestinationExists),
                (Node::Dir, Some(Node::Link(_))) if self.naive.has(Fault::FollowsLinksOnLand) => {
                    continue;
                }
                (Node::Dir, Some(_)) => Some(Code::NotADirectory),
                (_, Some(Node::Dir)) => Some(Code::NotAFile),
                (_, Some(_)) => {
                    landed.replaced += 1;
                    None
                }
            };
            if let Some(code) = code {
                return (tree, Err(Error::at(code, &self.full(path))));
            }
            tree.nodes.insert(at, node.clone());
        }
        (tree, Ok(landed))
    }

    fn check_base(&self, tree: &Tree) -> Result<()> {
        let place = tree.place(&self.asked, Links::Follow);
        let same = place.is_ok_and(|place| place.path == self.real)
            && tree.get(&self.real) == Some(&Node::Dir);
        if same || self.naive.has(Fault::LandsInAMovedBase) {
            return Ok(());
        }
        Err(Error::at(Code::Conflict, &self.asked))
    }

    fn finish(&self, clobber: Clobber) -> Result<Landed> {
        let mut tree = self.naive.tree();
        self.check_base(&tree)?;
        let before = tree.clone();
        let (after, landed) = self.landed(tree.clone(), clobber);
        let size = |tree: &Tree| -> u64 {
            let sizes = tree.nodes.values().map(|node| match node {
                Node::File { content, .. } => content.len() as u64,
                Node::Dir | Node::Link(_) | Node::Special(_) => 0,
            });
            sizes.sum()
        };
        let over = self.naive.policy.quota.is_some_and(|quota| size(&after) > quota);
        if over && !self.naive.has(Fault::StagesOverQuota) {
            return Err(Error::at(Code::QuotaExceeded, &self.asked));
        }
        if landed.is_ok() || self.naive.has(Fault::LandsInPieces) {
            let mut stamps = self.naive.shared.dir_stamps.lock().unwrap();
            for (path, stamp) in &self.stamps {
                let at = path.under(&self.real)?;
                if before.get(&at).is_none() {
                    stamps.insert(at, *stamp);
                }
            }
            *tree = after;
            self.naive.tell(&before, &tree);
        }
        landed
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
}

impl Stage for Staged {
    fn add(&mut self, parts: Vec<Part>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            for part in parts {
                yield_now().await;
                self.take(part)?;
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
        Box::pin(async move { self.read(path, offset, length) })
    }

    fn land(mut self: Box<Self>, clobber: Clobber) -> BoxFuture<'static, Result<Landed>> {
        Box::pin(async move {
            yield_now().await;
            if self.naive.has(Fault::CutsLandings) {
                let later = self.nodes.split_off(&WsPath::from_bytes(b"d/f").unwrap());
                self.finish(clobber)?;
                yield_now().await;
                self.nodes.extend(later);
            }
            self.finish(clobber)
        })
    }

    fn discard(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { drop(self) })
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.naive.has(Fault::LeavesStaged) {
            let left = self.real.join(b".left").unwrap();
            self.naive.tree().nodes.insert(left, Node::Dir);
        }
    }
}
