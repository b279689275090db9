//! The model's tree: one sorted map, and what each changing call does to it.

use std::{collections::BTreeMap, ops::Bound};

use bytes::Bytes;
use garth_contract::{
    Aliases, Clobber, Code, Depth, Guard, Kind, Links, Made, Move, Parents, Put, Removed, Renamed,
    Version, WsPath,
};

use super::{Refusal, place::Place};

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A regular file.
    File {
        /// Its bytes.
        content: Bytes,
        /// Its permission bits, where somebody set them.
        mode: Option<u32>,
        /// When it was written, as the number of the change.
        stamp: u64,
    },
    /// A directory.
    Dir,
    /// A symbolic link with its target.
    Link(Vec<u8>),
    /// A pipe, a socket or a device.
    Special(Kind),
}

impl Node {
    /// What kind of entry it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::File { .. } => Kind::File,
            Self::Dir => Kind::Dir,
            Self::Link(_) => Kind::Symlink,
            Self::Special(kind) => *kind,
        }
    }
}

/// A whole workspace; the root is a directory that the map does not hold.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Everything below the root.
    pub nodes: BTreeMap<WsPath, Node>,
    /// The absolute paths under which the root is known to links.
    pub aliases: Aliases,
    /// How many changes there were.
    pub clock: u64,
}

impl Tree {
    /// What is at a path without links; the root is a directory.
    #[must_use]
    pub fn get(&self, real: &WsPath) -> Option<&Node> {
        if real.is_root() { Some(&Node::Dir) } else { self.nodes.get(real) }
    }

    /// Everything strictly below a path.
    pub fn below(&self, real: &WsPath) -> impl Iterator<Item = (&WsPath, &Node)> {
        // What is below a directory stands together, right behind it.
        let behind = (Bound::Excluded(real.clone()), Bound::Unbounded);
        self.nodes.range(behind).take_while(move |(path, _)| path.below(real).is_some())
    }

    /// The entries directly in a directory.
    pub fn children(&self, real: &WsPath) -> impl Iterator<Item = (&WsPath, &Node)> {
        self.below(real).filter(move |(path, _)| path.parent().as_ref() == Some(real))
    }

    /// Replaces or creates a file; returns whether it is new.
    ///
    /// # Errors
    /// Every refusal that applies.
    pub fn write(&mut self, path: &WsPath, content: &Bytes, put: &Put) -> Result<bool, Refusal> {
        let place = self.place(path, Links::Follow)?;
        let through_link =
            place.path != *path && self.resolve(path, Links::Keep) != Ok(place.path.clone());
        let mut codes = missing_parents(&place, put.parents);
        let old = self.get(&place.path).cloned();
        match &old {
            None if put.guard == Guard::Absent && through_link => return Err(Refusal::Open),
            None => {}
            Some(Node::File { .. }) => {}
            Some(Node::Dir | Node::Link(_) | Node::Special(_)) => codes.push(Code::NotAFile),
        }
        match (put.guard.version(), &old) {
            (None, Some(_)) if put.guard == Guard::Absent => codes.push(Code::FileExists),
            (Some(version), old) if !has(old.as_ref(), version) => codes.push(Code::Conflict),
            (None | Some(_), _) => {}
        }
        refuse(codes)?;
        let kept = match &old {
            Some(Node::File { mode, .. }) => *mode,
            Some(Node::Dir | Node::Link(_) | Node::Special(_)) | None => None,
        };
        self.clock += 1;
        self.make(place.missing);
        let mode = put.mode.or(kept);
        let file = Node::File { content: content.clone(), mode, stamp: self.clock };
        self.nodes.insert(place.path, file);
        Ok(old.is_none())
    }

    /// Makes a directory.
    ///
    /// # Errors
    /// Every refusal that applies.
    pub fn make_dir(&mut self, path: &WsPath, parents: Parents) -> Result<Made, Refusal> {
        let place = self.place(path, Links::Keep)?;
        match self.get(&place.path) {
            Some(Node::Dir) => return Ok(Made::Existed),
            // Whether a link to a directory is one is left open.
            Some(Node::Link(_)) => return Err(Refusal::Open),
            Some(Node::File { .. } | Node::Special(_)) => return Err(Code::FileExists.into()),
            None => refuse(missing_parents(&place, parents))?,
        }
        self.make(place.missing.into_iter().chain([place.path]));
        Ok(Made::Created)
    }

    /// Removes an entry.
    ///
    /// # Errors
    /// Every refusal that applies.
    pub fn remove(&mut self, path: &WsPath, depth: Depth) -> Result<Removed, Refusal> {
        if path.is_root() {
            return Err(Code::CannotDeleteRoot.into());
        }
        let real = self.resolve(path, Links::Keep)?;
        if real.is_root() {
            return Err(Refusal::Open);
        }
        let kind = self.get(&real).ok_or(Code::FileNotFound)?.kind();
        let inside: Vec<_> = self.below(&real).map(|(path, _)| path.clone()).collect();
        if depth == Depth::One && !inside.is_empty() {
            return Err(Code::DirectoryNotEmpty.into());
        }
        let count = 1 + inside.len() as u64;
        for gone in inside.iter().chain([&real]) {
            self.nodes.remove(gone);
        }
        Ok(Removed { kind, count })
    }

