//! Reads the ignore files of directories, through handles and within bounds.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use garth_contract::{Result, WsPath};
use garth_search::{IgnoreFiles, Ignores, MAX_IGNORE_FILE};
use rustix::{
    fs::{FileType, fstat},
    io::Errno,
};

use super::file::{open_file, read_up_to};
use crate::descend::open_dir;

/// The rules of all directories above `base`, from the workspace's root down.
///
/// What cannot be read has no effect, as in ripgrep.
pub(super) fn above(base: &WsPath, open: &dyn Fn(&WsPath) -> Result<OwnedFd>) -> Ignores {
    let mut chain = Vec::new();
    let mut next = base.parent();
    while let Some(dir) = next {
        next = dir.parent();
        chain.push(dir);
    }
    let mut ignores = Ignores::none();
    for dir in chain.iter().rev() {
        if let Ok(handle) = open(dir) {
            ignores = read(&ignores, dir.as_bytes(), handle.as_fd());
        }
    }
    ignores
}

/// The rules that hold in a directory, given those of its parent.
pub(super) fn read(parents: &Ignores, path: &[u8], dir: BorrowedFd<'_>) -> Ignores {
    let ignore = content(dir, b".ignore").ok();
    let gitignore = content(dir, b".gitignore").ok();
    let exclude = excludes(dir).ok();
    let files = IgnoreFiles {
        ignore: ignore.as_deref(),
        gitignore: gitignore.as_deref(),
        exclude: exclude.as_deref(),
    };
    parents.below(path, files)
}

fn excludes(dir: BorrowedFd<'_>) -> Result<Vec<u8>, Errno> {
    let git = open_dir(dir, b".git")?;
    let info = open_dir(&git, b"info")?;
    content(info.as_fd(), b"exclude")
}

/// The content of a regular file, at most as much as counts.
fn content(dir: BorrowedFd<'_>, name: &[u8]) -> Result<Vec<u8>, Errno> {
    let file = open_file(dir, name)?;
    if FileType::from_raw_mode(fstat(&file)?.st_mode) != FileType::RegularFile {
        return Err(Errno::INVAL);
    }
    let mut bytes = vec![0; 4096];
    let mut length = 0;
    // One byte more than counts, so that a cut can be told from an end.
    while length <= MAX_IGNORE_FILE {
        let room = bytes.get_mut(length..).unwrap_or_default();
        match read_up_to(file.as_fd(), room)? {
            0 => break,
            count => length += count,
        }
        if length == bytes.len() {
            bytes.resize(bytes.len() * 2, 0);
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}
