//! How the naive backend changes things: `write`, `make_dir`, `remove`, `rename`.

use std::sync::Arc;

use bytes::Bytes;
use garth_conformance::{
    model::{Node, Tree},
    time,
};
use garth_contract::{
    Access, Code, Depth, Error, Guard, Kind, Links, Made, Move, Parents, Put, Removed, Renamed,
    Result, Version, Written, WsPath,
};
use tokio::task::yield_now;

use crate::{fault::Fault, naive::Naive};

impl Naive {
    /// Refuses a change of what is at a path, or below it.
    fn admit(&self, tree: &Tree, real: &WsPath, path: &WsPath) -> Result<()> {
        if self.policy.access == Access::ReadOnly && !self.has(Fault::WritesReadOnly) {
            return Err(Error::of(Code::ReadOnly));
        }
        if self.protected.cover(real) && !self.has(Fault::ChangesProtected) {
            return Err(Error::at(Code::PermissionDenied, path));
        }
        let lax = self.has(Fault::RemovesDenied) || self.has(Fault::MovesDenied);
        let inside = |(below, node): (&WsPath, &Node)| {
            let veiled = match self.has(Fault::TakesUnallowedAlong) {
                true => self.veil.denies(below),
                false => self.veil.covers(below, Some(node)),
            };
            veiled || self.protected.cover(below)
        };
        if !lax && tree.below(real).any(inside) {
            return Err(Error::at(Code::PermissionDenied, path));
        }
        Ok(())
    }

    /// Refuses a stage where nothing may be changed.
    pub(crate) fn admit_base(&self, real: &WsPath, path: &WsPath) -> Result<()> {
        if self.policy.access == Access::ReadOnly && !self.has(Fault::WritesReadOnly) {
            return Err(Error::of(Code::ReadOnly));
        }
        if self.protected.cover(real) && !self.has(Fault::ChangesProtected) {
            return Err(Error::at(Code::PermissionDenied, path));
        }
        Ok(())
    }

    fn room(&self, tree: &Tree, real: &WsPath, content: &[u8]) -> Result<()> {
        let limit = |limit, actual| garth_contract::Detail::Limit { limit, actual };
        let new = content.len() as u64;
        if new > self.policy.max_file && !self.has(Fault::ForgetsTheLargest) {
            return Err(Error::at(Code::FileTooLarge, real).with(limit(self.policy.max_file, new)));
        }
        let size = |node: &Node| match node {
            Node::File { content, .. } => content.len() as u64,
            Node::Dir | Node::Link(_) | Node::Special(_) => 0,
        };
        let others: u64 =
            tree.nodes.iter().filter(|(path, _)| *path != real).map(|(_, node)| size(node)).sum();
        let used = others + *self.shared.leaked.lock().unwrap();
        match self.policy.quota {
            Some(quota) if used + new > quota && !self.has(Fault::ForgetsTheQuota) => {
                Err(Error::at(Code::QuotaExceeded, real).with(limit(quota, used + new)))
            }
            _ => Ok(()),
        }
    }

    pub(crate) async fn write_file(
        &self,
        path: &WsPath,
        content: Bytes,
        put: Put,
    ) -> Result<Written> {
        if self.has(Fault::KeepsItsLock) {
            let turn = self.shared.turn.acquire().await.unwrap();
            turn.forget();
            yield_now().await;
            self.shared.turn.add_permits(1);
        }
        if self.has(Fault::WritesAfterItsDrop) {
            let late = Self::on(Arc::clone(&self.shared), self.policy.clone(), None)?;
            let path = path.clone();
            let task = tokio::spawn(async move {
                for _ in 0..content.len().min(100) {
                    yield_now().await;
                }
                late.write_now(&path, &content, &put)
            });
            return task.await.unwrap();
        }
        if self.has(Fault::TearsWrites) {
            let half = content.slice(..content.len() / 2);
            self.write_now(path, &half, &put)?;
            yield_now().await;
            return self.write_now(path, &content, &Put { guard: Guard::Any, ..put });
        }
        if self.has(Fault::GuardsInTwoSteps) {
            self.write_guarded(path, &put)?;
            yield_now().await;
            return self.write_now(path, &content, &Put { guard: Guard::Any, ..put });
        }
        if self.has(Fault::ShowsTemporary) {
            let temporary = path.parent().unwrap_or_else(WsPath::root).join(b".temporary").unwrap();
            self.write_now(&temporary, &content, &put)?;
            // Longer than the write itself, so that most looks find it.
            for _ in 0..100 {
                yield_now().await;
            }
            self.tree().nodes.remove(&temporary);
        }
        self.write_now(path, &content, &put)
    }

