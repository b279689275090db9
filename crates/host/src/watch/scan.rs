//! Sets watches on a directory and on all below it that count.
//!
//! Each directory is opened by its name in its parent's handle and never through
//! a link; the watch is set through that handle, and only then are its entries
//! listed. What comes after the listing is an event, so nothing falls between.

use std::{
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use garth_contract::{Kind, WsPath};
use garth_search::Ignores;
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, RawDir, openat, statat},
    io::{Errno, Result},
};

use super::{
    inotify::{Attention, Inotify, Wd},
    names::Names,
    queue::lock,
    scope::{Scope, is_ignore_file},
    table::{Dir, Found},
};
use crate::descend::open_dir;

/// How deep below the base a directory keeps its handle for its children.
///
/// Deeper ones are opened from the root, name by name, so that no depth of a tree
/// uses up the handles of the process.
const MAX_HANDLES: usize = 64;
/// Room for a few hundred entries a call.
const DIR_BUFFER: usize = 32 << 10;
/// How many threads set up a large watch; the kernel's own lock lets few more run.
const MAX_WORKERS: usize = 4;

/// What all work on one watch starts from.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) inotify: Arc<Inotify>,
    /// The workspace's root.
    pub(super) root: OwnedFd,
    pub(super) scope: Scope,
    /// How many directories may be watched.
    pub(super) room: usize,
}

/// A directory to be watched.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) path: WsPath,
    /// The watch of the directory that holds it; the base has none.
    pub(super) parent: Option<Wd>,
    /// The ignore rules of the directory that holds it.
    pub(super) ignores: Ignores,
    /// The handle of the directory that holds it, unless it is too deep down.
    pub(super) holder: Option<Arc<OwnedFd>>,
    /// How many directories are between the first one and this.
    pub(super) depth: usize,
}

/// How much a scan may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort<'a> {
    pub(super) workers: Workers,
    /// How many directories may be watched.
    pub(super) room: usize,
    /// Raised when nobody waits for the result.
    pub(super) stop: &'a AtomicBool,
}

/// How many threads a scan uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Workers {
    One,
    All,
}

/// What a scan found: parents stand before their children.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub(super) dirs: Found,
    /// Why the scan ended early, if it did; what it found until then is watched.
    pub(super) failure: Option<Errno>,
}

/// Watches a directory and all below it that count.
pub(super) fn scan(ground: &Ground, top: Visit, effort: Effort<'_>) -> Scanned {
    let work = Work { visits: vec![top], ..Work::default() };
    let scan = Scan { ground, effort, work: Mutex::new(work), ready: Condvar::new() };
    match effort.workers {
        Workers::One => scan.work(),
        Workers::All => {
            let count = thread::available_parallelism().map_or(1, |count| count.get());
            thread::scope(|scope| {
                for _ in 1..count.min(MAX_WORKERS) {
                    // One thread fewer is slower, and no less right.
                    let _ = thread::Builder::new().spawn_scoped(scope, || scan.work());
                }
                scan.work();
            });
        }
    }
    let work = scan.work.into_inner().unwrap_or_else(PoisonError::into_inner);
    Scanned { dirs: work.found, failure: work.failure }
}

/// Opens a directory below the root, no name on the way through a link.
pub(super) fn open_below(root: BorrowedFd<'_>, path: &WsPath) -> Result<OwnedFd> {
    let Some((holder, name)) = path.split() else { return open_dir(root, b".") };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut dir = openat(root, c".", flags, Mode::empty())?;
    for name in holder.components() {
        dir = openat(&dir, name, flags, Mode::empty())?;
    }
    open_dir(dir, name)
}

struct Scan<'a> {
    ground: &'a Ground,
    effort: Effort<'a>,
    work: Mutex<Work>,
    ready: Condvar,
}

#[derive(Debug, Default)]
struct Work {
    visits: Vec<Visit>,
    /// How many threads are at a visit, which may bring more.
    busy: usize,
    found: Found,
    failure: Option<Errno>,
}

