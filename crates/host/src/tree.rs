//! One root handle, and the only ways to get from it to something inside.
//!
//! Every call starts here with a [`WsPath`] and ends with a handle or with a
//! [`Place`]: a directory handle and one name in it. The kernel resolves the path
//! beneath the root in one step where it can (`openat2`); links with absolute
//! targets, path rules and old kernels take the walk of [`walk`](crate::walk),
//! which opens one component at a time and never follows a link by itself.

use std::{
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use garth_contract::{
    Access, Aliases, Code, Error, HardLinks, Kind, Links, Parents, Policy, Result, WsPath,
};
use garth_search::{Fold, Rules, Stands};
use rustix::{
    fs::{
        CWD, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, ioctl_getflags, openat, openat2,
        readlinkat,
    },
    io::Errno,
};

use crate::{
    covered::Covered, descend, errno, lately::Lately, look, usage::Usage, walk, watch::Watches,
};

/// How often a lookup is repeated when somebody moves things under it.
pub(crate) const TRIES: usize = 4;

/// What `openat2` must refuse: leaving the root, and the magic links of `/proc`.
const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

/// How a file is opened for reading: one that is no file must not make us wait.
const TO_READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Which way paths are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolver {
    /// By the kernel in one call where it can.
    Kernel,
    /// One component at a time, as on a kernel without `openat2`.
    Walk,
}

/// A say on where something is about to be made.
pub(crate) type Check<'a> = &'a dyn Fn(&WsPath) -> Result<()>;

/// The files below one directory.
#[derive(Debug)]
pub(crate) struct Tree {
    root: OwnedFd,
    links: Aliases,
    pub(crate) policy: Policy,
    pub(crate) rules: Arc<Rules>,
    pub(crate) usage: Usage,
    pub(crate) watches: Watches,
    walk_only: AtomicBool,
    pub(crate) lately: Lately,
}

/// A directory handle and a name in it, which may or may not exist.
#[derive(Debug)]
pub(crate) struct Place {
    /// The directory that holds it.
    pub(crate) dir: OwnedFd,
    /// Its name there; `None` is the root itself.
    pub(crate) name: Option<Vec<u8>>,
    /// Where it really is, every link on the way resolved.
    pub(crate) path: WsPath,
    /// What of it may be seen.
    pub(crate) shown: Shown,
}

/// What may be seen at a place that is not denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Whatever is there.
    Anything,
    /// Only a directory, since it leads to what is allowed.
    DirOnly,
}

/// What is to be made at a place.
#[derive(Clone, Copy)]
pub(crate) struct Coming<'a> {
    /// What it is.
    pub(crate) stands: Stands,
    /// Whether its missing parents are made.
    pub(crate) parents: Parents,
    /// Has a say on where it will be.
    pub(crate) check: Check<'a>,
}

impl Tree {
    /// Opens a root directory.
    pub(crate) fn open(root: &Path, policy: Policy, aliases: Aliases) -> Result<Self> {
        let rules = Arc::new(Rules::compile(&policy)?);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = openat(CWD, root, flags, Mode::empty()).map_err(|errno| match errno {
            Errno::NOENT => Error::of(Code::WorkspaceNotFound),
            Errno::NOTDIR => Error::new(Code::NotADirectory, "the root is not a directory"),
            errno => errno::error(errno, &WsPath::root()),
        })?;
        let mut links = aliases.with(root.as_os_str().as_bytes());
        if let Ok(real) = readlinkat(CWD, own_handle(&handle), Vec::new()) {
            links = links.with(real.as_bytes());
        }
        let usage = Usage::new(policy.quota);
        let watched = handle.try_clone().map_err(|_| Error::of(Code::QuotaExceeded))?;
        let watches = Watches::new(watched, Arc::clone(&rules));
        let walk_only = AtomicBool::new(false);
        let lately = Lately::new(handle.as_fd());
        Ok(Self { root: handle, links, policy, rules, usage, watches, walk_only, lately })
    }

