//! `stat` and `list`: looking at entries without opening what they are.

use std::{
    cmp::Ordering,
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use garth_contract::{
    Code, Entry, Error, Glance, Glimpse, Kind, Links, Listing, Page, Result, WsPath, is_temporary,
    told_link,
};
use garth_search::Stands;
use rustix::{
    fs::{FileType, OFlags, RawDir, Stat, fstat, readlinkat},
    io::Errno,
};

use crate::{
    errno,
    tree::{Tree, fold_of, is_link, stat_name},
    walk,
};

/// Room for a few hundred entries a call.
const DIR_BUFFER: usize = 32 << 10;
/// How many names beyond the wanted ones are kept before the largest are dropped.
const SLACK: usize = 4096;

pub(crate) fn stat(tree: &Tree, path: &WsPath, links: Links) -> Result<Entry> {
    let handle = tree.open_at(path, OFlags::PATH, links)?;
    let stat = fstat(handle).map_err(|errno| errno::error(errno, path))?;
    Ok(entry(path.clone(), &stat))
}

/// What [`stat`] gives, where the kernel knows it without waiting for a disk.
pub(crate) fn stat_cached(tree: &Tree, path: &WsPath, links: Links) -> Option<Entry> {
    if let Some(stat) = tree.look_lately(path, links) {
        return Some(entry(path.clone(), &stat));
    }
    let handle = tree.open_cached(path, OFlags::PATH, links)?;
    let stat = fstat(handle).ok()?;
    tree.found(path);
    Some(entry(path.clone(), &stat))
}

/// What a link says, judged by where it really is.
pub(crate) fn read_link(tree: &Tree, path: &WsPath) -> Result<Bytes> {
    let place = walk::locate(tree, path, Links::Keep)?;
    let stat = place.stat()?.ok_or_else(|| Error::at(Code::FileNotFound, path))?;
    let Some(name) = place.name.as_deref().filter(|_| is_link(&stat)) else {
        return Err(Error::not_a_link(path));
    };
    match readlinkat(&place.dir, name, Vec::new()) {
        Ok(target) => Ok(told_link(&place.path, target.as_bytes(), tree.links())),
        // Something else was put there since.
        Err(Errno::INVAL) => Err(Error::not_a_link(path)),
        Err(errno) => Err(errno::error(errno, path)),
    }
}

pub(crate) fn list(tree: &Tree, path: &WsPath, page: Page) -> Result<Listing> {
    let (dir, real) = tree.open_dir_at(path)?;
    let fail = |errno| errno::error(errno, path);
    let fold = (!tree.rules.is_empty()).then(|| fold_of(&dir));
    let denied = |name: &[u8], told: FileType| {
        fold.is_some_and(|fold| {
            real.join(name).is_ok_and(|path| {
                let stands = stands(dir.as_fd(), name, told);
                tree.rules.denies(path.as_bytes(), fold, stands)
            })
        })
    };
    let (names, total) =
        names(dir.as_fd(), page, |name, told| !denied(name, told)).map_err(fail)?;
    let mut entries = Vec::with_capacity(names.len());
    for (name, _) in names {
        // One that went away since is not there; that is no error.
        if let Some(stat) = stat_name(dir.as_fd(), &name).map_err(fail)? {
            entries.push(entry(path.join(&name)?, &stat));
        }
    }
    Ok(Listing { entries, total })
}

/// What [`list`] gives of a directory without rules, but for the looks at files.
pub(crate) fn glance(dir: BorrowedFd<'_>, path: &WsPath, page: Page) -> Result<Glance> {
    let fail = |errno| errno::error(errno, path);
    let (names, total) = names(dir, page, |_, _| true).map_err(fail)?;
    let mut entries = Vec::with_capacity(names.len());
    for (name, told) in names {
        if told == FileType::RegularFile {
            entries.push(Glimpse::File(path.join(&name)?));
        } else if let Some(stat) = stat_name(dir, &name).map_err(fail)? {
            entries.push(Glimpse::Entry(entry(path.join(&name)?, &stat)));
        }
    }
    Ok(Glance { entries, total })
}

/// A name, and what a directory tells it to be.
type Told = (Vec<u8>, FileType);

/// The names on a page of a directory, each with what it is told to be, and how many
/// there are in all.
fn names(
    dir: BorrowedFd<'_>,
    page: Page,
    shows: impl Fn(&[u8], FileType) -> bool,
) -> Result<(Vec<Told>, u64), Errno> {
    let wanted = usize::try_from(page.skip.saturating_add(page.take)).unwrap_or(usize::MAX);
    let mut smallest = Smallest { wanted, names: Vec::new() };
    let mut total = 0;
    each_name(dir, |name, told| {
        if !is_temporary(name) && shows(name, told) {
            total += 1;
            smallest.push(name, told);
        }
    })?;
    let mut names = smallest.into_sorted();
    let skip = usize::try_from(page.skip).unwrap_or(usize::MAX);
    names.drain(..skip.min(names.len()));
    Ok((names, total))
}

/// What an entry is to a rule; not every file system tells along with the name.
fn stands(dir: BorrowedFd<'_>, name: &[u8], told: FileType) -> Stands {
    if told != FileType::Unknown {
        return kind(told).into();
    }
    let stat = stat_name(dir, name).ok().flatten();
    stat.map_or(Stands::Other, |stat| kind_of(&stat).into())
}

/// The smallest of many names, in bounded memory.
struct Smallest {
    wanted: usize,
    names: Vec<Told>,
}

impl Smallest {
    fn push(&mut self, name: &[u8], told: FileType) {
        self.names.push((name.to_vec(), told));
        if self.names.len() >= self.wanted.saturating_mul(2).saturating_add(SLACK) {
            self.names.select_nth_unstable_by(self.wanted, by_name);
            self.names.truncate(self.wanted);
        }
    }

    fn into_sorted(mut self) -> Vec<Told> {
        self.names.sort_unstable_by(by_name);
        self.names.truncate(self.wanted);
        self.names
    }
}

fn by_name(one: &Told, other: &Told) -> Ordering {
    one.0.cmp(&other.0)
}

/// Calls `visit` for each entry of a directory but `.` and `..`.
pub(crate) fn each_name(
    dir: BorrowedFd<'_>,
    mut visit: impl FnMut(&[u8], FileType),
) -> Result<(), Errno> {
    let mut buffer = vec![MaybeUninit::uninit(); DIR_BUFFER];
    let mut entries = RawDir::new(dir, &mut buffer);
    while let Some(found) = entries.next() {
        let found = found?;
        let name = found.file_name().to_bytes();
        if name != b"." && name != b".." {
            visit(name, found.file_type());
        }
    }
    Ok(())
}

/// An entry of the contract out of what the kernel says.
pub(crate) fn entry(path: WsPath, stat: &Stat) -> Entry {
    let kind = kind_of(stat);
    Entry {
        path,
        kind,
        size: if kind == Kind::File { size(stat) } else { 0 },
        modified: modified(stat),
        mode: Some(stat.st_mode & 0o7777),
    }
}

pub(crate) fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

pub(crate) fn modified(stat: &Stat) -> Option<SystemTime> {
    let nanos = u32::try_from(stat.st_mtime_nsec).ok()?;
    let seconds = stat.st_mtime;
    match u64::try_from(seconds) {
        Ok(after) => UNIX_EPOCH.checked_add(Duration::new(after, nanos)),
        Err(_) => UNIX_EPOCH
            .checked_sub(Duration::from_secs(seconds.unsigned_abs()))?
            .checked_add(Duration::from_nanos(nanos.into())),
    }
}

pub(crate) fn kind_of(stat: &Stat) -> Kind {
    kind(FileType::from_raw_mode(stat.st_mode))
}

pub(crate) fn kind(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Dir,
        FileType::Symlink => Kind::Symlink,
        FileType::Fifo => Kind::Fifo,
        FileType::Socket => Kind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => Kind::Device,
    }
}
