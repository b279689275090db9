//! The tree itself: immutable nodes that versions of a workspace share.
//!
//! Each directory is a persistent map from names to nodes, so a change copies the
//! way from the root to it and nothing else, and whoever holds an older root goes
//! on seeing the older tree. Each directory knows the sums of what is below it,
//! which makes quotas, counts and whole-tree moves independent of its size.

use std::{sync::Arc, time::SystemTime};

use bytes::Bytes;
use garth_contract::{Code, Entry, Error, Kind, Result, Version, WsPath};
use imbl::OrdMap;

use crate::name::Name;

/// What a directory is made with; memory has no umask to ask.
pub(crate) const DIR_MODE: u32 = 0o755;
/// What a file is made with when the caller says nothing.
pub(crate) const FILE_MODE: u32 = 0o644;
const LINK_MODE: u32 = 0o777;

/// Deeper than this, in bytes of path, trees are taken apart without recursion: a
/// level of recursion takes up to 500 bytes of a thread's stack.
const DEEP: usize = 512;

/// One thing in the tree.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    File(Arc<File>),
    Dir(Arc<Dir>),
    Link(Arc<Link>),
}

/// A regular file.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) content: Bytes,
    pub(crate) version: Version,
    pub(crate) modified: SystemTime,
    pub(crate) mode: u32,
}

/// A symbolic link.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) target: Box<[u8]>,
    pub(crate) modified: SystemTime,
}

/// A directory.
#[derive(Clone, Debug)]
pub(crate) struct Dir {
    pub(crate) entries: OrdMap<Name, Node>,
    pub(crate) below: Sums,
    pub(crate) modified: SystemTime,
    pub(crate) mode: u32,
}

/// What a part of the tree adds up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    /// The bytes of all files.
    pub(crate) bytes: u64,
    /// The number of entries of every kind.
    pub(crate) entries: u64,
    /// The length of the longest path, or more: removals do not lower it.
    pub(crate) longest: usize,
}

impl Node {
    /// What the node adds to the directory that holds it under a name.
    fn sums(&self, name: &[u8]) -> Sums {
        match self {
            Self::File(file) => {
                Sums { bytes: file.content.len() as u64, entries: 1, longest: name.len() }
            }
            Self::Link(_) => Sums { bytes: 0, entries: 1, longest: name.len() },
            Self::Dir(dir) => Sums {
                bytes: dir.below.bytes,
                entries: dir.below.entries + 1,
                longest: name.len() + 1 + dir.below.longest,
            },
        }
    }

    /// How many bytes the files in it have.
    pub(crate) fn bytes(&self) -> u64 {
        self.sums(b"").bytes
    }

    /// How many entries it is, itself included.
    pub(crate) fn entries(&self) -> u64 {
        self.sums(b"").entries
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::File(_) => Kind::File,
            Self::Dir(_) => Kind::Dir,
            Self::Link(_) => Kind::Symlink,
        }
    }

    pub(crate) fn modified(&self) -> SystemTime {
        match self {
            Self::File(file) => file.modified,
            Self::Dir(dir) => dir.modified,
            Self::Link(link) => link.modified,
        }
    }

    /// The node as the contract lists it.
    pub(crate) fn entry(&self, path: WsPath) -> Entry {
        let (size, mode) = match self {
            Self::File(file) => (file.content.len() as u64, file.mode),
            Self::Dir(dir) => (0, dir.mode),
            Self::Link(_) => (0, LINK_MODE),
        };
        let modified = Some(self.modified());
        Entry { path, kind: self.kind(), size, modified, mode: Some(mode) }
    }
}

impl Dir {
    /// A directory that holds nothing.
    pub(crate) fn empty(modified: SystemTime, mode: u32) -> Self {
        Self { entries: OrdMap::new(), below: Sums::default(), modified, mode }
    }

    /// A new directory that holds one node, which stands at `path`.
    pub(crate) fn holding(path: &WsPath, node: Node, modified: SystemTime) -> Self {
        let name = Name::of(path);
        let below = node.sums(&name);
        Self { entries: OrdMap::unit(name, node), below, modified, mode: DIR_MODE }
    }

    /// Finds a node by its real path; the root is none.
    pub(crate) fn get(&self, path: &WsPath) -> Option<&Node> {
        let mut names = path.components();
        let mut node = self.entries.get(names.next()?)?;
        for name in names {
            let Node::Dir(dir) = node else { return None };
            node = dir.entries.get(name)?;
        }
        Some(node)
    }

