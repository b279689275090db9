//! The name of an entry in its directory, kept as the whole path it was put at.
//!
//! A listing has to hand out a path for each entry, and to build one costs more
//! than all the rest. So a directory's keys are the paths themselves, of which
//! only the last component counts. When a directory above was moved they are out
//! of date, which shows when they are used, and then one is built after all.

use std::{borrow::Borrow, cmp::Ordering, fmt, ops::Deref};

use garth_contract::{Result, WsPath};

/// One component of a path; compares by its own bytes.
#[derive(Clone)]
pub(crate) struct Name {
    path: WsPath,
    /// Where the last component starts.
    start: usize,
}

impl Name {
    /// The last component of a path.
    pub(crate) fn of(path: &WsPath) -> Self {
        let length = path.name().map_or(0, <[u8]>::len);
        Self { path: path.clone(), start: path.as_bytes().len() - length }
    }

    /// The path of the entry, given what it must read like.
    pub(crate) fn path(&self, full: &[u8]) -> Result<WsPath> {
        if self.path.as_bytes() == full { Ok(self.path.clone()) } else { WsPath::from_bytes(full) }
    }
}

impl Deref for Name {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.path.as_bytes().get(self.start..).unwrap_or_default()
    }
}

impl Borrow<[u8]> for Name {
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        self.deref().cmp(other)
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.deref() == other.deref()
    }
}

impl Eq for Name {}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.path, f)
    }
}
