//! The entries of one directory that a query wants, sorted.

use std::{
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use garth_contract::{Kind, MAX_PATH, is_temporary};
use garth_search::{Fold, Met};
use rustix::{
    fs::{FileType, RawDir},
    io::Errno,
};

use super::{Shared, dir::Dir, ignore_files};
use crate::{
    look::kind,
    tree::{fold_of, stat_name},
};

/// Room for a few hundred entries a call.
const DIR_BUFFER: usize = 32 << 10;

/// How much room for names is kept for the next directory. A listing that has more is given
/// away as it is, unless most of it is not wanted.
const MAX_ROOM: usize = 64 << 10;

/// The wanted entries of a directory, in the order of their names.
#[derive(Default)]
pub(super) struct Listing {
    /// All names, one after another.
    names: Vec<u8>,
    items: Vec<Item>,
    /// How many entries could not be looked at.
    pub(super) unreadable: u64,
}

/// One entry; its name stands in [`Listing`].
#[derive(Clone, Copy)]
pub(super) struct Item {
    /// The first bytes of the name, by which most entries sort.
    head: u128,
    start: usize,
    length: u8,
    pub(super) kind: Kind,
    /// Whether it is a result or a file to search.
    pub(super) counts: bool,
    /// Whether it is a directory to enter.
    pub(super) enters: bool,
}

/// What reading directories needs again and again.
pub(super) struct Reading {
    buffer: Vec<MaybeUninit<u8>>,
    path: Vec<u8>,
    /// Everything in the directory being read.
    all: Listing,
}

impl Reading {
    pub(super) fn new() -> Self {
        let buffer = vec![MaybeUninit::uninit(); DIR_BUFFER];
        Self { buffer, path: Vec::new(), all: Listing::default() }
    }

    /// Reads a directory, its ignore files first, and keeps what is wanted.
    pub(super) fn list(
        &mut self,
        shared: &Shared<'_>,
        dir: &mut Dir,
        handle: &OwnedFd,
    ) -> Result<Listing, Errno> {
        self.all.clear();
        let rules_here = self.read(shared, handle)?;
        if rules_here && shared.filter.reads_ignore_files() {
            dir.ignores = ignore_files::read(&dir.ignores, dir.path(), handle.as_fd());
        }
        let met = self.all.len();
        self.choose(shared, dir, handle);
        if shared.sorts() {
            self.all.sort();
        }
        if self.all.names.capacity() <= MAX_ROOM {
            return Ok(self.all.compact());
        }
        let all = std::mem::take(&mut self.all);
        Ok(if all.len() >= met / 2 { all } else { all.compact() })
    }

    /// Reads all names; tells whether ignore files may be among them.
    fn read(&mut self, shared: &Shared<'_>, handle: &OwnedFd) -> Result<bool, Errno> {
        let mut rules_here = false;
        let mut entries = RawDir::new(handle.as_fd(), &mut self.buffer);
        while let Some(found) = entries.next() {
            let found = found?;
            let name = found.file_name().to_bytes();
            if matches!(name, b"." | b"..") || is_temporary(name) {
                continue;
            }
            rules_here |= matches!(name, b".ignore" | b".gitignore" | b".git");
            match known_type(handle.as_fd(), name, found.file_type()) {
                Ok(Some(file_type)) => self.all.push(name, kind(file_type)),
                Ok(None) => {}
                Err(_) => self.all.unreadable += 1,
            }
            if entries.is_buffer_empty() && shared.is_cancelled() {
                return Err(Errno::CANCELED);
            }
        }
        Ok(rules_here)
    }

    /// Drops what the query does not want and what may not be seen.
    fn choose(&mut self, shared: &Shared<'_>, dir: &Dir, handle: &OwnedFd) {
        let fold = if shared.rules.is_empty() { Fold::Exact } else { fold_of(handle) };
        dir.write_prefix(&mut self.path);
        let prefix = self.path.len();
        let Listing { names, items, unreadable } = &mut self.all;
        if shared.search.is_none() && shared.rules.is_empty() && shared.filter.counts_all_entries()
        {
            let met = items.len();
            items.retain_mut(|item| {
                item.counts = true;
                prefix + usize::from(item.length) <= MAX_PATH
            });
            *unreadable += (met - items.len()) as u64;
            return;
        }
        items.retain_mut(|item| {
            let name = item.name(names);
            self.path.truncate(prefix);
            self.path.extend_from_slice(name);
            let met = Met { path: &self.path, name, kind: item.kind };
            let judged = shared.filter.judge(&met, &dir.ignores);
            // Only regular files have content.
            item.counts = judged.counts && (shared.search.is_none() || item.kind == Kind::File);
            item.enters = judged.enters;
            let denied = || shared.rules.denies_entry(&self.path, fold, item.kind.into());
            if !item.counts && !item.enters || denied() {
                return false;
            }
            let has_a_path = self.path.len() <= MAX_PATH;
            *unreadable += u64::from(!has_a_path);
            has_a_path
        });
    }
}

/// What an entry is; not every file system tells along with the name.
fn known_type(dir: BorrowedFd<'_>, name: &[u8], told: FileType) -> Result<Option<FileType>, Errno> {
    if told != FileType::Unknown {
        return Ok(Some(told));
    }
    Ok(stat_name(dir, name)?.map(|stat| FileType::from_raw_mode(stat.st_mode)))
}

impl Item {
    fn name<'n>(&self, names: &'n [u8]) -> &'n [u8] {
        names.get(self.start..self.start + usize::from(self.length)).unwrap_or_default()
    }
}

