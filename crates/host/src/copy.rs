//! Moving between devices: copy whole beside the target, land it, then remove.
//!
//! Until the copy has taken the target's name, the source is untouched; an
//! interruption leaves the source, or both, never neither.

use std::os::fd::{AsFd, BorrowedFd};

use garth_contract::{Clobber, Code, Durability, Error, Result, is_temporary};
use rustix::{
    fs::{
        AtFlags, FileType, FlockOperation, Mode, OFlags, Stat, flock, fstat, openat, readlinkat,
        renameat, symlinkat, unlinkat,
    },
    io::Errno,
};

use crate::{
    absent, attributes,
    descend::{Enter, Step, Visitor, descend, open_dir},
    errno,
    look::each_name,
    sync, temp,
    tree::{Place, Tree, stat_name},
    write::write_all,
};

/// How deep a tree may be that is copied; two handles a level stay open.
const MAX_DEPTH: usize = 200;
/// How much is copied at a time.
const CHUNK: usize = 256 << 10;

/// A directory and a name in it.
type Named<'a> = (&'a Place, &'a [u8]);

/// Moves by copy and removal.
pub(crate) fn across_devices(
    tree: &Tree,
    source: Named<'_>,
    target: Named<'_>,
    clobber: Clobber,
) -> Result<()> {
    let fail = |errno| errno::error(errno, &target.0.path);
    let durability = tree.policy.durability;
    let hidden = temp::fresh_name().map_err(fail)?;
    let copied = copy(
        Entry { dir: source.0.dir.as_fd(), name: source.1 },
        Entry { dir: target.0.dir.as_fd(), name: hidden.as_bytes() },
        durability,
        0,
    );
    let landed = copied.and_then(|()| match clobber {
        Clobber::Refuse => {
            let dir = target.0.dir.as_fd();
            absent::rename((dir, hidden.as_bytes()), (dir, target.1))
        }
        Clobber::Replace => renameat(&target.0.dir, &hidden, &target.0.dir, target.1),
    });
    if let Err(errno) = landed {
        // The source is whole; what was copied goes.
        let _ = discard(target.0.dir.as_fd(), hidden.as_bytes());
        return Err(match errno {
            Errno::EXIST => Error::at(Code::DestinationExists, &target.0.path),
            errno => fail(errno),
        });
    }
    sync::dir(&target.0.dir, durability).map_err(fail)?;
    discard(source.0.dir.as_fd(), source.1).map_err(fail)
}

#[derive(Clone, Copy)]
struct Entry<'a> {
    dir: BorrowedFd<'a>,
    name: &'a [u8],
}

fn copy(from: Entry<'_>, to: Entry<'_>, durability: Durability, depth: usize) -> Result<(), Errno> {
    let stat = stat_name(from.dir, from.name)?.ok_or(Errno::NOENT)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => copy_file(from, to, durability),
        FileType::Symlink => {
            let target = readlinkat(from.dir, from.name, Vec::new())?;
            symlinkat(target, to.dir, to.name)
        }
        FileType::Directory if depth < MAX_DEPTH => copy_dir(from, to, &stat, (durability, depth)),
        FileType::Directory
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => Err(Errno::OPNOTSUPP),
    }
}

fn copy_file(from: Entry<'_>, to: Entry<'_>, durability: Durability) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let source = openat(from.dir, from.name, flags, Mode::empty())?;
    let stat = fstat(&source)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let target = openat(to.dir, to.name, flags, Mode::RUSR | Mode::WUSR)?;
    let mut buffer = vec![0; CHUNK];
    loop {
        match rustix::io::read(&source, buffer.as_mut_slice()) {
            Ok(0) => break,
            Ok(count) => write_all(target.as_fd(), buffer.get(..count).unwrap_or_default())?,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    attributes::copy(source.as_fd(), &stat, target.as_fd())?;
    attributes::set_times(target.as_fd(), &stat)?;
    sync::file(&target, durability)
}

fn copy_dir(
    from: Entry<'_>,
    to: Entry<'_>,
    stat: &Stat,
    (durability, depth): (Durability, usize),
) -> Result<(), Errno> {
    let source = open_dir(from.dir, from.name)?;
    rustix::fs::mkdirat(to.dir, to.name, Mode::RWXU)?;
    let target = open_dir(to.dir, to.name)?;
    // A sweep passes over what is locked.
    let _ = flock(&target, FlockOperation::NonBlockingLockExclusive);
    let mut names = Vec::new();
    each_name(source.as_fd(), |name, _| names.push(name.to_vec()))?;
    for name in names.iter().filter(|name| !is_temporary(name)) {
        let inside = Entry { dir: source.as_fd(), name };
        copy(inside, Entry { dir: target.as_fd(), name }, durability, depth + 1)?;
    }
    attributes::copy(source.as_fd(), stat, target.as_fd())?;
    attributes::set_times(target.as_fd(), stat)?;
    sync::dir(&target, durability)
}

/// Removes an entry and everything below it.
pub(crate) fn discard(dir: BorrowedFd<'_>, name: &[u8]) -> Result<(), Errno> {
    match unlinkat(dir, name, AtFlags::empty()) {
        Err(Errno::ISDIR) => {
            descend(open_dir(dir, name)?, &mut Discard)?;
            unlinkat(dir, name, AtFlags::REMOVEDIR)
        }
        removed => removed,
    }
}

struct Discard;

impl Visitor for Discard {
    fn entry(&mut self, step: &Step<'_>) -> Result<(), Errno> {
        unlinkat(step.dir, step.name, AtFlags::empty())
    }

    fn enter(&mut self, _: &Step<'_>) -> Result<Enter, Errno> {
        Ok(Enter::In)
    }

    fn leave(&mut self, step: &Step<'_>) -> Result<(), Errno> {
        unlinkat(step.dir, step.name, AtFlags::REMOVEDIR)
    }
}