    /// Only asks whether the guard holds.
    fn write_guarded(&self, path: &WsPath, put: &Put) -> Result<()> {
        let mut tree = self.tree().clone();
        let answer = tree.write(path, &Bytes::new(), put);
        answer.map(drop).map_err(|refusal| self.refused(&tree, &refusal, path))
    }

    fn write_now(&self, path: &WsPath, content: &Bytes, put: &Put) -> Result<Written> {
        let mut tree = self.tree();
        if self.has(Fault::CreatesOutside)
            && let Some(name) = self.outside(&tree, path)
        {
            self.shared.beyond.lock().unwrap().insert(name, content.to_vec());
        }
        let place = self.place(&tree, path, Links::Follow);
        let place = match place {
            Err(_) if self.policy.access == Access::ReadOnly => {
                return Err(Error::of(Code::ReadOnly));
            }
            place => place?,
        };
        self.admit(&tree, &place.path, path)?;
        let old = tree.get(&place.path).cloned();
        if matches!(old, Some(Node::Special(_))) && self.has(Fault::BlocksTheThread) {
            std::thread::park();
        }
        let before = tree.clone();
        if self.has(Fault::MakesParentsFirst) && put.parents == Parents::Create {
            tree.nodes.extend(place.missing.iter().map(|dir| (dir.clone(), Node::Dir)));
        }
        self.room(&tree, &place.path, content)?;
        let bent = self.bend(&mut tree, path, old.as_ref(), put.clone());
        if put.guard == Guard::Absent && matches!(tree.get(path), Some(Node::Link(_))) {
            return Err(Error::at(Code::FileExists, path));
        }
        let created = tree
            .write(path, content, &bent)
            .map_err(|refusal| self.refused(&tree, &refusal, path))?;
        if self.has(Fault::LosesMode)
            && let Some(Node::File { mode, .. }) = tree.nodes.get_mut(&place.path)
        {
            *mode = put.mode;
        }
        if self.has(Fault::LeavesTemporary) {
            let temporary = place.path.parent().unwrap().join(b".temporary").unwrap();
            tree.nodes.insert(temporary, Node::Special(Kind::Socket));
        }
        if self.has(Fault::NeverFreesQuota) {
            *self.shared.leaked.lock().unwrap() += content.len() as u64;
        }
        let modified = Some(time(tree.clock));
        self.tell(&before, &tree);
        Ok(Written {
            version: Version::of(content),
            created: created || self.has(Fault::SaysCreated),
            modified,
        })
    }

    /// What a faulty backend makes of the guard, and of what stands in the way.
    fn bend(&self, tree: &mut Tree, path: &WsPath, old: Option<&Node>, put: Put) -> Put {
        match (self.fault, old, &put.guard) {
            (Some(Fault::ReplacesLinks), _, _) => {
                tree.nodes.remove(path);
            }
            (Some(Fault::WritesOverDirectories), Some(Node::Dir), _) if !path.is_root() => {
                let inside: Vec<_> = tree.below(path).map(|(below, _)| below.clone()).collect();
                for gone in inside.iter().chain([path]) {
                    tree.nodes.remove(gone);
                }
            }
            (Some(Fault::SkipsUnchanged), _, Guard::Unchanged(_))
            | (Some(Fault::SkipsHolding), _, Guard::Holding(_))
            | (Some(Fault::SkipsAbsent), _, Guard::Absent) => {
                return Put { guard: Guard::Any, ..put };
            }
            (Some(Fault::TakesEmptyForMissing), None, Guard::Unchanged(version))
                if version.length() == 0 =>
            {
                return Put { guard: Guard::Any, ..put };
            }
            (
                Some(Fault::ComparesLengths),
                Some(Node::File { content, .. }),
                Guard::Unchanged(version),
            ) if version.length() == content.len() as u64 => {
                return Put { guard: Guard::Any, ..put };
            }
            (
                Some(Fault::ComparesFronts),
                Some(Node::File { content, .. }),
                Guard::Holding(expected),
            ) if content.starts_with(expected) => {
                return Put { guard: Guard::Any, ..put };
            }
            _ => {}
        }
        put
    }

    pub(crate) async fn make_one(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        if self.has(Fault::MakesDirsTwice) && self.tree().get(path).is_none() {
            yield_now().await;
            let _ = self.make_now(path, parents)?;
            return Ok(Made::Created);
        }
        self.make_now(path, parents)
    }