    /// The handle of the root.
    pub(crate) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// The absolute paths that a link's target may begin with and stay inside.
    pub(crate) fn links(&self) -> &Aliases {
        &self.links
    }

    /// Chooses the resolver, for kernels that lack one and for tests of both.
    pub(crate) fn set_resolver(&self, resolver: Resolver) {
        self.walk_only.store(resolver == Resolver::Walk, Ordering::Relaxed);
    }

    /// Opens an existing thing beneath the root.
    pub(crate) fn open_at(&self, path: &WsPath, flags: OFlags, links: Links) -> Result<OwnedFd> {
        let flags = with_links(flags, links);
        if self.rules.is_empty()
            && let Some(opened) = self.open_beneath(path, flags)
        {
            return opened.map_err(|errno| errno::error(errno, path));
        }
        walk::open(self, path, flags, links)
    }

    /// Asks the kernel in one call; `None` when the walk must decide.
    fn open_beneath(&self, path: &WsPath, flags: OFlags) -> Option<Result<OwnedFd, Errno>> {
        if self.walk_only.load(Ordering::Relaxed) {
            return None;
        }
        let bytes = kernel_path(path);
        for _ in 0..TRIES {
            match openat2(&self.root, bytes, flags, Mode::empty(), BENEATH) {
                // Something on the host was renamed while the kernel climbed a `..`.
                Err(Errno::AGAIN | Errno::INTR) => {}
                // A link with an absolute target may still point inside; a loop, a magic
                // link and an escape are told apart by the walk.
                Err(Errno::XDEV | Errno::LOOP) => return None,
                // No such call, or a filter that does not know it.
                Err(Errno::NOSYS | Errno::PERM) => return None,
                // The longest path is one byte more than the kernel takes at once.
                Err(Errno::NAMETOOLONG) => return None,
                done => return Some(done),
            }
        }
        None
    }

    /// Opens a directory for listing or for work on its entries.
    pub(crate) fn open_dir(&self, path: &WsPath) -> Result<OwnedFd> {
        self.open_at(path, OFlags::RDONLY | OFlags::DIRECTORY, Links::Follow)
    }

    /// Opens a directory and says where it really is, where a rule may ask.
    pub(crate) fn open_dir_at(&self, path: &WsPath) -> Result<(OwnedFd, WsPath)> {
        if self.rules.is_empty() {
            return Ok((self.open_dir(path)?, path.clone()));
        }
        let place = walk::locate(self, path, Links::Follow)?;
        let name = place.name.as_deref().unwrap_or(b".");
        let dir = descend::open_dir(&place.dir, name).map_err(|errno| errno::error(errno, path))?;
        Ok((dir, place.path))
    }

    /// Opens a regular file for reading; anything else is `NOT_A_FILE`, at once.
    pub(crate) fn open_file(&self, path: &WsPath) -> Result<(OwnedFd, Stat)> {
        let file = self.open_at(path, TO_READ, Links::Follow)?;
        self.checked(file, path)
    }

    /// Opens a regular file for reading if the kernel finds it without waiting for a
    /// disk; `None` also for everything out of the ordinary.
    pub(crate) fn open_file_cached(&self, path: &WsPath) -> Option<(OwnedFd, Stat)> {
        let file = self.open_cached(path, TO_READ, Links::Follow)?;
        self.checked(file, path).ok()
    }

    /// Opens an existing thing likewise.
    pub(crate) fn open_cached(
        &self,
        path: &WsPath,
        flags: OFlags,
        links: Links,
    ) -> Option<OwnedFd> {
        if !self.is_plain() {
            return None;
        }
        let resolve = BENEATH | ResolveFlags::CACHED;
        openat2(&self.root, kernel_path(path), with_links(flags, links), Mode::empty(), resolve)
            .ok()
    }

