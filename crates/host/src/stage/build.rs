//! Building the hidden tree: each part lands in a directory reached by names only.

use std::{
    collections::BTreeMap,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::Arc,
    time::SystemTime,
};

use bytes::Bytes;
use garth_contract::{
    Code, Detail, Error, Links, Part, Result, Stamp, WsPath, check_link, is_temporary,
};
use garth_search::Stands;
use rustix::{
    fs::{
        AtFlags, FileType, FlockOperation, Mode, OFlags, flock, fstat, mkdirat, openat, symlinkat,
        unlinkat, utimensat,
    },
    io::{Errno, pread},
};

use super::reach::{Missing, Reach, loosen};
use crate::{
    attributes, copy,
    descend::open_dir,
    errno,
    look::size,
    temp,
    tree::{Tree, fold_of, stat_name},
    walk,
    write::write_all,
};

/// Only these bits of a mode are set.
const MODE: u32 = 0o777;
/// The most bytes that one look back gives.
const MAX_READ: u64 = 8 << 20;

/// A tree in a hidden directory. Dropping it removes the directory.
pub(crate) struct Build {
    pub(super) tree: Arc<Tree>,
    /// Where the base is as it was asked for, and where it really is.
    pub(super) asked: WsPath,
    pub(super) real: WsPath,
    pub(super) base: OwnedFd,
    /// The name of the hidden directory in the base; `None` once it is gone.
    hidden: Option<String>,
    /// The hidden directory, locked so that no sweep takes it.
    pub(super) top: OwnedFd,
    /// What directories get when they land: filling them would change it.
    pub(super) stamps: BTreeMap<WsPath, Stamp>,
    pub(super) reach: Reach,
    open: Option<Open>,
}

/// A file whose bytes are still coming.
struct Open {
    path: WsPath,
    stamp: Stamp,
    file: OwnedFd,
    written: u64,
}

impl Build {
    /// Makes a hidden directory in the base.
    pub(crate) fn open(tree: &Arc<Tree>, asked: &WsPath) -> Result<Self> {
        tree.check_access()?;
        let (base, real) = locate(tree, asked)?;
        let make = || {
            let hidden = temp::fresh_name()?;
            mkdirat(&base, &hidden, Mode::RWXU)?;
            let top = open_dir(&base, hidden.as_bytes())?;
            let _ = flock(&top, FlockOperation::NonBlockingLockExclusive);
            Ok((hidden, top))
        };
        let (hidden, top) = make().map_err(|errno| errno::error(errno, asked))?;
        Ok(Self {
            tree: Arc::clone(tree),
            asked: asked.clone(),
            real,
            base,
            hidden: Some(hidden),
            top,
            stamps: BTreeMap::new(),
            reach: Reach::default(),
            open: None,
        })
    }

    pub(crate) fn add(&mut self, part: Part) -> Result<()> {
        match part {
            Part::Bytes(bytes) => self.more(&bytes),
            Part::Dir { path, stamp } => {
                self.end()?;
                self.add_dir(path, stamp)
            }
            Part::File { path, stamp } => {
                self.end()?;
                self.begin(path, stamp)
            }
            Part::Link { path, target, modified } => {
                self.end()?;
                self.add_link(&path, &target, modified)
            }
        }
    }

    fn add_dir(&mut self, path: WsPath, stamp: Stamp) -> Result<()> {
        if path.is_root() {
            return Ok(());
        }
        let made = self.in_parent((&path, Stands::Dir), |dir, name| {
            match mkdirat(dir, name, Mode::from_raw_mode(0o777)) {
                Err(Errno::EXIST) => match stat_name(dir, name)? {
                    Some(stat) if FileType::from_raw_mode(stat.st_mode).is_dir() => Ok(()),
                    Some(_) | None => Err(Errno::EXIST),
                },
                made => made,
            }
        });
        made?;
        self.stamps.insert(path, stamp);
        Ok(())
    }

    fn begin(&mut self, path: WsPath, stamp: Stamp) -> Result<()> {
        // Nobody else reads it before it has the mode that it shall have.
        let mode = if stamp.mode.is_some() { 0o600 } else { 0o666 };
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = self.in_parent((&path, Stands::Other), |dir, name| {
            openat(dir, name, flags, Mode::from_raw_mode(mode))
        })?;
        self.open = Some(Open { path, stamp, file, written: 0 });
        Ok(())
    }

    fn more(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(open) = &mut self.open else {
            return Err(Error::new(Code::InvalidParams, "the bytes belong to no file"));
        };
        let actual = open.written.saturating_add(bytes.len() as u64);
        let limit = self.tree.policy.max_file;
        let fail = |code| Error::at(code, &open.path);
        let written = if actual > limit {
            Err(fail(Code::FileTooLarge).with(Detail::Limit { limit, actual }))
        } else {
            self.tree.usage.charge(&self.tree, bytes.len() as u64, 0).and_then(|charge| {
                write_all(open.file.as_fd(), bytes)
                    .map_err(|errno| errno::error(errno, &open.path))?;
                charge.keep();
                Ok(())
            })
        };
        match written {
            Ok(()) => open.written = actual,
            Err(error) => {
                let path = open.path.clone();
                self.open = None;
                let _ = self.in_parent((&path, Stands::Other), |dir, name| {
                    unlinkat(dir, name, AtFlags::empty())
                });
                return Err(error.under(&self.asked));
            }
        }
        Ok(())
    }