impl Scan<'_> {
    fn work(&self) {
        let mut buffer = vec![MaybeUninit::uninit(); DIR_BUFFER];
        let mut work = lock(&self.work);
        loop {
            if work.failure.is_some() {
                return;
            }
            let Some(visit) = work.visits.pop() else {
                if work.busy == 0 {
                    return;
                }
                work = self.ready.wait(work).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            work.busy += 1;
            drop(work);
            let seen = self.visit(&visit, &mut buffer);
            work = lock(&self.work);
            work.busy -= 1;
            self.take_in(&mut work, &visit, seen);
            self.ready.notify_all();
        }
    }

    fn take_in(&self, work: &mut Work, visit: &Visit, seen: Result<Seen>) {
        match seen {
            Ok(Seen { watch, dir, children, handle }) => {
                let depth = visit.depth + 1;
                let holder = (depth < MAX_HANDLES).then(|| Arc::new(handle));
                work.visits.extend(children.into_iter().map(|path| Visit {
                    path,
                    parent: Some(watch),
                    ignores: dir.ignores.clone(),
                    holder: holder.clone(),
                    depth,
                }));
                work.found.push((watch, dir));
                if work.found.len() > self.effort.room {
                    work.failure = Some(Errno::NOSPC);
                }
            }
            Err(errno) if visit.parent.is_some() && is_passed_over(errno) => {}
            Err(errno) => work.failure = Some(errno),
        }
        if self.effort.stop.load(Ordering::Relaxed) {
            work.failure = Some(Errno::CANCELED);
        }
    }

    fn visit(&self, visit: &Visit, buffer: &mut [MaybeUninit<u8>]) -> Result<Seen> {
        let Ground { inotify, root, scope, .. } = self.ground;
        let handle = match (&visit.holder, visit.path.name()) {
            (Some(holder), Some(name)) => open_dir(holder, name)?,
            _ => open_below(root.as_fd(), &visit.path)?,
        };
        let watch = inotify.watch(handle.as_fd(), Attention::Full)?;
        let listing = Listing::read(handle.as_fd(), buffer)?;
        let ignores = if visit.parent.is_none() || listing.has_ignore_file {
            scope.ignores(handle.as_fd(), &visit.path, &visit.ignores)
        } else {
            visit.ignores.clone()
        };
        let mut dir = Dir {
            path: visit.path.clone(),
            parent: visit.parent,
            names: Names::default(),
            ignores,
            fold: scope.fold(&handle),
        };
        let mut children = Vec::new();
        let counted = listing.entries().filter(|(name, kind)| {
            let judged = scope.judge(&dir, name, *kind);
            if judged.enters {
                children.extend(dir.entry(name));
            }
            judged.counts
        });
        let names = Names::collect(counted.map(|(name, _)| name));
        dir.names = names;
        Ok(Seen { watch, dir, children, handle })
    }
}

struct Seen {
    watch: Wd,
    dir: Dir,
    children: Vec<WsPath>,
    handle: OwnedFd,
}

/// Tells whether a directory with this error is left out rather than the scan ended.
///
/// It is gone, is something else by now, or nobody may read it; running out of
/// watches, handles or memory is the one thing that concerns all.
fn is_passed_over(errno: Errno) -> bool {
    !matches!(errno, Errno::NOSPC | Errno::MFILE | Errno::NFILE | Errno::NOMEM)
}

/// The entries of a directory, packed.
#[derive(Debug, Default)]
struct Listing {
    text: Vec<u8>,
    ends: Vec<(usize, Kind)>,
    has_ignore_file: bool,
}

impl Listing {
    fn read(dir: BorrowedFd<'_>, buffer: &mut [MaybeUninit<u8>]) -> Result<Self> {
        let mut all = Self::default();
        let mut entries = RawDir::new(dir, buffer);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            all.text.extend_from_slice(name);
            all.ends.push((all.text.len(), kind(dir, name, entry.file_type())));
            all.has_ignore_file |= is_ignore_file(name);
        }
        Ok(all)
    }

    fn entries(&self) -> impl Iterator<Item = (&[u8], Kind)> {
        let mut start = 0;
        self.ends.iter().map(move |(end, kind)| {
            let name = self.text.get(start..*end).unwrap_or_default();
            start = *end;
            (name, *kind)
        })
    }
}

/// What an entry is, as far as ignore rules tell kinds apart.
fn kind(dir: BorrowedFd<'_>, name: &[u8], told: FileType) -> Kind {
    let asked = || {
        statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
    };
    // Some file systems do not tell in a listing.
    let is_dir = told == FileType::Directory || (told == FileType::Unknown && asked());
    if is_dir { Kind::Dir } else { Kind::File }
}
