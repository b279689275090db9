//! `remove`: an entry, or an entry and everything below it.
//!
//! A tree first takes a temporary name in one step and is then taken apart, so
//! that a crash in the middle leaves the whole tree or none of it to be seen, and
//! nobody can swap a part of it for a link while it goes.

use std::os::fd::{AsFd, BorrowedFd};

use garth_contract::{Code, Depth, Error, Kind, Links, Removed, Result, WsPath, is_temporary};
use rustix::{
    fs::{AtFlags, FileType, FlockOperation, flock, renameat, unlinkat},
    io::Errno,
};

use crate::{
    absent,
    descend::{Enter, Step, Visitor, descend, open_dir},
    errno, look, sweep, sync, temp,
    tree::{Place, TRIES, Tree},
};

pub(crate) fn remove(tree: &Tree, path: &WsPath, depth: Depth) -> Result<Removed> {
    tree.check_access()?;
    if path.is_root() {
        return Err(Error::at(Code::CannotDeleteRoot, path));
    }
    let place = tree.locate(path, Links::Keep)?;
    tree.check_change(&place)?;
    let name = place.name(Code::CannotDeleteRoot)?;
    for _ in 0..TRIES {
        let Some(stat) = place.stat()? else { return Err(Error::at(Code::FileNotFound, path)) };
        let kind = look::kind(FileType::from_raw_mode(stat.st_mode));
        place.check_kind(kind, path)?;
        let removed = match (kind, depth) {
            (Kind::Dir, Depth::One) => remove_empty(place.dir.as_fd(), name).map(|()| 1),
            (Kind::Dir, Depth::All) => Ok(remove_tree(tree, &place, name)?),
            _ => unlinkat(&place.dir, name, AtFlags::empty()).map(|()| 1),
        };
        match removed {
            Ok(count) => {
                tree.usage.forget();
                sync::dir(&place.dir, tree.policy.durability)
                    .map_err(|errno| errno::error(errno, path))?;
                return Ok(Removed { kind, count });
            }
            // It was swapped for something of another kind since it was looked at.
            Err(Errno::NOTDIR | Errno::ISDIR) => {}
            Err(errno) => return Err(errno::error(errno, path)),
        }
    }
    Err(Error::at(Code::Conflict, path))
}

/// Removes an empty directory; what a crash of ours left in it does not count.
fn remove_empty(dir: BorrowedFd<'_>, name: &[u8]) -> Result<(), Errno> {
    match unlinkat(dir, name, AtFlags::REMOVEDIR) {
        Err(Errno::NOTEMPTY | Errno::EXIST) => {
            sweep::leftovers(open_dir(dir, name)?.as_fd())?;
            unlinkat(dir, name, AtFlags::REMOVEDIR).map_err(|errno| match errno {
                Errno::EXIST => Errno::NOTEMPTY,
                errno => errno,
            })
        }
        removed => removed,
    }
}

fn remove_tree(tree: &Tree, place: &Place, name: &[u8]) -> Result<u64> {
    let fail = |errno| errno::error(errno, &place.path);
    let hidden = temp::fresh_name().map_err(fail)?;
    // Locked before it takes the name that a sweep looks for.
    let held = open_dir(place.dir.as_fd(), name).map_err(fail)?;
    let _ = flock(&held, FlockOperation::NonBlockingLockExclusive);
    renameat(&place.dir, name, &place.dir, &hidden).map_err(fail)?;
    let taken = take_apart(tree, place, &hidden);
    if taken.is_err() {
        give_back(place.dir.as_fd(), hidden.as_bytes(), name);
    }
    taken
}

/// Gives a directory its name back, unless somebody has taken the name.
fn give_back(dir: BorrowedFd<'_>, hidden: &[u8], name: &[u8]) {
    let _ = absent::rename((dir, hidden), (dir, name));
}

fn take_apart(tree: &Tree, place: &Place, hidden: &str) -> Result<u64> {
    let fail = |errno| errno::error(errno, &place.path);
    let open = || open_dir(place.dir.as_fd(), hidden.as_bytes()).map_err(fail);
    tree.check_below(&place.path, open()?)?;
    let mut removal = Removal { count: 0 };
    descend(open()?, &mut removal).map_err(fail)?;
    unlinkat(&place.dir, hidden, AtFlags::REMOVEDIR).map_err(fail)?;
    Ok(removal.count + 1)
}

/// Removes what it meets, and each directory when it leaves it.
struct Removal {
    count: u64,
}

impl Visitor for Removal {
    fn entry(&mut self, step: &Step<'_>) -> Result<(), Errno> {
        match unlinkat(step.dir, step.name, AtFlags::empty()) {
            Ok(()) => self.count += u64::from(!is_temporary(step.name)),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno),
        }
        Ok(())
    }

    fn enter(&mut self, _: &Step<'_>) -> Result<Enter, Errno> {
        Ok(Enter::In)
    }

    fn leave(&mut self, step: &Step<'_>) -> Result<(), Errno> {
        unlinkat(step.dir, step.name, AtFlags::REMOVEDIR)?;
        self.count += 1;
        Ok(())
    }
}
