//! `write`: a file whole, in one step, under a guard.
//!
//! The bytes go to a temporary file beside the target, which then takes the
//! target's name. What stood there is never opened for writing, so a hard link to
//! a file elsewhere is broken, not written through.

mod fill;

use std::{
    ops::ControlFlow,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::atomic::AtomicBool,
    time::Duration,
};

use garth_contract::{
    Code, Detail, Error, Guard, Links, Put, Result, Version, VersionHasher, Written, WsPath,
};
use garth_search::Stands;
use rustix::{
    fs::{FileType, Mode, OFlags, RenameFlags, Stat, fstat, openat, renameat, renameat_with},
    io::Errno,
};

pub(crate) use self::fill::{Came, New, PRIVATE};
use self::fill::{Filled, Made};
use crate::{
    absent,
    blocking::check,
    errno,
    lock::{self, Locked, same_file},
    look::{modified, size},
    read::each_chunk,
    sync,
    tree::{Place, Shown, TRIES, Tree, stat_name},
};

/// How many saves of other programs in a row a file is given back through.
const MAX_SWAPS: usize = 1000;

/// The file that was replaced. When the last handle on it goes, its blocks are freed, which
/// may take as long as all the rest.
pub(crate) type Displaced = Option<OwnedFd>;

pub(crate) fn write(
    tree: &Tree,
    path: &WsPath,
    what: (New<'_>, Put),
    cancel: &AtomicBool,
) -> Result<(Written, Displaced)> {
    landed(tree, path, what, (lock::PATIENCE, cancel))
}

/// The same for whoever must not wait for others: `CONFLICT` where they hold the file.
pub(crate) fn write_at_once(
    tree: &Tree,
    path: &WsPath,
    what: (New<'_>, Put),
) -> Result<(Written, Displaced)> {
    landed(tree, path, what, (Duration::ZERO, &AtomicBool::new(false)))
}

fn landed(
    tree: &Tree,
    path: &WsPath,
    (new, put): (New<'_>, Put),
    (patience, cancel): (Duration, &AtomicBool),
) -> Result<(Written, Displaced)> {
    tree.check_access()?;
    if path.is_root() {
        return Err(Error::at(Code::NotAFile, path));
    }
    check_length(tree, path, new.length())?;
    let place = locate(tree, path, new.uncharged(), &put)?;
    tree.check_change(&place)?;
    if place.shown == Shown::DirOnly {
        return Err(Error::at(Code::NotAFile, path));
    }
    let write = Write { tree, place: &place, new, put, path, patience, cancel };
    write.run()
}

/// Refuses a file that is larger than the workspace's may be.
pub(crate) fn check_length(tree: &Tree, path: &WsPath, actual: u64) -> Result<()> {
    let limit = tree.policy.max_file;
    if actual > limit {
        return Err(Error::at(Code::FileTooLarge, path).with(Detail::Limit { limit, actual }));
    }
    Ok(())
}

/// Finds the file that a path means, through links; makes its parents only when
/// the file can then be written.
fn locate(tree: &Tree, path: &WsPath, length: u64, put: &Put) -> Result<Place> {
    let missing = match tree.locate(path, Links::Follow) {
        Err(error) if error.code() == Code::FileNotFound => error,
        located => return located,
    };
    match put.guard {
        Guard::Any | Guard::Absent => {}
        Guard::Unchanged(_) | Guard::Holding(_) => {
            return Err(missing.recode(Code::FileNotFound, Code::Conflict));
        }
    }
    drop(tree.usage.charge(tree, length, 0)?);
    tree.locate_new(path, Links::Follow, (Stands::Other, put.parents))
}

struct Write<'a> {
    tree: &'a Tree,
    place: &'a Place,
    new: New<'a>,
    put: Put,
    path: &'a WsPath,
    /// How long a lock that others hold is waited for.
    patience: Duration,
    cancel: &'a AtomicBool,
}

/// How a try to land the new file ended.
enum Landed {
    Done(Written, Displaced),
    /// Somebody made or removed the file meanwhile.
    Again,
}

impl Write<'_> {
    fn run(&self) -> Result<(Written, Displaced)> {
        let name = self.place.name(Code::NotAFile)?;
        for _ in 0..TRIES {
            let landed = match &self.put.guard {
                Guard::Absent => self.create(name)?,
                guard @ (Guard::Unchanged(_) | Guard::Holding(_)) => {
                    self.replace_unchanged(name, guard)?
                }
                Guard::Any => match self.lock(name)? {
                    Some(locked) => self.replace(name, locked)?,
                    None => self.create(name)?,
                },
            };
            match landed {
                Landed::Done(written, displaced) => return Ok((written, displaced)),
                Landed::Again => {}
            }
        }
        Err(Error::at(Code::Conflict, self.path))
    }

    fn lock(&self, name: &[u8]) -> Result<Option<Locked>> {
        self.check_kind(name)?;
        let locked = lock::lock(self.place, name, self.patience)?;
        // A later write waits for this lock, so one that nobody waits for any more
        // cannot land after it.
        check(self.cancel)?;
        Ok(locked)
    }

    /// A directory or a special file is no target, and is not opened to find out.
    fn check_kind(&self, name: &[u8]) -> Result<Option<Stat>> {
        let found = stat_name(self.place.dir.as_fd(), name).map_err(|errno| self.fail(errno))?;
        match found.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
            None | Some(FileType::RegularFile) => Ok(found),
            Some(FileType::Symlink) => Err(Error::at(Code::Conflict, self.path)),
            Some(_) => Err(Error::at(Code::NotAFile, self.path)),
        }
    }

    /// Lands a file where nothing is.
    fn create(&self, name: &[u8]) -> Result<Landed> {
        if self.put.guard == Guard::Absent && self.check_kind(name)?.is_some() {
            return Err(Error::at(Code::FileExists, self.path));
        }
        let charge = self.tree.usage.charge(self.tree, self.new.uncharged(), 0)?;
        let filled = self.filled(None)?;
        check(self.cancel)?;
        match filled.temp.rename_absent(self.place.dir.as_fd(), name) {
            Ok(()) => {}
            Err(Errno::EXIST) if self.put.guard == Guard::Absent => {
                return Err(Error::at(Code::FileExists, self.path));
            }
            Err(Errno::EXIST) => return Ok(Landed::Again),
            Err(errno) => return Err(self.fail(errno)),
        }
        charge.keep();
        self.finish(filled, None)
    }

    /// Lands a file over the locked one.
    fn replace(&self, name: &[u8], locked: Locked) -> Result<Landed> {
        let (new, old) = (self.new.uncharged(), size(&locked.stat));
        let charge = self.tree.usage.charge(self.tree, new, old)?;
        let filled = self.filled(Some((&locked, &Guard::Any)))?;
        filled.temp.rename(self.place.dir.as_fd(), name).map_err(|errno| self.fail(errno))?;
        charge.keep();
        self.finish(filled, Some(locked))
    }

    /// Lands a file over the one that the guard expects, and over no other.
    ///
    /// Among writers that lock, the comparison right before is enough. A program
    /// that takes no lock may still slip in between; so the two files change
    /// places, the one displaced is looked at, and if it is not the one compared
    /// they change back.
    fn replace_unchanged(&self, name: &[u8], guard: &Guard) -> Result<Landed> {
        let Some(locked) = self.lock(name)? else { return Err(self.conflict(None)) };
        let (new, old) = (self.new.uncharged(), size(&locked.stat));
        let charge = self.tree.usage.charge(self.tree, new, old)?;
        let filled = self.filled(Some((&locked, guard)))?;
        let (dir, temp) = (self.place.dir.as_fd(), &filled.temp);
        match temp.exchange(dir, name) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Err(self.conflict(None)),
            // A file system that cannot exchange: the comparison above must do.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                temp.rename(dir, name).map_err(|errno| self.fail(errno))?;
                charge.keep();
                return self.finish(filled, Some(locked));
            }
            Err(errno) => return Err(self.fail(errno)),
        }
        let displaced = temp.stat().map_err(|errno| self.fail(errno))?;
        if !displaced.is_some_and(|displaced| untouched(&displaced, &locked.stat)) {
            self.swap_back(temp, name)?;
            return Err(self.conflict(None));
        }
        charge.keep();
        self.finish_exchanged(filled, locked)
    }

    /// Gives the displaced file its name back.
    ///
    /// A save that comes between is displaced in its turn, so each exchange is
    /// looked at again, until what comes out is what went in the time before.
    fn swap_back(&self, temp: &Made<'_>, name: &[u8]) -> Result<()> {
        let dir = self.place.dir.as_fd();
        let mut placed = pin(dir, name).map_err(|errno| self.fail(errno))?;
        let ours = fstat(temp.file()).map_err(|errno| self.fail(errno))?;
        if !placed.as_ref().is_some_and(|(_, stat)| same_file(stat, &ours)) {
            // Somebody saved over ours already, and meant what we had displaced.
            return Ok(());
        }
        for _ in 0..MAX_SWAPS {
            let aside = pin(temp.dir(), temp.name()).map_err(|errno| self.fail(errno))?;
            match temp.exchange(dir, name) {
                Ok(()) => {}
                // The name is gone: who removed it meant what it had displaced.
                Err(Errno::NOENT) => break,
                Err(errno) => return Err(self.fail(errno)),
            }
            let out = temp.stat().map_err(|errno| self.fail(errno))?;
            if out.zip(placed.as_ref()).is_some_and(|(out, (_, placed))| same_file(&out, placed)) {
                break;
            }
            placed = aside;
        }
        Ok(())
    }

    /// Refuses a file that is not the one that the guard expects.
    fn compare(&self, locked: &Locked, guard: &Guard) -> Result<()> {
        let same = match guard {
            Guard::Any | Guard::Absent => return Ok(()),
            Guard::Unchanged(_) => Ok(false),
            Guard::Holding(bytes) => holds(locked.file(), bytes),
        };
        if same.map_err(|errno| self.fail(errno))? {
            return Ok(());
        }
        let current = version(locked).map_err(|errno| self.fail(errno))?;
        if *guard == Guard::Unchanged(current) {
            return Ok(());
        }
        Err(self.conflict(Some(current)))
    }

    /// After a plain rename: the temporary name is gone.
    fn finish(&self, filled: Filled<'_>, replaced: Option<Locked>) -> Result<Landed> {
        let Filled { temp, version } = filled;
        let stat = fstat(temp.file()).map_err(|errno| self.fail(errno))?;
        temp.keep();
        self.settle(&stat, version, replaced)
    }

    /// After an exchange: the temporary name holds the old file, which goes.
    fn finish_exchanged(&self, filled: Filled<'_>, replaced: Locked) -> Result<Landed> {
        let Filled { temp, version } = filled;
        let stat = fstat(temp.file()).map_err(|errno| self.fail(errno))?;
        drop(temp);
        self.settle(&stat, version, Some(replaced))
    }

    fn settle(&self, stat: &Stat, version: Version, replaced: Option<Locked>) -> Result<Landed> {
        sync::dir(&self.place.dir, self.tree.policy.durability)
            .map_err(|errno| self.fail(errno))?;
        let created = replaced.is_none();
        let written = Written { version, created, modified: modified(stat) };
        Ok(Landed::Done(written, replaced.map(Locked::into_file)))
    }

    fn conflict(&self, current: Option<Version>) -> Error {
        let error = Error::at(Code::Conflict, self.path);
        match current {
            Some(version) => error.with(Detail::Current(version)),
            None => error,
        }
    }

    fn fail(&self, errno: Errno) -> Error {
        errno::error(errno, self.path)
    }
}