    /// Gives the file that was begun last its mode and time.
    pub(super) fn end(&mut self) -> Result<()> {
        let Some(Open { path, stamp, file, .. }) = self.open.take() else { return Ok(()) };
        self.stamp(&file, stamp).map_err(|errno| self.fail(errno, &path))
    }

    /// Gives a file or a directory its mode and time.
    pub(super) fn stamp(&self, file: &OwnedFd, stamp: Stamp) -> Result<(), Errno> {
        if let Some(mode) = stamp.mode {
            attributes::set_mode(file.as_fd(), mode & MODE)?;
        }
        match stamp.modified.and_then(attributes::modified_at) {
            Some(times) => rustix::fs::futimens(file, &times),
            None => Ok(()),
        }
    }

    fn add_link(
        &mut self,
        path: &WsPath,
        target: &[u8],
        modified: Option<SystemTime>,
    ) -> Result<()> {
        let full = path.under(&self.asked)?;
        check_link(&path.under(&self.real)?, target, self.tree.links())
            .map_err(|error| Error::at(error.code(), &full))?;
        self.in_parent((path, Stands::Other), |dir, name| {
            symlinkat(target, dir, name)?;
            match modified.and_then(attributes::modified_at) {
                Some(times) => utimensat(dir, name, &times, AtFlags::SYMLINK_NOFOLLOW),
                None => Ok(()),
            }
        })
    }

    pub(crate) fn read_back(&mut self, path: &WsPath, offset: u64, length: u64) -> Result<Bytes> {
        if self.open.as_ref().is_some_and(|open| open.path == *path) {
            self.end()?;
        }
        let Some((parent, name)) = path.split() else {
            return Err(Error::at(Code::NotAFile, &self.asked));
        };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut read = || {
            let dir = self.reach.dir(self.top.as_fd(), &parent, Missing::Refuse)?;
            let file = openat(dir, name, flags, Mode::empty())?;
            let stat = fstat(&file)?;
            if !FileType::from_raw_mode(stat.st_mode).is_file() {
                return Err(Errno::ISDIR);
            }
            read_at(&file, offset, length.min(MAX_READ).min(size(&stat).saturating_sub(offset)))
        };
        let read = read();
        read.map_err(|errno| match errno {
            Errno::LOOP => self.fail(Errno::ISDIR, path),
            errno => self.fail(errno, path),
        })
    }

    /// Does something in the directory that holds a path, which is made if missing;
    /// rules are asked about what will stand there.
    fn in_parent<T>(
        &mut self,
        (path, stands): (&WsPath, Stands),
        act: impl FnOnce(BorrowedFd<'_>, &[u8]) -> Result<T, Errno>,
    ) -> Result<T> {
        let full = path.under(&self.asked)?;
        let Some((parent, name)) = path.split() else {
            return Err(Error::at(Code::FileExists, &full));
        };
        self.check_rules(path, stands, &full)?;
        let dir = self.reach.dir(self.top.as_fd(), &parent, Missing::Make);
        dir.and_then(|dir| act(dir, name)).map_err(|errno| errno::error(errno, &full))
    }

    /// Refuses what a rule covers where it is going to be, and what would be hidden.
    fn check_rules(&self, path: &WsPath, stands: Stands, full: &WsPath) -> Result<()> {
        if path.components().any(is_temporary) {
            let error = Error::at(Code::InvalidPath, full);
            return Err(error.hint("Names of this form belong to temporary files."));
        }
        let rules = &self.tree.rules;
        if rules.is_empty() {
            return Ok(());
        }
        let real = path.under(&self.real)?;
        let fold = fold_of(&self.base);
        if rules.denies(real.as_bytes(), fold, stands) || rules.protects(real.as_bytes(), fold) {
            return Err(Error::at(Code::PermissionDenied, full));
        }
        Ok(())
    }

    pub(super) fn fail(&self, errno: Errno, path: &WsPath) -> Error {
        errno::error(errno, path).under(&self.asked)
    }

    /// Removes the hidden directory with everything in it.
    pub(crate) fn discard(&mut self) {
        let Some(hidden) = self.hidden.take() else { return };
        self.open = None;
        self.reach.forget();
        if let Err(Errno::ACCESS) = copy::discard(self.base.as_fd(), hidden.as_bytes()) {
            self.loosen();
            // Nobody is left to tell; a sweep removes what could not be removed now.
            let _ = copy::discard(self.base.as_fd(), hidden.as_bytes());
        }
        self.tree.usage.forget();
    }

    /// Lets directories be changed again that were stamped read-only already.
    fn loosen(&mut self) {
        for path in self.stamps.keys() {
            let Some((parent, name)) = path.split() else { continue };
            if let Ok(dir) = self.reach.dir(self.top.as_fd(), &parent, Missing::Refuse) {
                let _ = loosen(dir, name);
            }
        }
        self.reach.forget();
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        self.discard();
    }
}

/// Opens a directory and says where it really is.
pub(crate) fn locate(tree: &Tree, asked: &WsPath) -> Result<(OwnedFd, WsPath)> {
    let place = walk::locate(tree, asked, Links::Follow)?;
    let name = place.name.as_deref().unwrap_or(b".");
    let dir = open_dir(&place.dir, name).map_err(|errno| errno::error(errno, asked))?;
    Ok((dir, place.path))
}

fn read_at(file: &OwnedFd, offset: u64, length: u64) -> Result<Bytes, Errno> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    let mut done = 0;
    while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match pread(file, rest, offset + done as u64) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    bytes.truncate(done);
    Ok(bytes.into())
}
