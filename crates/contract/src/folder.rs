//! A directory at hand, whose files are reached by their names alone.

use std::{ops::ControlFlow, time::SystemTime};

use crate::{Entry, Kind, Page, Result, WsPath};

/// A directory of a workspace that is open, for who reads many of its files.
///
/// It stays the same directory when its path is replaced, so it is for a short while.
pub trait Folder: Send + Sync {
    /// Lists it as `list` does, but need not look at regular files. It may wait.
    ///
    /// # Errors
    /// Those of `list`.
    fn glance(self: Box<Self>, page: Page) -> Result<Glance>;

    /// Reads a regular file whole, onto the end of a buffer, where that takes no waiting;
    /// its size, and `None` says nothing of the file.
    ///
    /// A link is not followed. `begin` is asked first: it may put something before the
    /// file's bytes, or refuse the file. With `None` the buffer has only what it had.
    fn gather_now(
        &self,
        name: &[u8],
        into: &mut Vec<u8>,
        begin: &mut dyn FnMut(Sight, &mut Vec<u8>) -> ControlFlow<()>,
    ) -> Option<u64>;
}

/// What is seen of a file that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// Its size in bytes.
    pub size: u64,
    /// When its content last changed, where the backend knows.
    pub modified: Option<SystemTime>,
    /// Its permission bits (`0o7777`), where the backend keeps them.
    pub mode: Option<u32>,
}

impl Sight {
    /// The entry of a file that looks so.
    #[must_use]
    pub fn of_file(self, path: WsPath) -> Entry {
        let Self { size, modified, mode } = self;
        Entry { path, kind: Kind::File, size, modified, mode }
    }
}

/// One page of a directory, sorted by name, whose files were not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// The entries, without `.`, `..` and our temporary files.
    pub entries: Vec<Glimpse>,
    /// How many entries the directory has in all.
    pub total: u64,
}

/// One thing in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Glimpse {
    /// It was looked at.
    Entry(Entry),
    /// A regular file, of which no more is known.
    File(WsPath),
}

impl Glimpse {
    /// Where it is, from the root.
    #[must_use]
    pub fn path(&self) -> &WsPath {
        match self {
            Self::Entry(entry) => &entry.path,
            Self::File(path) => path,
        }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Entry(entry) => entry.kind,
            Self::File(_) => Kind::File,
        }
    }
}
