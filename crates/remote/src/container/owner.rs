//! Who owns a directory, and which program a file is: what is looked up on this
//! machine before a container is made.

use std::{fs::File, io, path::Path};

use garth_contract::{Code, Error, Result};
use rustix::fs::{CWD, Mode, OFlags, openat, stat};

use super::{User, refuse};

/// The owner of a workspace's directory.
///
/// # Errors
/// `WORKSPACE_NOT_FOUND` where there is none.
pub(crate) fn of_directory(path: &Path) -> Result<User> {
    let found = stat(path).map_err(|_| Error::of(Code::WorkspaceNotFound))?;
    Ok(User { uid: found.st_uid, gid: found.st_gid })
}

/// Looks whether a program is there.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` where there is none.
pub(super) fn find_program(path: &Path) -> Result<()> {
    stat(path).map(drop).map_err(|_| refuse::no_guest())
}

/// Adds what a program is to a print: its bytes, so that the same program put there
/// again is the same.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` where there is none.
pub(super) fn add_program(hash: &mut blake3::Hasher, path: &Path) -> Result<()> {
    let mut add = || -> io::Result<()> {
        let file = File::from(openat(CWD, path, OFlags::CLOEXEC, Mode::empty())?);
        hash.update_reader(file)?;
        Ok(())
    };
    add().map_err(|_| refuse::no_guest())
}
