//! What a replaced file hands on to its successor: owner, mode, extended attributes.

use std::{
    os::fd::{AsFd, BorrowedFd},
    time::{SystemTime, UNIX_EPOCH},
};

use rustix::{
    fs::{
        Gid, Mode, Stat, Timespec, Timestamps, UTIME_OMIT, Uid, XattrFlags, fchmod, fchown,
        fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fremovexattr, fsetxattr, fstat,
        futimens,
    },
    io::{Errno, Result},
};

/// How often a list of attributes that grows while it is read is read again.
const TRIES: usize = 4;

/// Gives `to` the owner, mode and extended attributes of `from`.
///
/// # Errors
/// `EPERM` when the owner cannot be kept: better no write than a file that its
/// owner lost.
pub(crate) fn copy(from: BorrowedFd<'_>, stat: &Stat, to: BorrowedFd<'_>) -> Result<()> {
    let now = fstat(to)?;
    if (now.st_uid, now.st_gid) != (stat.st_uid, stat.st_gid) {
        fchown(to, Some(Uid::from_raw(stat.st_uid)), Some(Gid::from_raw(stat.st_gid)))?;
    }
    copy_extended(from, to)?;
    // After the owner, since a change of owner clears the set-id bits.
    set_mode(to, stat.st_mode)
}

pub(crate) fn set_mode(file: BorrowedFd<'_>, mode: u32) -> Result<()> {
    fchmod(file, Mode::from_raw_mode(mode & 0o7777))
}

/// Gives a file the times of another; a moved file keeps them.
pub(crate) fn set_times(file: BorrowedFd<'_>, stat: &Stat) -> Result<()> {
    let time = |seconds, nanos: u64| Timespec {
        tv_sec: seconds,
        tv_nsec: i64::try_from(nanos).unwrap_or(0),
    };
    let times = Timestamps {
        last_access: time(stat.st_atime, stat.st_atime_nsec),
        last_modification: time(stat.st_mtime, stat.st_mtime_nsec),
    };
    futimens(file, &times)
}

/// The times that say when something was modified, and nothing about when it was read.
pub(crate) fn modified_at(modified: SystemTime) -> Option<Timestamps> {
    let time = match modified.duration_since(UNIX_EPOCH) {
        Ok(after) => Timespec {
            tv_sec: i64::try_from(after.as_secs()).ok()?,
            tv_nsec: i64::from(after.subsec_nanos()),
        },
        Err(before) => {
            let before = before.duration();
            let (seconds, nanos) = (i64::try_from(before.as_secs()).ok()?, before.subsec_nanos());
            match nanos {
                0 => Timespec { tv_sec: -seconds, tv_nsec: 0 },
                nanos => {
                    Timespec { tv_sec: -seconds - 1, tv_nsec: i64::from(1_000_000_000 - nanos) }
                }
            }
        }
    };
    let untouched = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
    Some(Timestamps { last_access: untouched, last_modification: time })
}

fn copy_extended(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> Result<()> {
    let wanted = names(from)?;
    for name in names(to)?.iter().filter(|name| !wanted.contains(name)) {
        // A default access list of the directory is not the file's own.
        forgive(name, fremovexattr(to, name.as_slice()))?;
    }
    for name in &wanted {
        if let Some(value) = value(from, name)? {
            forgive(name, fsetxattr(to, name.as_slice(), &value, XattrFlags::empty()))?;
        }
    }
    Ok(())
}

/// Labels of the system that only it may set are its own business.
fn forgive(name: &[u8], result: Result<()>) -> Result<()> {
    let system = name.starts_with(b"security.") || name.starts_with(b"trusted.");
    match result {
        Err(Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP) if system => Ok(()),
        Err(Errno::NODATA) => Ok(()),
        result => result,
    }
}

fn names(file: BorrowedFd<'_>) -> Result<Vec<Vec<u8>>> {
    let list = sized(|| flistxattr_query(file), |buffer| flistxattr(file, buffer));
    match list {
        Ok(list) => {
            let names = list.split(|byte| *byte == 0).filter(|name| !name.is_empty());
            Ok(names.map(<[u8]>::to_vec).collect())
        }
        Err(Errno::OPNOTSUPP) => Ok(Vec::new()),
        Err(errno) => Err(errno),
    }
}

fn value(file: BorrowedFd<'_>, name: &[u8]) -> Result<Option<Vec<u8>>> {
    let file = file.as_fd();
    match sized(|| fgetxattr_query(file, name), |buffer| fgetxattr(file, name, buffer)) {
        Ok(value) => Ok(Some(value)),
        Err(Errno::NODATA) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Asks for a size, then for that many bytes, again if it grew meanwhile.
fn sized(
    size: impl Fn() -> Result<usize>,
    fill: impl Fn(&mut [u8]) -> Result<usize>,
) -> Result<Vec<u8>> {
    for _ in 0..TRIES {
        let mut buffer = vec![0; size()?];
        if buffer.is_empty() {
            return Ok(buffer);
        }
        match fill(&mut buffer) {
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            Err(Errno::RANGE) => {}
            Err(errno) => return Err(errno),
        }
    }
    Err(Errno::RANGE)
}
