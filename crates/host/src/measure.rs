//! What `make bench` times: the confined open and read without the thread hop.
//!
//! Not for programs: they have [`Host`].

use std::os::fd::AsFd;

use garth_contract::{Result, WsPath};

use crate::{Host, errno, look::size, read::read_all};

/// Opens a file beneath the root, looks at it, reads it whole and closes it.
///
/// # Errors
/// Those of [`Filesystem::read`](garth_contract::Filesystem::read).
pub fn open_and_read(host: &Host, path: &WsPath) -> Result<Vec<u8>> {
    let (file, stat) = host.tree().open_file(path)?;
    read_all(file.as_fd(), size(&stat)).map_err(|errno| errno::error(errno, path))
}