    /// Moves an entry.
    ///
    /// # Errors
    /// Every refusal that applies.
    pub fn rename(&mut self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed, Refusal> {
        if from.is_root() {
            return Err(Code::CannotDeleteRoot.into());
        }
        if to.is_root() {
            return Err(Refusal::Open);
        }
        let mut codes = Vec::new();
        let below = to != from && to.below(from).is_some();
        if below {
            codes.push(Code::CannotMoveToSubdirectory);
        }
        let source = match self.resolve(from, Links::Keep) {
            Ok(real) => self.get(&real).map(|node| (real, node.kind())),
            Err(Code::FileNotFound) => None,
            Err(code) => {
                codes.push(code);
                None
            }
        };
        if source.is_none() {
            codes.push(Code::SourceNotFound);
        }
        let place = match self.place(to, Links::Keep) {
            Err(Refusal::With(mut found)) => {
                codes.append(&mut found);
                return Err(Refusal::With(codes));
            }
            Err(Refusal::Open) => return Err(Refusal::Open),
            Ok(place) => place,
        };
        codes.append(&mut missing_parents(&place, how.parents));
        let Some((real, kind)) = source else {
            if how.clobber == Clobber::Refuse && self.get(&place.path).is_some() {
                codes.push(Code::DestinationExists);
            }
            return Err(Refusal::With(codes));
        };
        // Whether a link may move to where it points is left open.
        let into_target = below && kind == Kind::Symlink;
        if real.is_root() || place.path.is_root() || into_target {
            return Err(Refusal::Open);
        }
        if real == place.path {
            // Two texts of one path may be refused as a destination that is there.
            let same = Renamed { kind, replaced: false };
            return if from == to { Ok(same) } else { Err(Refusal::Open) };
        }
        codes.append(&mut self.clash(&real, kind, &place.path, how.clobber));
        // Below it by its text alone: through a link it leads elsewhere.
        if below && codes == [Code::CannotMoveToSubdirectory] && place.path.below(&real).is_none() {
            return Err(Refusal::Open);
        }
        refuse(codes)?;
        let replaced = self.nodes.remove(&place.path).is_some();
        self.make(place.missing);
        self.carry(&real, &place.path);
        Ok(Renamed { kind, replaced })
    }

    /// Why something cannot take the place of what is at the destination.
    fn clash(&self, from: &WsPath, kind: Kind, to: &WsPath, clobber: Clobber) -> Vec<Code> {
        let mut codes = Vec::new();
        if to.below(from).is_some() {
            codes.push(Code::CannotMoveToSubdirectory);
        }
        let Some(there) = self.get(to).map(Node::kind) else { return codes };
        let full = self.below(to).next().is_some();
        match (clobber, kind == Kind::Dir, there == Kind::Dir) {
            (Clobber::Refuse, _, _) => codes.push(Code::DestinationExists),
            (Clobber::Replace, true, false) => codes.push(Code::NotADirectory),
            (Clobber::Replace, false, true) => codes.push(Code::NotAFile),
            (Clobber::Replace, _, _) => {}
        }
        if clobber == Clobber::Replace && full {
            codes.push(Code::DirectoryNotEmpty);
        }
        codes
    }

    fn make(&mut self, dirs: impl IntoIterator<Item = WsPath>) {
        self.nodes.extend(dirs.into_iter().map(|dir| (dir, Node::Dir)));
    }

    /// Gives an entry and everything below it another path.
    pub fn carry(&mut self, from: &WsPath, to: &WsPath) {
        let moved: Vec<_> =
            self.nodes.keys().filter(|path| path.below(from).is_some()).cloned().collect();
        for old in moved {
            let rest = old.below(from).unwrap_or_default();
            let joint: &[u8] = if rest.is_empty() { b"" } else { b"/" };
            let new = WsPath::from_bytes(&[to.as_bytes(), joint, rest].concat());
            if let (Ok(new), Some(node)) = (new, self.nodes.remove(&old)) {
                self.nodes.insert(new, node);
            }
        }
    }
}

fn missing_parents(place: &Place, parents: Parents) -> Vec<Code> {
    match parents {
        Parents::Require if !place.missing.is_empty() => vec![Code::ParentNotFound],
        Parents::Require | Parents::Create => Vec::new(),
    }
}

fn has(node: Option<&Node>, version: Version) -> bool {
    matches!(node, Some(Node::File { content, .. }) if Version::of(content) == version)
}

fn refuse(codes: Vec<Code>) -> Result<(), Refusal> {
    if codes.is_empty() { Ok(()) } else { Err(Refusal::With(codes)) }
}
