//! Removing what a crash left behind.

use std::{
    os::fd::{AsFd, BorrowedFd},
    time::{Duration, SystemTime},
};

use garth_contract::{Result, WsPath, is_temporary};
use rustix::{
    fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, flock, openat, unlinkat},
    io::Errno,
};

use crate::{
    descend::{Enter, Step, Visitor, descend},
    errno,
    look::{each_name, modified},
    tree::{Tree, stat_name},
};

/// A file this young may belong to a writer that has not locked it yet.
const YOUNG: Duration = Duration::from_secs(60);

/// Removes every temporary file that nobody holds, and says how many.
pub(crate) fn sweep(tree: &Tree) -> Result<u64> {
    let root = WsPath::root();
    let fail = |errno| errno::error(errno, &root);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let top = openat(tree.root(), c".", flags, Mode::empty()).map_err(fail)?;
    let mut sweep = Sweep { now: SystemTime::now(), count: 0, inside: None };
    descend(top, &mut sweep).map_err(fail)?;
    Ok(sweep.count)
}

/// Removes abandoned temporary files of one directory.
pub(crate) fn leftovers(dir: BorrowedFd<'_>) -> Result<(), Errno> {
    let mut names = Vec::new();
    each_name(dir, |name, file_type| {
        if is_temporary(name) && file_type == FileType::RegularFile {
            names.push(name.to_vec());
        }
    })?;
    for name in names {
        if abandoned(dir, &name)? {
            remove(dir, &name, AtFlags::empty())?;
        }
    }
    Ok(())
}

struct Sweep {
    now: SystemTime,
    count: u64,
    /// How long the path of the abandoned directory is that the walk is inside of.
    inside: Option<usize>,
}

impl Sweep {
    fn old(&self, step: &Step<'_>) -> Result<bool, Errno> {
        let stat = stat_name(step.dir, step.name)?;
        let age = stat.and_then(|stat| self.now.duration_since(modified(&stat)?).ok());
        Ok(age.is_some_and(|age| age >= YOUNG))
    }
}

impl Visitor for Sweep {
    fn entry(&mut self, step: &Step<'_>) -> Result<(), Errno> {
        let ours = is_temporary(step.name) && self.old(step)? && abandoned(step.dir, step.name)?;
        if ours || self.inside.is_some() {
            remove(step.dir, step.name, AtFlags::empty())?;
            self.count += 1;
        }
        Ok(())
    }

    fn enter(&mut self, step: &Step<'_>) -> Result<Enter, Errno> {
        if self.inside.is_none() && is_temporary(step.name) {
            if !self.old(step)? || !abandoned(step.dir, step.name)? {
                return Ok(Enter::Past);
            }
            self.inside = Some(step.below.len());
        }
        Ok(Enter::In)
    }

    fn leave(&mut self, step: &Step<'_>) -> Result<(), Errno> {
        let Some(length) = self.inside else { return Ok(()) };
        remove(step.dir, step.name, AtFlags::REMOVEDIR)?;
        self.count += 1;
        if step.below.len() == length {
            self.inside = None;
        }
        Ok(())
    }
}

/// A temporary file that can be locked has no living maker.
fn abandoned(dir: BorrowedFd<'_>, name: &[u8]) -> Result<bool, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match openat(dir, name, flags, Mode::empty()) {
        Ok(file) => Ok(flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive).is_ok()),
        Err(Errno::NOENT) => Ok(false),
        Err(errno) => Err(errno),
    }
}

fn remove(dir: BorrowedFd<'_>, name: &[u8], flags: AtFlags) -> Result<(), Errno> {
    match unlinkat(dir, name, flags) {
        Err(Errno::NOENT) => Ok(()),
        removed => removed,
    }
}
