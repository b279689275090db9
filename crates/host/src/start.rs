//! Where a search or a watch starts: a handle, and where it really is.

use std::{os::fd::OwnedFd, sync::atomic::AtomicBool};

use garth_contract::{Code, Error, Links, Query, Result, Sink, Summary, Watch, WatchSpec, WsPath};
use rustix::{
    fs::{FileType, Mode, OFlags, fstat, openat},
    io::Errno,
};

use crate::{
    errno,
    find::{self, Base, Start},
    look,
    tree::{TRIES, Tree},
    walk,
};

/// Runs a search from what the query's base resolves to.
pub(crate) fn find(
    tree: &Tree,
    query: &Query,
    sink: &dyn Sink,
    cancel: &AtomicBool,
) -> Result<Summary> {
    let (base, path) = open_base(tree, &query.base)?;
    let open_dir = |path: &WsPath| tree.open_dir(path);
    let hard_links = tree.policy.hard_links;
    let start = Start { base, path, open_dir: &open_dir, rules: &tree.rules, hard_links };
    find::find(start, query, sink, cancel)
}

/// Watches what a path resolves to.
pub(crate) fn watch(tree: &Tree, spec: &WatchSpec, cancel: &AtomicBool) -> Result<Watch> {
    let place = walk::locate(tree, &spec.path, Links::Follow)?;
    tree.watches.watch(&place.path, spec, cancel)
}

/// Opens a directory or a regular file and says where it really is.
fn open_base(tree: &Tree, asked: &WsPath) -> Result<(Base, WsPath)> {
    let fail = |errno| errno::error(errno, asked);
    for _ in 0..TRIES {
        let place = walk::locate(tree, asked, Links::Follow)?;
        let name = place.name.as_deref().unwrap_or(b".");
        let handle = match open_without_waiting(&place.dir, name) {
            // A link was put there since the place was found.
            Err(Errno::LOOP) => continue,
            opened => opened.map_err(fail)?,
        };
        let stat = fstat(&handle).map_err(fail)?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        place.check_kind(look::kind(kind), asked)?;
        return match kind {
            FileType::Directory => Ok((Base::Dir(handle), place.path)),
            FileType::RegularFile => Ok((Base::File(handle, stat), place.path)),
            FileType::Symlink
            | FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Err(Error::at(Code::NotAFile, asked)),
        };
    }
    Err(Error::at(Code::PathOutsideWorkspace, asked))
}

fn open_without_waiting(dir: &OwnedFd, name: &[u8]) -> Result<OwnedFd, Errno> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    openat(dir, name, flags, Mode::empty())
}
