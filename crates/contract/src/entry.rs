//! One thing in a workspace's tree, as it is listed.

use std::time::SystemTime;

use crate::WsPath;

/// What kind of thing an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link, whatever it points to.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A unix socket.
    Socket,
    /// A block or character device.
    Device,
}

/// One thing in a workspace's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it is, from the root.
    pub path: WsPath,
    /// What it is.
    pub kind: Kind,
    /// Its size in bytes; 0 for everything but a file.
    pub size: u64,
    /// When its content last changed, where the backend knows.
    pub modified: Option<SystemTime>,
    /// Its permission bits (`0o7777`), where the backend keeps them.
    pub mode: Option<u32>,
}

/// One page of a directory, sorted by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The entries, without `.`, `..` and our temporary files.
    pub entries: Vec<Entry>,
    /// How many entries the directory has in all.
    pub total: u64,
}

/// Whether the last component of a path is followed when it is a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Speaks of the link itself.
    Keep,
    /// Speaks of what the link points to, inside the workspace.
    Follow,
}
