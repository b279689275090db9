//! A directory of the walk, and how it is opened again when its handle is closed.
//!
//! A handle stays open while its directory has work left, which in a deep tree
//! would be thousands. So deep down only some keep theirs; the others are opened
//! again from the nearest that did, name by name and never through a link.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use garth_search::Ignores;
use rustix::io::Errno;

use crate::descend::open_dir;

/// How many handles of directories one search keeps open.
///
/// Low enough for a few searches at once under the usual limit of 1,024.
const MAX_KEPT: usize = 192;
/// From this depth on only every [`STRIDE`]th directory keeps its handle.
const DEEP: usize = 64;
const STRIDE: usize = 16;

/// A directory that the walk entered.
pub(super) struct Dir {
    parent: Option<Arc<Dir>>,
    /// Its path from the workspace's root.
    path: Vec<u8>,
    /// Where its own name starts in `path`.
    name_at: usize,
    depth: usize,
    handle: Option<Kept>,
    /// How many handles the search keeps.
    kept: Arc<AtomicUsize>,
    /// The ignore rules that hold for its entries.
    pub(super) ignores: Ignores,
}

/// A handle that counts among those kept.
struct Kept {
    handle: OwnedFd,
    count: Arc<AtomicUsize>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Dir {
    /// The directory that the walk starts in, and what `read` makes of it.
    pub(super) fn base<T>(
        handle: OwnedFd,
        path: &[u8],
        ignores: Ignores,
        read: impl FnOnce(&mut Self, &OwnedFd) -> Result<T, Errno>,
    ) -> Result<(Self, T, Option<OwnedFd>), Errno> {
        let dir = Self {
            parent: None,
            path: path.to_vec(),
            name_at: 0,
            depth: 0,
            handle: None,
            kept: Arc::new(AtomicUsize::new(0)),
            ignores,
        };
        dir.fill(handle, read)
    }

    /// Opens a directory in this one, whose handle is given.
    ///
    /// The new directory's handle is returned too unless it keeps it.
    pub(super) fn enter<T>(
        self: &Arc<Self>,
        handle: BorrowedFd<'_>,
        name: &[u8],
        read: impl FnOnce(&mut Self, &OwnedFd) -> Result<T, Errno>,
    ) -> Result<(Self, T, Option<OwnedFd>), Errno> {
        let handle = open_dir(handle, name)?;
        let path = self.entry_path(name);
        let dir = Self {
            parent: Some(Arc::clone(self)),
            name_at: path.len() - name.len(),
            path,
            depth: self.depth + 1,
            handle: None,
            kept: Arc::clone(&self.kept),
            ignores: self.ignores.clone(),
        };
        dir.fill(handle, read)
    }

    /// Reads the directory while its handle is open for sure.
    fn fill<T>(
        mut self,
        handle: OwnedFd,
        read: impl FnOnce(&mut Self, &OwnedFd) -> Result<T, Errno>,
    ) -> Result<(Self, T, Option<OwnedFd>), Errno> {
        let value = read(&mut self, &handle)?;
        let handle = self.keep(handle);
        Ok((self, value, handle))
    }

    /// Keeps the handle open if there is room for it, else gives it back.
    fn keep(&mut self, handle: OwnedFd) -> Option<OwnedFd> {
        if self.depth >= DEEP && !self.depth.is_multiple_of(STRIDE) {
            return Some(handle);
        }
        if self.kept.fetch_add(1, Ordering::Relaxed) >= MAX_KEPT {
            self.kept.fetch_sub(1, Ordering::Relaxed);
            return Some(handle);
        }
        self.handle = Some(Kept { handle, count: Arc::clone(&self.kept) });
        None
    }

    /// Its handle, if it keeps one.
    pub(super) fn kept(&self) -> Option<BorrowedFd<'_>> {
        self.handle.as_ref().map(|kept| kept.handle.as_fd())
    }

    /// Opens it again, from the nearest directory above that keeps its handle.
    pub(super) fn open_again(&self) -> Result<OwnedFd, Errno> {
        let mut way = Vec::new();
        let mut from = self;
        let kept = loop {
            match (from.kept(), &from.parent) {
                (Some(kept), _) => break kept,
                (None, Some(parent)) => {
                    way.push(from.name());
                    from = parent;
                }
                (None, None) => return Err(Errno::BADF),
            }
        };
        let mut names = way.into_iter().rev();
        let mut handle = open_dir(kept, names.next().unwrap_or(b"."))?;
        for name in names {
            handle = open_dir(&handle, name)?;
        }
        Ok(handle)
    }

    pub(super) fn path(&self) -> &[u8] {
        &self.path
    }

    fn name(&self) -> &[u8] {
        self.path.get(self.name_at..).unwrap_or_default()
    }

    /// The path of an entry in this directory.
    fn entry_path(&self, name: &[u8]) -> Vec<u8> {
        let mut path = Vec::with_capacity(self.path.len() + 1 + name.len());
        self.write_prefix(&mut path);
        path.extend_from_slice(name);
        path
    }

    /// Writes what stands before a name in the path of an entry.
    pub(super) fn write_prefix(&self, path: &mut Vec<u8>) {
        path.clear();
        path.extend_from_slice(&self.path);
        if !self.path.is_empty() {
            path.push(b'/');
        }
    }
}