/// Tells whether a file holds these bytes and no others.
fn holds(file: BorrowedFd<'_>, expected: &[u8]) -> Result<bool, Errno> {
    let mut rest = expected;
    let mut same = true;
    each_chunk(file, expected.len() as u64 + 1, |chunk| {
        match rest.strip_prefix(chunk) {
            Some(after) => rest = after,
            None => same = false,
        }
        if same { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(same && rest.is_empty())
}

/// The version of what a locked file holds.
fn version(locked: &Locked) -> Result<Version, Errno> {
    let mut hasher = VersionHasher::default();
    // One byte more tells a file that grew from one that did not.
    each_chunk(locked.file(), size(&locked.stat).saturating_add(1), |chunk| {
        hasher.update(chunk);
        ControlFlow::Continue(())
    })?;
    Ok(hasher.finish())
}

/// Tells whether a file is the one seen before, with nothing written to it since.
fn untouched(now: &Stat, before: &Stat) -> bool {
    same_file(now, before)
        && (now.st_size, now.st_mtime, now.st_mtime_nsec)
            == (before.st_size, before.st_mtime, before.st_mtime_nsec)
}

/// A handle on what a name means now, which keeps its number from being given to
/// another file while the two are told apart.
fn pin(dir: BorrowedFd<'_>, name: &[u8]) -> Result<Option<(OwnedFd, Stat)>, Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(dir, name, flags, Mode::empty()) {
        Ok(handle) => {
            let stat = fstat(&handle)?;
            Ok(Some((handle, stat)))
        }
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

impl Made<'_> {
    /// What stands under the temporary name.
    fn stat(&self) -> Result<Option<Stat>, Errno> {
        stat_name(self.dir(), self.name())
    }

    /// Takes a name, whatever it means.
    fn rename(&self, dir: BorrowedFd<'_>, name: &[u8]) -> Result<(), Errno> {
        renameat(self.dir(), self.name(), dir, name)
    }

    /// Changes places with what has a name.
    fn exchange(&self, dir: BorrowedFd<'_>, name: &[u8]) -> Result<(), Errno> {
        renameat_with(self.dir(), self.name(), dir, name, RenameFlags::EXCHANGE)
    }

    /// Takes a name unless it is taken.
    fn rename_absent(&self, dir: BorrowedFd<'_>, name: &[u8]) -> Result<(), Errno> {
        absent::rename((self.dir(), self.name()), (dir, name))
    }
}

pub(crate) fn write_all(file: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match rustix::io::write(file, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}
