//! A walk down a directory tree by handles, with a bound on how many are open.
//!
//! It is what removal, counting and sweeping share. Links are entries, never
//! followed; a directory is opened by its name in its parent's handle.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::{
    fs::{FileType, Mode, OFlags, openat},
    io::{Errno, Result},
};

use crate::{
    look::{each_name, size},
    tree::stat_name,
};

/// How many directory handles a walk holds, however deep the tree is.
const MAX_HANDLES: usize = 64;

/// What a walk does with what it meets.
pub(crate) trait Visitor {
    /// Meets something that is not a directory.
    fn entry(&mut self, step: &Step<'_>) -> Result<()>;
    /// Meets a directory, before its entries; says whether to go in.
    fn enter(&mut self, step: &Step<'_>) -> Result<Enter>;
    /// Leaves a directory after its entries.
    fn leave(&mut self, step: &Step<'_>) -> Result<()>;
}

/// Whether a walk goes into a directory.
pub(crate) enum Enter {
    In,
    Past,
}

/// One entry met on the way.
pub(crate) struct Step<'a> {
    /// The directory that holds it.
    pub(crate) dir: BorrowedFd<'a>,
    /// Its name there.
    pub(crate) name: &'a [u8],
    /// Its path below the top of the walk.
    pub(crate) below: &'a [u8],
}

struct Level {
    name: Vec<u8>,
    handle: Option<OwnedFd>,
    entries: Vec<(Vec<u8>, FileType)>,
}

/// Walks everything below `top`, depth first.
pub(crate) fn descend(top: OwnedFd, visitor: &mut impl Visitor) -> Result<()> {
    let mut levels = vec![level(Vec::new(), top)?];
    let mut below = Vec::new();
    loop {
        ensure_handle(&mut levels)?;
        let Some(current) = levels.last_mut() else { return Ok(()) };
        let Some(handle) = current.handle.as_ref() else { return Err(Errno::BADF) };
        let Some((name, file_type)) = current.entries.pop() else {
            let done = levels.pop();
            ensure_handle(&mut levels)?;
            let Some(parent) = levels.last().and_then(|level| level.handle.as_ref()) else {
                return Ok(());
            };
            let Some(done) = done else { return Ok(()) };
            visitor.leave(&Step { dir: parent.as_fd(), name: &done.name, below: &below })?;
            below.truncate(below.len().saturating_sub(done.name.len() + 1));
            continue;
        };
        below.push(b'/');
        below.extend_from_slice(&name);
        let step = Step { dir: handle.as_fd(), name: &name, below: &below };
        match open_child(&step, file_type)? {
            Some(child) if matches!(visitor.enter(&step)?, Enter::In) => {
                levels.push(level(name, child)?);
                bound_handles(&mut levels);
                continue;
            }
            Some(_) => {}
            None => visitor.entry(&step)?,
        }
        below.truncate(below.len() - name.len() - 1);
    }
}

/// Opens an entry if it is a directory.
fn open_child(step: &Step<'_>, file_type: FileType) -> Result<Option<OwnedFd>> {
    match file_type {
        FileType::Directory | FileType::Unknown => {}
        FileType::RegularFile
        | FileType::Symlink
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice => return Ok(None),
    }
    match open_dir(step.dir, step.name) {
        Ok(child) => Ok(Some(child)),
        // It is something else than it was, or than the file system told.
        Err(Errno::NOTDIR | Errno::LOOP | Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Opens a directory by its name in another, and nothing else by that name.
pub(crate) fn open_dir(dir: impl AsFd, name: &[u8]) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(dir, name, flags, Mode::empty())
}

fn level(name: Vec<u8>, handle: OwnedFd) -> Result<Level> {
    let mut entries = Vec::new();
    each_name(handle.as_fd(), |name, file_type| entries.push((name.to_vec(), file_type)))?;
    Ok(Level { name, handle: Some(handle), entries })
}

/// Closes the handle that is farthest up, the top's excepted.
fn bound_handles(levels: &mut [Level]) {
    if let Some(index) = levels.len().checked_sub(MAX_HANDLES)
        && index > 0
        && let Some(level) = levels.get_mut(index)
    {
        level.handle = None;
    }
}

/// Opens the last level's handle again by the names that led to it.
fn ensure_handle(levels: &mut [Level]) -> Result<()> {
    if levels.last().is_none_or(|level| level.handle.is_some()) {
        return Ok(());
    }
    let keep_from = levels.len().saturating_sub(MAX_HANDLES);
    let Some((top, rest)) = levels.split_first_mut() else { return Ok(()) };
    let Some(top) = top.handle.as_ref() else { return Err(Errno::BADF) };
    let mut current = openat(top, c".", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    for (index, level) in rest.iter_mut().enumerate() {
        let next = open_dir(&current, &level.name)?;
        if index + 1 >= keep_from {
            current = openat(&next, c".", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
            level.handle = Some(next);
        } else {
            current = next;
        }
    }
    Ok(())
}

/// Adds up the sizes of the files it meets.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    pub(crate) bytes: u64,
}

impl Visitor for Sum {
    fn entry(&mut self, step: &Step<'_>) -> Result<()> {
        if let Some(stat) = stat_name(step.dir, step.name)?
            && FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
        {
            self.bytes = self.bytes.saturating_add(size(&stat));
        }
        Ok(())
    }

    fn enter(&mut self, _: &Step<'_>) -> Result<Enter> {
        Ok(Enter::In)
    }

    fn leave(&mut self, _: &Step<'_>) -> Result<()> {
        Ok(())
    }
}
