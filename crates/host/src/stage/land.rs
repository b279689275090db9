//! Landing: what is staged takes its place by renames, all of them or none.
//!
//! Where nothing stands, a whole tree moves in one step. Where directories meet,
//! what is in them is moved piece by piece, and files that are replaced change
//! places with the new ones, so that every step can be taken back.

use std::{
    collections::BTreeMap,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use garth_contract::{Clobber, Code, Durability, Error, Landed, Result, WsPath, is_temporary};
use rustix::{
    fs::{FileType, RenameFlags, fstat, renameat, renameat_with, syncfs},
    io::Errno,
};

use super::{
    build::{Build, locate},
    reach::{Missing, Reach, loosen},
};
use crate::{
    absent, descend::open_dir, errno, lock::same_file, look::each_name, temp, tree::stat_name,
};

/// What is done with one staged entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    /// It moves to where nothing is.
    Move,
    /// It changes places with the file or link that is there.
    Exchange,
}

/// A step that was taken, as far as it takes to undo it.
enum Done {
    Moved,
    Exchanged,
    /// What was there was moved aside, under this name, where nothing can exchange.
    Aside(String),
}

/// What moves or changes places, by its path from the base.
type Plan = BTreeMap<WsPath, Act>;

impl Build {
    /// Moves everything to its place.
    pub(crate) fn land(&mut self, clobber: Clobber) -> Result<Landed> {
        self.end()?;
        self.tree.check_access()?;
        self.check_base()?;
        let plan = self.survey(clobber)?;
        self.check_covered(&plan)?;
        self.stamp_inside(&plan)?;
        self.settle()?;
        let mut done = Vec::new();
        let moved = self.carry_out(&plan, &mut done);
        if let Err(error) = moved {
            self.undo(&done);
            return Err(error);
        }
        self.tree.usage.forget();
        let replaced = plan.values().filter(|act| **act == Act::Exchange).count() as u64;
        self.settle()?;
        Ok(Landed { replaced })
    }

    /// The base must be where it was, since rules and links were judged there.
    fn check_base(&self) -> Result<()> {
        let conflict = || Error::at(Code::Conflict, &self.asked);
        let (now, real) = locate(&self.tree, &self.asked).map_err(|_| conflict())?;
        let same = fstat(&now).and_then(|now| Ok(same_file(&now, &fstat(&self.base)?)));
        match same {
            Ok(true) if real == self.real => Ok(()),
            Ok(_) | Err(_) => Err(conflict()),
        }
    }

    /// Finds out what has to move, and refuses what cannot.
    fn survey(&mut self, clobber: Clobber) -> Result<Plan> {
        let mut plan = Plan::new();
        let mut pending = vec![WsPath::root()];
        let mut there = Reach::default();
        while let Some(dir) = pending.pop() {
            let fail = |errno| errno::error(errno, &dir).under(&self.asked);
            let from = self.reach.dir(self.top.as_fd(), &dir, Missing::Refuse).map_err(fail)?;
            let to = there.dir(self.base.as_fd(), &dir, Missing::Refuse).map_err(fail)?;
            for name in names(from).map_err(fail)? {
                let path = dir.join(&name)?;
                let is_dir = |dir| {
                    let stat = stat_name(dir, &name).map_err(fail)?;
                    Ok(stat.map(|stat| FileType::from_raw_mode(stat.st_mode).is_dir()))
                };
                match (is_dir(from)?, is_dir(to)?) {
                    (None, _) => {}
                    (Some(_), None) => {
                        plan.insert(path, Act::Move);
                    }
                    (Some(true), Some(true)) => pending.push(path),
                    (Some(false), Some(false)) if clobber == Clobber::Replace => {
                        plan.insert(path, Act::Exchange);
                    }
                    (Some(_), Some(there)) => return Err(self.taken(&path, there, clobber)),
                }
            }
        }
        Ok(plan)
    }

    fn taken(&self, path: &WsPath, by_dir: bool, clobber: Clobber) -> Error {
        let code = match (clobber, by_dir) {
            (Clobber::Refuse, _) => Code::DestinationExists,
            (Clobber::Replace, true) => Code::NotAFile,
            (Clobber::Replace, false) => Code::NotADirectory,
        };
        Error::at(code, path).under(&self.asked)
    }

    /// Looks once more whether a rule covers something: the hidden directory is no
    /// secret to other programs.
    fn check_covered(&mut self, plan: &Plan) -> Result<()> {
        if self.tree.rules.is_empty() {
            return Ok(());
        }
        for path in plan.keys() {
            let Some((parent, name)) = path.split() else { continue };
            let dir = self.reach.dir(self.top.as_fd(), &parent, Missing::Refuse);
            match dir.and_then(|dir| open_dir(dir, name)) {
                Ok(top) => self.tree.check_below(&path.under(&self.real)?, top)?,
                Err(Errno::NOTDIR | Errno::LOOP | Errno::NOENT) => {}
                Err(errno) => return Err(self.fail(errno, path)),
            }
        }
        Ok(())
    }

