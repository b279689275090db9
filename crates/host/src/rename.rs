//! `rename`: an entry moves in one step, or between devices by copy and removal.

use std::os::fd::AsFd;

use garth_contract::{Clobber, Code, Error, Kind, Links, Move, Renamed, Result, WsPath};
use rustix::{
    fs::{AtFlags, FileType, Stat, renameat, unlinkat},
    io::Errno,
};

use crate::{
    absent, copy,
    descend::open_dir,
    errno,
    lock::{self, same_file},
    look, sync,
    tree::{Coming, Place, Tree, stat_name},
    walk,
};

pub(crate) fn rename(tree: &Tree, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
    tree.check_access()?;
    for path in [from, to] {
        if path.is_root() {
            return Err(Error::at(Code::CannotDeleteRoot, path));
        }
    }
    // Both are walked to, since only real paths tell what is inside of what.
    let source = walk::locate(tree, from, Links::Keep)
        .map_err(|error| error.recode(Code::FileNotFound, Code::SourceNotFound))?;
    tree.check_change(&source)?;
    let stat = source.stat()?.ok_or_else(|| Error::at(Code::SourceNotFound, from))?;
    let kind = look::kind(FileType::from_raw_mode(stat.st_mode));
    source.check_kind(kind, from)?;
    let check = |path: &WsPath| check_loop(&source.path, path, kind);
    let coming = Coming { stands: kind.into(), parents: how.parents, check: &check };
    let located = walk::locate_for(tree, to, Links::Keep, coming.stands);
    let target = tree.or_make_parents(located, to, Links::Keep, coming)?;
    tree.check_change(&target)?;
    check(&target.path)?;
    let (source_name, target_name) =
        (source.name(Code::CannotDeleteRoot)?, target.name(Code::CannotDeleteRoot)?);
    if kind == Kind::Dir {
        for path in [&source.path, &target.path] {
            let top = open_dir(&source.dir, source_name);
            tree.check_below(path, top.map_err(|errno| errno::error(errno, from))?)?;
        }
    }
    let mover = Mover { tree, source: (&source, source_name), target: (&target, target_name) };
    mover.run(&stat, kind, how.clobber)
}

/// A directory cannot move to a place inside itself.
fn check_loop(from: &WsPath, to: &WsPath, kind: Kind) -> Result<()> {
    let inside = to.below(from).is_some_and(|rest| !rest.is_empty());
    if inside && kind == Kind::Dir {
        return Err(Error::at(Code::CannotMoveToSubdirectory, to));
    }
    Ok(())
}

struct Mover<'a> {
    tree: &'a Tree,
    source: (&'a Place, &'a [u8]),
    target: (&'a Place, &'a [u8]),
}

impl Mover<'_> {
    fn run(&self, stat: &Stat, kind: Kind, clobber: Clobber) -> Result<Renamed> {
        let there = stat_name(self.target.0.dir.as_fd(), self.target.1)
            .map_err(|errno| self.fail(errno))?;
        if there.is_some() && self.same_name() {
            return Ok(Renamed { kind, replaced: false });
        }
        let replaced = there.is_some();
        let moved = match clobber {
            Clobber::Refuse if replaced => Err(Errno::EXIST),
            Clobber::Refuse => self.absent(),
            Clobber::Replace if there.is_some_and(|there| same_file(&there, stat)) => {
                // Two names of one file: the kernel would leave both.
                unlinkat(&self.source.0.dir, self.source.1, AtFlags::empty())
            }
            Clobber::Replace => self.over(),
        };
        match moved {
            Ok(()) => {}
            Err(Errno::XDEV) => {
                copy::across_devices(self.tree, self.source, self.target, clobber)?;
            }
            Err(errno) => return Err(self.refusal(errno, clobber)),
        }
        self.tree.usage.forget();
        self.settle().map_err(|errno| self.fail(errno))?;
        Ok(Renamed { kind, replaced })
    }

    fn same_name(&self) -> bool {
        self.source.0.path == self.target.0.path
    }

    fn absent(&self) -> Result<(), Errno> {
        let ((source, from), (target, to)) = (self.source, self.target);
        let (from, to) = ((source.dir.as_fd(), from), (target.dir.as_fd(), to));
        match absent::at_once(from, to) {
            Err(errno) if absent::is_unknown(errno) => {
                // Nobody of us writes it between the steps. What is no file is not written.
                let _held = lock::lock(source, from.1, lock::PATIENCE);
                absent::in_steps(from, to)
            }
            renamed => renamed,
        }
    }

    fn over(&self) -> Result<(), Errno> {
        let ((source, from), (target, to)) = (self.source, self.target);
        renameat(&source.dir, from, &target.dir, to)
    }

    fn settle(&self) -> Result<(), Errno> {
        let durability = self.tree.policy.durability;
        sync::dir(&self.target.0.dir, durability)?;
        sync::dir(&self.source.0.dir, durability)
    }

    fn refusal(&self, errno: Errno, clobber: Clobber) -> Error {
        let at = |code| Error::at(code, &self.target.0.path);
        match (errno, clobber) {
            (Errno::EXIST, Clobber::Refuse) => at(Code::DestinationExists),
            (Errno::EXIST | Errno::NOTEMPTY, _) => at(Code::DirectoryNotEmpty),
            (Errno::INVAL, _) => at(Code::CannotMoveToSubdirectory),
            (Errno::NOENT, _) => Error::at(Code::SourceNotFound, &self.source.0.path),
            (errno, _) => self.fail(errno),
        }
    }

    fn fail(&self, errno: Errno) -> Error {
        errno::error(errno, &self.target.0.path)
    }
}
