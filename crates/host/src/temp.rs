//! A temporary file beside its target, which nobody else sees and a crash may leave.
//!
//! Its name marks it as ours, so that listings, searches and watches pass it over.
//! While its maker lives it is locked, so that [`sweep`](crate::sweep) can tell a
//! file in use from one that a crash left behind.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::{
    fs::{AtFlags, FlockOperation, Mode, OFlags, flock, openat, unlinkat},
    io::{Errno, Result},
    rand::{GetRandomFlags, getrandom},
};

/// A name for a temporary file that nobody has.
pub(crate) fn fresh_name() -> Result<String> {
    let mut random = [0; 8];
    getrandom(&mut random, GetRandomFlags::empty())?;
    Ok(format!(".garth-{:016x}.tmp", u64::from_ne_bytes(random)))
}

/// A temporary file. Dropping it removes it, unless it was [kept](Temp::keep).
#[derive(Debug)]
pub(crate) struct Temp<D: AsFd> {
    dir: D,
    name: String,
    file: OwnedFd,
    kept: AtomicBool,
}

impl<D: AsFd> Temp<D> {
    /// Makes an empty file with this mode, less the process's mask.
    pub(crate) fn create(dir: D, mode: Mode) -> Result<Self> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let name = fresh_name()?;
            match openat(&dir, &name, flags, mode) {
                Ok(file) => {
                    // A sweep that saw the file before this lock may have removed it; the
                    // rename then fails and nothing was lost. It cannot happen in practice:
                    // a sweep passes over files younger than a minute.
                    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
                    return Ok(Self { dir, name, file, kept: AtomicBool::new(false) });
                }
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
    }

    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// The directory that it stands in.
    pub(crate) fn dir(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Lets go of the name: it was renamed away.
    pub(crate) fn keep(&self) {
        self.kept.store(true, Ordering::Relaxed);
    }
}

impl<D: AsFd> Drop for Temp<D> {
    fn drop(&mut self) {
        if !*self.kept.get_mut() {
            // Nobody is left to tell; a sweep removes what could not be removed now.
            let _ = unlinkat(&self.dir, &self.name, AtFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_name_is_a_temporary_one() {
        assert!(garth_contract::is_temporary(fresh_name().unwrap().as_bytes()));
    }
}
