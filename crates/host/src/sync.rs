//! Waiting for the disk, where the operator wants it.

use std::os::fd::AsFd;

use garth_contract::Durability;
use rustix::{
    fs::{Mode, OFlags, fsync, openat},
    io::{Errno, Result},
};

/// Waits until a file's content and attributes are on the disk.
pub(crate) fn file(file: impl AsFd, durability: Durability) -> Result<()> {
    match durability {
        Durability::Synced => fsync(file),
        Durability::Fast => Ok(()),
    }
}

/// Waits until a directory's entries are on the disk.
pub(crate) fn dir(dir: impl AsFd, durability: Durability) -> Result<()> {
    match durability {
        Durability::Synced => {
            // An O_PATH handle cannot be synced; a handle on the same directory can.
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            match openat(dir, c".", flags, Mode::empty()) {
                Ok(dir) => fsync(dir),
                // One that can be searched but not read is left to the system.
                Err(Errno::ACCESS) => Ok(()),
                Err(errno) => Err(errno),
            }
        }
        Durability::Fast => Ok(()),
    }
}
