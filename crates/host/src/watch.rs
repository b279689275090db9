//! `watch`: the changes of a tree, as the kernel tells them.
//!
//! A thread reads the events of one inotify instance, gathers those of a moment
//! and tells the readers. Readers who ask for the same share instance, watches and
//! thread, since the system has few of the former for all its users.
//!
//! Watches are set on directory handles, never on paths, so that no link or swap
//! takes one out of the root. They are not set in directories whose changes would
//! not be told.

mod establish;
mod follow;
mod inotify;
mod names;
mod pending;
mod queue;
mod repair;
mod scan;
mod scope;
mod signal;
mod table;
mod view;

use std::{
    os::fd::{AsFd, OwnedFd},
    sync::{Arc, Mutex, Weak, atomic::AtomicBool},
    thread,
};

use garth_contract::{Code, Error, Hidden, Ignored, Reach, Result, Watch, WatchSpec, WsPath};
use garth_search::Rules;
use rustix::{
    fs::{AtFlags, FileType, statat},
    io::Errno,
};

use self::{
    establish::establish,
    follow::Follower,
    inotify::Inotify,
    queue::{Reader, Readers, lock},
    scan::{Effort, Ground, Workers, open_below},
    scope::Scope,
    signal::Signal,
    view::{Sight, View},
};
use crate::errno;

/// How many directories one watch may have, however many the system allows.
///
/// With the names in them they are some hundreds of megabytes.
const MAX_DIRS: usize = 1 << 20;

/// All watches of one workspace. Dropping it ends their streams.
#[derive(Debug)]
pub(crate) struct Watches {
    root: OwnedFd,
    rules: Arc<Rules>,
    room: usize,
    live: Mutex<Vec<Live>>,
}

#[derive(Debug)]
struct Live {
    what: What,
    readers: Weak<Readers>,
}

/// What two readers must have in common to share a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
struct What {
    path: WsPath,
    reach: Reach,
    hidden: Hidden,
    ignored: Ignored,
}

impl Watches {
    /// Prepares watches below a root, none of which tells of what the rules deny.
    pub(crate) fn new(root: OwnedFd, rules: Arc<Rules>) -> Self {
        Self { root, rules, room: MAX_DIRS, live: Mutex::new(Vec::new()) }
    }

    /// Watches what is at `path`, which is the spec's with every link resolved.
    ///
    /// The call blocks while the watches are set, about ten microseconds a
    /// directory; raising `cancelled` ends it early.
    pub(crate) fn watch(
        &self,
        path: &WsPath,
        spec: &WatchSpec,
        cancelled: &AtomicBool,
    ) -> Result<Watch> {
        let WatchSpec { reach, hidden, ignored, .. } = *spec;
        let what = What { path: path.clone(), reach, hidden, ignored };
        if let Some(reader) = self.join(&what) {
            return Ok(Box::pin(reader));
        }
        let scope = self.scope(path, spec)?;
        let reader = start(self.ground(scope, path)?, path, cancelled)?;
        let readers = Arc::downgrade(reader.readers());
        lock(&self.live).push(Live { what, readers });
        Ok(Box::pin(reader))
    }

    /// Reads along with a watch that is already there.
    fn join(&self, what: &What) -> Option<Reader> {
        let mut live = lock(&self.live);
        live.retain(|live| live.readers.strong_count() > 0);
        let mut same = live.iter().filter(|live| live.what == *what);
        same.find_map(|live| live.readers.upgrade()?.join())
    }

    /// Finds out whether a directory or one entry of it is to be watched.
    fn scope(&self, path: &WsPath, spec: &WatchSpec) -> Result<Scope> {
        let dir = |base| Scope::dir(base, spec, Arc::clone(&self.rules));
        let Some((holder, name)) = path.split() else { return dir(path.clone()) };
        let stat = open_below(self.root.as_fd(), &holder)
            .and_then(|dir| statat(dir, name, AtFlags::SYMLINK_NOFOLLOW))
            .map_err(|errno| refuse(errno, path))?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            dir(path.clone())
        } else {
            Ok(dir(holder)?.entry(name))
        }
    }

    fn ground(&self, scope: Scope, path: &WsPath) -> Result<Ground> {
        if !inotify::handles_have_paths() {
            let error = Error::at(Code::Unsupported, path);
            return Err(error.hint("A watch needs /proc; ask the operator to mount it."));
        }
        let inotify = Inotify::new().map_err(|errno| match errno {
            Errno::MFILE | Errno::NFILE => {
                let error = Error::new(Code::QuotaExceeded, "the system has no watcher left");
                error.hint("End other watches, or raise fs.inotify.max_user_instances.")
            }
            errno => errno::error(errno, path),
        })?;
        let root = self.root.try_clone().map_err(|_| Error::of(Code::QuotaExceeded))?;
        Ok(Ground { inotify: Arc::new(inotify), root, scope, room: self.room })
    }
}

impl Drop for Watches {
    fn drop(&mut self) {
        for readers in lock(&self.live).iter().filter_map(|live| live.readers.upgrade()) {
            readers.stop.raise();
        }
    }
}

/// Sets all watches and begins to follow them.
fn start(ground: Ground, path: &WsPath, cancelled: &AtomicBool) -> Result<Reader> {
    let effort = Effort { workers: Workers::All, room: ground.room, stop: cancelled };
    let (map, sight) = match establish(&ground, effort) {
        Ok((map, None)) => (map, Sight::Clear),
        Ok((map, Some(Errno::AGAIN))) => (map, Sight::Lost),
        Ok((_, Some(errno))) | Err(errno) => return Err(refuse(errno, path)),
    };
    let stop = Arc::new(Signal::new().map_err(|errno| refuse(errno, path))?);
    let (readers, reader) = Readers::with_first(Arc::clone(&stop));
    let follower = Follower::new(View::new(ground, map, stop), readers, sight);
    let follower = follower.map_err(|errno| refuse(errno, path))?;
    thread::Builder::new()
        .name("garth-watch".into())
        .spawn(move || follower.run())
        .map_err(|_| Error::of(Code::QuotaExceeded).hint("End other watches or operations."))?;
    Ok(reader)
}

/// Says why something could not be watched.
fn refuse(errno: Errno, path: &WsPath) -> Error {
    match errno {
        Errno::NOSPC => {
            let error = Error::new(Code::QuotaExceeded, "the system has no watches left");
            error.hint(
                "Watch a smaller directory, have generated ones ignored, or raise \
                 fs.inotify.max_user_watches.",
            )
        }
        Errno::CANCELED => Error::of(Code::Cancelled),
        // A link where there was none when the path was resolved: it was swapped.
        Errno::NOTDIR | Errno::LOOP => Error::at(Code::FileNotFound, path),
        errno => errno::error(errno, path),
    }
}

#[cfg(test)]
mod tests;
