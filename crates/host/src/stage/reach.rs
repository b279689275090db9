//! Going down from a handle by names, never through a link.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use garth_contract::WsPath;
use rustix::{
    fs::{Mode, OFlags, chmod, mkdirat, openat},
    io::{Errno, Result},
};

use crate::tree::own_handle;

/// What to do about a directory that is missing on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    Make,
    Refuse,
}

/// The directory that was reached last; most entries stand beside the one before.
#[derive(Debug, Default)]
pub(super) struct Reach {
    last: Option<(WsPath, OwnedFd)>,
}

impl Reach {
    /// The directory at a path below `top`.
    ///
    /// # Errors
    /// `ENOTDIR` for anything else on the way, a link included.
    pub(super) fn dir(
        &mut self,
        top: BorrowedFd<'_>,
        path: &WsPath,
        missing: Missing,
    ) -> Result<BorrowedFd<'_>> {
        let at_hand = self.last.take().filter(|(last, _)| last == path);
        let dir = match at_hand {
            Some((_, dir)) => dir,
            None => descend(top, path, missing)?,
        };
        let (_, dir) = &*self.last.insert((path.clone(), dir));
        Ok(dir.as_fd())
    }

    /// Forgets what was reached, since names may mean something else now.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }
}

fn descend(top: BorrowedFd<'_>, path: &WsPath, missing: Missing) -> Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut dir = openat(top, c".", flags, Mode::empty())?;
    for name in path.components() {
        let opened = match openat(&dir, name, flags, Mode::empty()) {
            Err(Errno::NOENT) if missing == Missing::Make => {
                match mkdirat(&dir, name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => openat(&dir, name, flags, Mode::empty()),
                    Err(errno) => Err(errno),
                }
            }
            opened => opened,
        };
        dir = opened.map_err(|errno| match errno {
            Errno::LOOP => Errno::NOTDIR,
            errno => errno,
        })?;
    }
    Ok(dir)
}

/// Lets a directory be changed by its owner again, whatever its mode is now.
pub(super) fn loosen(dir: BorrowedFd<'_>, name: &[u8]) -> Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = openat(dir, name, flags, Mode::empty())?;
    // A handle on what cannot be opened for reading has no other way to its mode.
    chmod(own_handle(&handle), Mode::RWXU)
}