    /// Puts a node at a real path whose parent is there; gives back what stood there.
    ///
    /// A parent that gets a new name was modified at `now`.
    pub(crate) fn put(
        self: &mut Arc<Self>,
        at: &WsPath,
        node: Node,
        now: SystemTime,
    ) -> Result<Option<Node>> {
        let old = self.get(at).cloned();
        let parent = self.open_way(at, |sums, rest| {
            let new = node.sums(rest);
            sums.bytes += new.bytes;
            sums.entries += new.entries;
            sums.longest = sums.longest.max(new.longest);
            if let Some(old) = &old {
                sums.bytes -= old.bytes();
                sums.entries -= old.entries();
            }
        })?;
        if old.is_none() {
            parent.modified = now;
        }
        Ok(parent.entries.insert(Name::of(at), node))
    }

    /// Puts a node at a real path and makes the directories that are missing on the way.
    pub(crate) fn plant(
        self: &mut Arc<Self>,
        at: &WsPath,
        node: Node,
        now: SystemTime,
    ) -> Result<Option<Node>> {
        let (mut at, mut node) = (at.clone(), node);
        while let Some(parent) = at.parent()
            && !parent.is_root()
            && self.get(&parent).is_none()
        {
            node = Node::Dir(Arc::new(Self::holding(&at, node, now)));
            at = parent;
        }
        self.put(&at, node, now)
    }

    /// Gives a directory at a real path its time and mode.
    pub(crate) fn stamp(self: &mut Arc<Self>, at: &WsPath, modified: SystemTime, mode: u32) {
        if let Some(Node::Dir(_)) = self.get(at) {
            let mut dir = Arc::make_mut(self);
            for name in at.components() {
                let Some(Node::Dir(inside)) = dir.entries.get_mut(name) else { return };
                dir = Arc::make_mut(inside);
            }
            dir.modified = modified;
            dir.mode = mode;
        }
    }

    /// Takes the node at a real path out of the tree; its parent was modified at `now`.
    pub(crate) fn take(self: &mut Arc<Self>, at: &WsPath, now: SystemTime) -> Result<Node> {
        let old = self.get(at).cloned().ok_or_else(|| Error::at(Code::FileNotFound, at))?;
        let parent = self.open_way(at, |sums, _| {
            sums.bytes -= old.bytes();
            sums.entries -= old.entries();
        })?;
        parent.entries.remove(at.name().unwrap_or_default());
        parent.modified = now;
        if parent.entries.is_empty() {
            parent.below.longest = 0;
        }
        Ok(old)
    }

    /// Makes the way to a path this tree's own, adjusts the sums along it, and gives
    /// the directory that holds it.
    ///
    /// `adjust` gets the sums of each directory and the path from there to `at`.
    fn open_way(
        self: &mut Arc<Self>,
        at: &WsPath,
        adjust: impl Fn(&mut Sums, &[u8]),
    ) -> Result<&mut Self> {
        // The way is looked at first: half of it adjusted would leave the sums wrong.
        let parent = at.parent().ok_or_else(|| Error::of(Code::Internal))?;
        if !parent.is_root() && !matches!(self.get(&parent), Some(Node::Dir(_))) {
            return Err(Error::at(Code::Internal, at));
        }
        let mut rest = at.as_bytes();
        let mut dir = Arc::make_mut(self);
        for step in parent.components() {
            adjust(&mut dir.below, rest);
            rest = rest.get(step.len() + 1..).unwrap_or_default();
            dir = match dir.entries.get_mut(step) {
                Some(Node::Dir(dir)) => Arc::make_mut(dir),
                Some(Node::File(_) | Node::Link(_)) | None => {
                    return Err(Error::at(Code::Internal, at));
                }
            };
        }
        adjust(&mut dir.below, rest);
        Ok(dir)
    }

    /// Makes the longest path below exact again.
    pub(crate) fn longest_path(&self) -> usize {
        let mut longest = 0;
        let mut pending = vec![(0, self)];
        while let Some((length, dir)) = pending.pop() {
            for (name, node) in &dir.entries {
                let length = length + name.len();
                longest = longest.max(length);
                if let Node::Dir(dir) = node {
                    pending.push((length + 1, dir.as_ref()));
                }
            }
        }
        longest
    }
}

/// A chain of a thousand directories would be dropped by a thousand nested calls,
/// so the rare deep tree is taken apart here, one directory at a time.
impl Drop for Dir {
    fn drop(&mut self) {
        if self.below.longest <= DEEP {
            return;
        }
        let mut pending = vec![std::mem::take(&mut self.entries)];
        while let Some(entries) = pending.pop() {
            for (_, node) in entries {
                if let Node::Dir(dir) = node
                    && let Some(mut dir) = Arc::into_inner(dir)
                {
                    dir.below.longest = 0;
                    pending.push(std::mem::take(&mut dir.entries));
                }
            }
        }
    }
}
