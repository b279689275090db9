//! One writer at a time for a file, across threads and processes.
//!
//! The lock is an advisory `flock` on the file itself, so it needs no lock file
//! and holds between everything that shares the kernel, containers included. A
//! write replaces the file, so whoever waited checks that the name still means
//! the file that it locked.

use std::{
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{Mutex, MutexGuard, PoisonError, TryLockError},
    thread,
    time::{Duration, Instant},
};

use garth_contract::{Code, Error, Result};
use rustix::{
    fs::{FileType, FlockOperation, Mode, OFlags, Stat, flock, fstat, openat},
    io::Errno,
};

use crate::{
    errno,
    tree::{Place, stat_name},
};

/// How long a write waits for another program's lock before it answers `CONFLICT`.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// The first and the longest pause between two looks at a lock.
const PAUSES: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(2));

/// Threads of this process queue here, so that only one of them polls the file.
static QUEUES: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];
/// Stands in where an index could be wrong, which it cannot.
static SPARE: Mutex<()> = Mutex::new(());

/// A locked file. Dropping it unlocks.
#[derive(Debug)]
pub(crate) struct Locked {
    file: OwnedFd,
    /// What the file was when the lock was had.
    pub(crate) stat: Stat,
    _queue: MutexGuard<'static, ()>,
}

impl Locked {
    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Lets the next writer come, and keeps the file itself from being freed.
    pub(crate) fn into_file(self) -> OwnedFd {
        self.file
    }
}

/// Locks the regular file at a place; `None` when nothing is there.
///
/// # Errors
/// `NOT_A_FILE` for anything else, `CONFLICT` when another program holds the lock
/// for longer than `patience`; without any, when anybody does.
pub(crate) fn lock(place: &Place, name: &[u8], patience: Duration) -> Result<Option<Locked>> {
    let held = || {
        let error = Error::at(Code::Conflict, &place.path);
        error.hint("Another program holds a lock on the file; try again later.")
    };
    let queue = queue(&place.dir, name, patience).ok_or_else(held)?;
    let fail = |errno| errno::error(errno, &place.path);
    let deadline = Instant::now() + patience;
    let mut pause = PAUSES.0;
    loop {
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match openat(&place.dir, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            // A link was put there since the place was found.
            Err(Errno::LOOP) => return Err(Error::at(Code::Conflict, &place.path)),
            Err(errno) => return Err(fail(errno)),
        };
        let stat = fstat(&file).map_err(fail)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(Error::at(Code::NotAFile, &place.path));
        }
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) if still_there(place, name, &stat).map_err(fail)? => {
                let stat = fstat(&file).map_err(fail)?;
                return Ok(Some(Locked { file, stat, _queue: queue }));
            }
            Ok(()) => continue,
            Err(Errno::WOULDBLOCK | Errno::INTR) => {}
            Err(errno) => return Err(fail(errno)),
        }
        if Instant::now() >= deadline {
            return Err(held());
        }
        thread::sleep(pause);
        pause = (pause * 2).min(PAUSES.1);
    }
}

fn still_there(place: &Place, name: &[u8], stat: &Stat) -> Result<bool, Errno> {
    let now = stat_name(place.dir.as_fd(), name)?;
    Ok(now.is_some_and(|now| same_file(&now, stat)))
}

/// Tells whether two looks were at the same file.
pub(crate) fn same_file(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

fn queue(dir: &OwnedFd, name: &[u8], patience: Duration) -> Option<MutexGuard<'static, ()>> {
    let inode = fstat(dir).map_or((0, 0), |stat| (stat.st_dev, stat.st_ino));
    let hasher = BuildHasherDefault::<DefaultHasher>::new();
    let index = usize::try_from(hasher.hash_one((inode, name)) % QUEUES.len() as u64).unwrap_or(0);
    let queue = QUEUES.get(index).unwrap_or(&SPARE);
    if patience.is_zero() {
        return match queue.try_lock() {
            Ok(queue) => Some(queue),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
    }
    Some(queue.lock().unwrap_or_else(PoisonError::into_inner))
}