    /// Opens a regular file likewise, by its name in a directory of this tree, and no link.
    pub(crate) fn open_file_in(&self, dir: BorrowedFd<'_>, name: &[u8]) -> Option<(OwnedFd, Stat)> {
        let flags = with_links(TO_READ, Links::Keep);
        let resolve = BENEATH | ResolveFlags::CACHED;
        let file = openat2(dir, name, flags, Mode::empty(), resolve).ok()?;
        // Nobody hears of a refusal here, so nobody asks what was refused.
        self.checked(file, &WsPath::root()).ok()
    }

    /// Tells whether the kernel alone decides where a path leads.
    pub(crate) fn is_plain(&self) -> bool {
        self.rules.is_empty() && !self.walk_only.load(Ordering::Relaxed)
    }

    /// Refuses what is no regular file, or one that the policy keeps from being read.
    fn checked(&self, file: OwnedFd, path: &WsPath) -> Result<(OwnedFd, Stat)> {
        let stat = fstat(&file).map_err(|errno| errno::error(errno, path))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(Error::at(Code::NotAFile, path));
        }
        if stat.st_nlink > 1 && self.policy.hard_links == HardLinks::Refuse {
            let error = Error::at(Code::PermissionDenied, path);
            return Err(error.hint("The file has several hard links, which the policy refuses."));
        }
        Ok((file, stat))
    }

    /// Finds where a path's last component is or would be.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND` when the directory is missing; `PERMISSION_DENIED` when a
    /// `deny` rule covers the place.
    pub(crate) fn locate(&self, path: &WsPath, links: Links) -> Result<Place> {
        self.locate_for(path, links, Stands::Other)
    }

    fn locate_for(&self, path: &WsPath, links: Links, coming: Stands) -> Result<Place> {
        if self.rules.is_empty()
            && let Some((parent, name)) = path.split()
            && let Some(opened) =
                self.open_beneath(&parent, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC)
        {
            let dir = opened.map_err(|errno| errno::error(errno, path))?;
            let (name, shown) = (Some(name.to_vec()), Shown::Anything);
            let place = Place { dir, name, path: path.clone(), shown };
            if links == Links::Keep || !place.is_link()? {
                return Ok(place);
            }
        }
        walk::locate_for(self, path, links, coming)
    }

    /// Finds a place for something that is to be made there, with its parents.
    ///
    /// # Errors
    /// `PARENT_NOT_FOUND` when the directory is missing and is not to be made.
    pub(crate) fn locate_new(
        &self,
        path: &WsPath,
        links: Links,
        (stands, parents): (Stands, Parents),
    ) -> Result<Place> {
        let located = self.locate_for(path, links, stands);
        let coming = Coming { stands, parents, check: &|_| Ok(()) };
        self.or_make_parents(located, path, links, coming)
    }

    /// Makes the parents of a place that was not found for want of them, where
    /// asked and once `check` has agreed to where the place will be.
    pub(crate) fn or_make_parents(
        &self,
        located: Result<Place>,
        path: &WsPath,
        links: Links,
        coming: Coming<'_>,
    ) -> Result<Place> {
        match (located, coming.parents) {
            (Err(error), Parents::Create) if error.code() == Code::FileNotFound => {
                walk::locate_making_parents(self, path, links, coming)
            }
            (located, _) => {
                located.map_err(|error| error.recode(Code::FileNotFound, Code::ParentNotFound))
            }
        }
    }

    /// Refuses a change where the workspace or a rule forbids it; what is denied has no
    /// place to begin with.
    pub(crate) fn check_change(&self, place: &Place) -> Result<()> {
        self.check_access()?;
        if self.rules.is_empty() {
            return Ok(());
        }
        if self.rules.protects(place.path.as_bytes(), fold_of(&place.dir)) {
            return Err(Error::at(Code::PermissionDenied, &place.path));
        }
        Ok(())
    }

    /// Refuses when a rule covers something in the tree `top` were it at `path`: a
    /// tree that holds such a thing stays, and one that would bring it stays away.
    pub(crate) fn check_below(&self, path: &WsPath, top: OwnedFd) -> Result<()> {
        if !self.rules.covers_below(path.as_bytes()) {
            return Ok(());
        }
        let mut covered = Covered::new(&self.rules, fold_of(&top), path);
        descend::descend(top, &mut covered).map_err(|errno| errno::error(errno, path))?;
        if covered.found {
            let error = Error::at(Code::PermissionDenied, path);
            return Err(error.hint("Something in the directory is denied or protected."));
        }
        Ok(())
    }

    /// Refuses every change of a read-only workspace.
    pub(crate) fn check_access(&self) -> Result<()> {
        match self.policy.access {
            Access::ReadWrite => Ok(()),
            Access::ReadOnly => Err(Error::of(Code::ReadOnly)),
        }
    }
}