    /// Stamps the directories below those that move, the deepest first.
    ///
    /// One that moves itself is stamped after: a directory that may not be written
    /// cannot be moved. One that joins another leaves the other as it is.
    fn stamp_inside(&mut self, plan: &Plan) -> Result<()> {
        let stamps = std::mem::take(&mut self.stamps);
        let mut stamped = Ok(());
        for (path, stamp) in stamps.iter().rev() {
            let mut above = std::iter::successors(path.parent(), WsPath::parent);
            if stamped.is_ok() && above.any(|above| plan.contains_key(&above)) {
                let dir = open_at(&mut self.reach, self.top.as_fd(), path);
                stamped = dir
                    .and_then(|dir| self.stamp(&dir, *stamp))
                    .map_err(|errno| self.fail(errno, path));
            }
        }
        self.stamps = stamps;
        self.reach.forget();
        stamped
    }

    /// Waits for the disk, once for everything: a wait for each of many files would
    /// take as many times as long.
    fn settle(&self) -> Result<()> {
        match self.tree.policy.durability {
            Durability::Synced => {
                syncfs(&self.top).map_err(|errno| self.fail(errno, &WsPath::root()))
            }
            Durability::Fast => Ok(()),
        }
    }

    fn carry_out<'a>(&mut self, plan: &'a Plan, done: &mut Vec<(&'a WsPath, Done)>) -> Result<()> {
        let mut there = Reach::default();
        for (path, act) in plan {
            let Some((parent, name)) = path.split() else { continue };
            let stamp = self.stamps.get(path).copied();
            let mut step = || {
                let from = self.reach.dir(self.top.as_fd(), &parent, Missing::Refuse)?;
                let to = there.dir(self.base.as_fd(), &parent, Missing::Refuse)?;
                let dir = if stamp.is_some() { Some(open_dir(from, name)?) } else { None };
                done.push((path, take(from, to, name, *act)?));
                Ok(dir)
            };
            let moved = step().map_err(|errno| match errno {
                // Somebody was faster.
                Errno::EXIST => Error::at(Code::DestinationExists, path).under(&self.asked),
                errno => self.fail(errno, path),
            })?;
            if let (Some(dir), Some(stamp)) = (moved, stamp) {
                self.stamp(&dir, stamp).map_err(|errno| self.fail(errno, path))?;
            }
        }
        Ok(())
    }

    /// Takes back the steps that were taken, the last one first.
    fn undo(&mut self, done: &[(&WsPath, Done)]) {
        let mut there = Reach::default();
        self.reach.forget();
        for (path, step) in done.iter().rev() {
            let Some((parent, name)) = path.split() else { continue };
            let mut back = || {
                let from = self.reach.dir(self.top.as_fd(), &parent, Missing::Refuse)?;
                let to = there.dir(self.base.as_fd(), &parent, Missing::Refuse)?;
                match step {
                    Done::Moved => {
                        // One that was stamped may not let itself be moved; a file says no.
                        let _ = loosen(to, name);
                        absent::rename((to, name), (from, name))
                    }
                    Done::Exchanged => renameat_with(from, name, to, name, RenameFlags::EXCHANGE),
                    Done::Aside(aside) => {
                        renameat(to, name, from, name)?;
                        renameat(from, aside.as_str(), to, name)
                    }
                }
            };
            // What cannot be taken back stays; the others still can.
            let _: Result<(), Errno> = back();
        }
    }
}

/// Takes one step.
fn take(from: BorrowedFd<'_>, to: BorrowedFd<'_>, name: &[u8], act: Act) -> Result<Done, Errno> {
    match act {
        Act::Move => absent::rename((from, name), (to, name)).map(|()| Done::Moved),
        Act::Exchange => match renameat_with(from, name, to, name, RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                let aside = temp::fresh_name()?;
                renameat(to, name, from, aside.as_str())?;
                if let Err(errno) = renameat(from, name, to, name) {
                    renameat(from, aside.as_str(), to, name)?;
                    return Err(errno);
                }
                Ok(Done::Aside(aside))
            }
            exchanged => exchanged.map(|()| Done::Exchanged),
        },
    }
}

fn open_at(reach: &mut Reach, top: BorrowedFd<'_>, path: &WsPath) -> Result<OwnedFd, Errno> {
    let Some((parent, name)) = path.split() else { return Err(Errno::NOENT) };
    open_dir(reach.dir(top, &parent, Missing::Refuse)?, name)
}

/// The names in a directory, sorted; temporary files of others are none of them.
fn names(dir: BorrowedFd<'_>) -> Result<Vec<Vec<u8>>, Errno> {
    let readable = open_dir(dir, b".")?;
    let mut names = Vec::new();
    each_name(readable.as_fd(), |name, _| {
        if !is_temporary(name) {
            names.push(name.to_vec());
        }
    })?;
    names.sort_unstable();
    Ok(names)
}