    fn make_now(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        let mut tree = self.tree();
        let before = tree.clone();
        let coming = Some(&Node::Dir).filter(|_| !self.has(Fault::RefusesTheWay));
        let place = self.place_for(&tree, path, Links::Keep, coming)?;
        if !matches!(tree.get(&place.path), Some(Node::Dir))
            || self.policy.access == Access::ReadOnly
        {
            self.admit(&tree, &place.path, path)?;
        }
        if self.has(Fault::ReplacesFilesByDirs) {
            tree.nodes.remove(&place.path);
        }
        let made = match tree.get(&place.path) {
            // A link that stays is the one thing that is asked of it.
            Some(Node::Link(_)) => Err(Error::at(Code::FileExists, path)),
            _ => {
                tree.make_dir(path, parents).map_err(|refusal| self.refused(&tree, &refusal, path))
            }
        };
        self.tell(&before, &tree);
        made
    }

    pub(crate) fn remove_entry(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        let mut tree = self.tree();
        let before = tree.clone();
        if path.is_root() && self.has(Fault::RemovesTheRoot) {
            tree.nodes.clear();
            return Ok(Removed { kind: Kind::Dir, count: 1 });
        }
        let links = if self.has(Fault::FollowsLinkOnRemove) { Links::Follow } else { Links::Keep };
        let place = self.place(&tree, path, links)?;
        let depth = if self.has(Fault::RemovesFullDirs) { Depth::All } else { depth };
        if tree.get(&place.path).is_some()
            || self.policy.access == Access::ReadOnly
            || self.protected.cover(&place.path)
        {
            self.admit(&tree, &place.path, path)?;
        }
        let mut removed = tree
            .remove(&place.path, depth)
            .map_err(|refusal| self.refused(&tree, &refusal, path))?;
        if self.has(Fault::RemovesByPrefix) && depth == Depth::All {
            tree.nodes.retain(|other, _| !other.as_bytes().starts_with(place.path.as_bytes()));
        }
        if self.has(Fault::MiscountsRemovals) {
            removed.count = 1;
        }
        self.tell(&before, &tree);
        Ok(removed)
    }

    pub(crate) fn move_entry(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        let mut tree = self.tree();
        let before = tree.clone();
        let links = if self.has(Fault::FollowsLinkOnRename) { Links::Follow } else { Links::Keep };
        if self.policy.access == Access::ReadWrite && (from.is_root() || to.is_root()) {
            return Err(Error::of(Code::CannotDeleteRoot));
        }
        let source = self
            .place(&tree, from, links)
            .map_err(|error| error.recode(Code::FileNotFound, Code::SourceNotFound))?;
        let coming = tree.get(&source.path);
        let place = self.place_for(&tree, to, Links::Keep, coming)?;
        self.admit(&tree, &source.path, from)?;
        self.admit(&tree, &place.path, to)?;
        if !self.has(Fault::CarriesToProtected) {
            self.admit_carried(&tree, &source.path, &place.path)?;
        }
        if self.has(Fault::ClobbersOnRename) && place.path != source.path {
            tree.nodes.retain(|path, _| {
                path.below(&place.path).is_none() || path.below(&source.path).is_some()
            });
        }
        if from == to && self.has(Fault::LosesOnSelfRename) {
            tree.nodes.remove(from);
            return Ok(Renamed { kind: Kind::File, replaced: true });
        }
        if self.has(Fault::MovesIntoItself) && place.path.below(&source.path).is_some() {
            tree.nodes.remove(&source.path);
            return Ok(Renamed { kind: Kind::Dir, replaced: false });
        }
        let outcome = match tree.rename(&source.path, &place.path, how) {
            Err(garth_conformance::model::Refusal::Open) => {
                Err(Error::at(Code::CannotDeleteRoot, to))
            }
            Err(refusal) => Err(self.refused(&tree, &refusal, from)),
            Ok(renamed) => Ok(renamed),
        };
        if self.has(Fault::MovesWithoutMode)
            && let Some(Node::File { mode, .. }) = tree.nodes.get_mut(&place.path)
        {
            *mode = None;
        }
        self.tell(&before, &tree);
        outcome
    }

    /// Refuses a move that puts something below the source under a rule.
    fn admit_carried(&self, tree: &Tree, from: &WsPath, to: &WsPath) -> Result<()> {
        for (inside, node) in tree.below(from) {
            let rest = inside.below(from).unwrap_or_default();
            let target = WsPath::from_bytes(&[to.as_bytes(), b"/", rest].concat())?;
            let veiled = match self.has(Fault::CarriesToUnallowed) {
                true => self.veil.denies(&target),
                false => self.veil.covers(&target, Some(node)),
            };
            if veiled || self.protected.cover(&target) {
                return Err(Error::at(Code::PermissionDenied, to));
            }
        }
        Ok(())
    }
}