impl Place {
    /// Refuses a handle on what may be seen as a directory only and has become
    /// something else since it was looked at.
    pub(crate) fn checked(&self, handle: OwnedFd, asked: &WsPath) -> Result<OwnedFd> {
        if self.shown == Shown::DirOnly {
            let stat = fstat(&handle).map_err(|errno| errno::error(errno, asked))?;
            self.check_kind(look::kind_of(&stat), asked)?;
        }
        Ok(handle)
    }

    /// The same of what is about to be used by its name.
    pub(crate) fn check_kind(&self, kind: Kind, asked: &WsPath) -> Result<()> {
        if self.shown == Shown::DirOnly && kind != Kind::Dir {
            return Err(Error::at(Code::PermissionDenied, asked));
        }
        Ok(())
    }

    /// What is there now, if anything, a link not followed.
    pub(crate) fn stat(&self) -> Result<Option<Stat>> {
        let Some(name) = &self.name else {
            return fstat(&self.dir).map(Some).map_err(|errno| errno::error(errno, &self.path));
        };
        stat_name(self.dir.as_fd(), name).map_err(|errno| errno::error(errno, &self.path))
    }

    fn is_link(&self) -> Result<bool> {
        Ok(self.stat()?.is_some_and(|stat| is_link(&stat)))
    }

    /// The name, which only the root lacks.
    pub(crate) fn name(&self, root: Code) -> Result<&[u8]> {
        self.name.as_deref().ok_or_else(|| Error::at(root, &self.path))
    }
}

pub(crate) fn is_link(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Symlink
}

/// How a path from the root is told to the kernel.
fn kernel_path(path: &WsPath) -> &[u8] {
    if path.is_root() { b"." } else { path.as_bytes() }
}

/// Flags for opening, with what a link at the end of the path means.
fn with_links(flags: OFlags, links: Links) -> OFlags {
    let flags = flags | OFlags::CLOEXEC;
    match links {
        Links::Keep => flags | OFlags::NOFOLLOW,
        Links::Follow => flags,
    }
}

/// Looks at a name in a directory; `None` when there is nothing.
pub(crate) fn stat_name(dir: BorrowedFd<'_>, name: &[u8]) -> Result<Option<Stat>, Errno> {
    match rustix::fs::statat(dir, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// The name under which the kernel shows one of our own handles.
pub(crate) fn own_handle(handle: &OwnedFd) -> String {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}

/// Tells whether a directory folds the case of its names, as ext4 can.
pub(crate) fn fold_of(dir: &OwnedFd) -> Fold {
    const CASEFOLD: u32 = 0x4000_0000; // FS_CASEFOLD_FL of linux/fs.h.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folded = openat(dir, c".", flags, Mode::empty())
        .and_then(ioctl_getflags)
        .is_ok_and(|flags| flags.bits() & CASEFOLD != 0);
    if folded { Fold::Caseless } else { Fold::Exact }
}