impl Listing {
    fn clear(&mut self) {
        self.names.clear();
        self.items.clear();
        self.unreadable = 0;
    }

    /// A copy that takes no more room than what it holds.
    fn compact(&self) -> Self {
        let bytes = self.items.iter().map(|item| usize::from(item.length)).sum();
        let mut names = Vec::with_capacity(bytes);
        let mut items = self.items.clone();
        for item in &mut items {
            let start = names.len();
            names.extend_from_slice(item.name(&self.names));
            item.start = start;
        }
        Self { names, items, unreadable: self.unreadable }
    }

    fn push(&mut self, name: &[u8], kind: Kind) {
        // A longer name could not be part of a path; Linux allows none.
        let Ok(length) = u8::try_from(name.len()) else { return };
        let mut head = [0; size_of::<u128>()];
        for (to, from) in head.iter_mut().zip(name) {
            *to = *from;
        }
        let start = self.names.len();
        self.names.extend_from_slice(name);
        let head = u128::from_be_bytes(head);
        self.items.push(Item { head, start, length, kind, counts: false, enters: false });
    }

    fn sort(&mut self) {
        let Self { names, items, .. } = self;
        items.sort_unstable_by(|left, right| {
            left.head.cmp(&right.head).then_with(|| left.name(names).cmp(right.name(names)))
        });
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Item, &[u8])> {
        self.items.iter().map(|item| (*item, item.name(&self.names)))
    }

    pub(super) fn get(&self, index: usize) -> Option<(Item, &[u8])> {
        let item = self.items.get(index)?;
        Some((*item, item.name(&self.names)))
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn what_the_listing_does_not_tell_is_looked_at() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "x").unwrap();
        fs::create_dir(dir.path().join("dir")).unwrap();
        symlink("dir", dir.path().join("link")).unwrap();
        let handle = fs::File::open(dir.path()).unwrap();
        let kind_of = |name: &[u8], told| Ok(known_type(handle.as_fd(), name, told)?.map(kind));
        assert_eq!(kind_of(b"file", FileType::Unknown), Ok::<_, Errno>(Some(Kind::File)));
        assert_eq!(kind_of(b"dir", FileType::Unknown), Ok(Some(Kind::Dir)));
        assert_eq!(kind_of(b"link", FileType::Unknown), Ok(Some(Kind::Symlink)));
        assert_eq!(kind_of(b"gone", FileType::Unknown), Ok(None));
        // What is told needs no look, so that it may be gone by then.
        assert_eq!(kind_of(b"gone", FileType::Fifo), Ok(Some(Kind::Fifo)));
    }
}
