//! The file of a program that was opened outside, and cannot be changed from inside.
//!
//! Whoever runs a file can reach it through `/proc/1/exe`, and an ordinary user may own it. So it
//! is run through a read-only mount of its own, which is mounted nowhere.

use std::{
    ffi::CString,
    os::fd::{AsFd, AsRawFd, OwnedFd},
};

use rustix::{
    fs::{CWD, Mode, OFlags, Stat, fstat, openat, readlinkat, stat},
    io::{Errno, fcntl_dupfd_cloexec},
    mount::{MountAttrFlags, OpenTreeFlags, open_tree},
};

use crate::{
    Refusal,
    act::{Act, During, Failed},
    ids::Ids,
    mounts_unsafe::{Depth, set_attributes},
};

/// The file, as far as it could be made ready.
#[derive(Debug)]
pub(crate) enum Sealed {
    /// On its own mount.
    Ready(OwnedFd),
    /// To be found again by the new process, which may mount, and known by its numbers.
    Found { path: CString, device: u64, inode: u64 },
    /// As it is: it has no path, or belongs to somebody else.
    Plain(OwnedFd),
}

/// Makes a file ready to be run.
///
/// *Errors*: `Program` for a file that the program would own and could change.
pub(crate) fn prepare(file: &OwnedFd, ids: &Ids) -> Result<Sealed, Refusal> {
    let plain = || fcntl_dupfd_cloexec(file, 3).map(Sealed::Plain);
    match ids {
        Ids::Runner(_) => match read_only(file) {
            Ok(sealed) => Ok(Sealed::Ready(sealed)),
            // It is in no mount of ours; then it is nothing that the lent id owns.
            Err(Errno::INVAL) => Ok(plain().during(Act::SealProgram)?),
            Err(errno) => Err(Refusal::at(Act::SealProgram, errno)),
        },
        Ids::Own(lent) => {
            let known = fstat(file).during(Act::SealProgram)?;
            let link = format!("/proc/self/fd/{}", file.as_raw_fd());
            let path = readlinkat(CWD, link, Vec::new()).during(Act::SealProgram)?;
            if stat(&*path).is_ok_and(|found| same(&found, &known)) {
                return Ok(Sealed::Found { path, device: known.st_dev, inode: known.st_ino });
            }
            if known.st_uid != lent.uid || known.st_nlink == 0 {
                return Ok(plain().during(Act::SealProgram)?);
            }
            Err(Refusal::of(Act::SealProgram, "it is not found where it was opened"))
        }
    }
}

fn same(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

impl Sealed {
    /// Makes the mount where that was left to do. In the new process, while it still sees
    /// our files.
    pub(crate) fn seal(&self) -> Result<Option<OwnedFd>, Failed> {
        match self {
            Self::Ready(_) | Self::Plain(_) => Ok(None),
            Self::Found { path, device, inode } => {
                let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let file = openat(CWD, &**path, flags, Mode::empty()).during(Act::SealProgram)?;
                let found = fstat(&file).during(Act::SealProgram)?;
                if (found.st_dev, found.st_ino) != (*device, *inode) {
                    return Err(Failed { act: Act::SealProgram, errno: Errno::STALE });
                }
                read_only(&file).during(Act::SealProgram).map(Some)
            }
        }
    }

    /// The file to run, with what `seal` gave.
    pub(crate) fn file<'a>(&'a self, sealed: Option<&'a OwnedFd>) -> Option<&'a OwnedFd> {
        match self {
            Self::Ready(file) | Self::Plain(file) => Some(file),
            Self::Found { .. } => sealed,
        }
    }
}

/// The same file on a mount of its own, which allows no change.
fn read_only(file: impl AsFd) -> Result<OwnedFd, Errno> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH;
    let tree = open_tree(file, c"", flags)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_RDONLY
        | MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV;
    set_attributes(&tree, Depth::Single, attributes)?;
    Ok(tree)
}
