//! What a file is to hold, and the temporary file that holds it until it lands.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    thread,
};

use bytes::Bytes;
use garth_contract::{Guard, Result, Version};
use rustix::{
    fs::{Mode, fstat},
    io::Errno,
};

use super::{Write, write_all};
use crate::{attributes, lock::Locked, sync, temp::Temp, tree::Place};

/// How much content is worth a second thread, which compares the old one and
/// computes the new one's version while the first writes.
const WORTH_A_THREAD: usize = 1 << 20;
/// The mode of a temporary file that nobody else shall read yet.
pub(crate) const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);
/// The mode of a new file, less the process's mask.
const USUAL: Mode = Mode::from_raw_mode(0o666);

/// What a file is to hold.
#[derive(Clone, Copy)]
pub(crate) enum New<'a> {
    /// These bytes.
    Bytes(&'a Bytes),
    /// What came in pieces.
    Came(&'a Came),
}

/// A content that came in pieces, in a temporary file of its own.
pub(crate) struct Came {
    pub(crate) temp: Temp<OwnedFd>,
    pub(crate) version: Version,
}

impl New<'_> {
    pub(crate) fn length(self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Came(came) => came.version.length(),
        }
    }

    /// How many bytes a quota has not been charged for yet.
    pub(super) fn uncharged(self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Came(_) => 0,
        }
    }
}

/// A temporary file with the new content, and the content's version.
pub(super) struct Filled<'a> {
    pub(super) temp: Made<'a>,
    pub(super) version: Version,
}

/// A temporary file, wherever it stands.
pub(super) enum Made<'a> {
    /// It was made beside the target, and is gone when this is dropped.
    Here(Temp<BorrowedFd<'a>>),
    /// It was there before, and stays for another try.
    Before(&'a Temp<OwnedFd>),
}

impl Made<'_> {
    pub(super) fn file(&self) -> BorrowedFd<'_> {
        match self {
            Self::Here(temp) => temp.file(),
            Self::Before(temp) => temp.file(),
        }
    }

    pub(super) fn dir(&self) -> BorrowedFd<'_> {
        match self {
            Self::Here(temp) => temp.dir(),
            Self::Before(temp) => temp.dir(),
        }
    }

    pub(super) fn name(&self) -> &[u8] {
        match self {
            Self::Here(temp) => temp.name().as_bytes(),
            Self::Before(temp) => temp.name().as_bytes(),
        }
    }

    /// Lets go of the name: it was renamed away.
    pub(super) fn keep(&self) {
        match self {
            Self::Here(temp) => temp.keep(),
            Self::Before(temp) => temp.keep(),
        }
    }
}

impl Write<'_> {
    /// A temporary file with the content, and the attributes of what it replaces if
    /// that is what the guard expects.
    pub(super) fn filled(&self, replaced: Option<(&Locked, &Guard)>) -> Result<Filled<'_>> {
        match self.new {
            New::Bytes(bytes) => self.filled_with(bytes, replaced),
            New::Came(came) => {
                if let Some((locked, guard)) = replaced {
                    self.compare(locked, guard)?;
                } else {
                    let usual = usual_mode(self.place).map_err(|errno| self.fail(errno))?;
                    let set = attributes::set_mode(came.temp.file(), usual);
                    set.map_err(|errno| self.fail(errno))?;
                }
                let finished = self.finish_file(came.temp.file(), replaced);
                finished.map_err(|errno| self.fail(errno))?;
                Ok(Filled { temp: Made::Before(&came.temp), version: came.version })
            }
        }
    }

    fn filled_with(
        &self,
        bytes: &Bytes,
        replaced: Option<(&Locked, &Guard)>,
    ) -> Result<Filled<'_>> {
        let examine = || {
            let same = replaced.map_or(Ok(()), |(locked, guard)| self.compare(locked, guard));
            same.map(|()| Version::of(bytes))
        };
        let fill = || {
            let mode = if replaced.is_some() { PRIVATE } else { USUAL };
            let temp = Temp::create(self.place.dir.as_fd(), mode)?;
            write_all(temp.file(), bytes)?;
            self.finish_file(temp.file(), replaced)?;
            Ok(Made::Here(temp))
        };
        if bytes.len() < WORTH_A_THREAD {
            let version = examine()?;
            let temp = fill().map_err(|errno| self.fail(errno))?;
            return Ok(Filled { temp, version });
        }
        let (version, temp) = at_once(examine, fill);
        let version = version?;
        let temp = temp.map_err(|errno: Errno| self.fail(errno))?;
        Ok(Filled { temp, version })
    }

    /// Gives a file that is filled its attributes, and waits for the disk.
    fn finish_file(
        &self,
        file: BorrowedFd<'_>,
        replaced: Option<(&Locked, &Guard)>,
    ) -> Result<(), Errno> {
        if let Some((locked, _)) = replaced {
            attributes::copy(locked.file(), &locked.stat, file)?;
        }
        if let Some(mode) = self.put.mode {
            attributes::set_mode(file, mode)?;
        }
        sync::file(file, self.tree.policy.durability)
    }
}

/// The mode that a new file gets at a place. Nothing tells the process's mask without
/// changing it, so a file is made to see.
fn usual_mode(place: &Place) -> Result<u32, Errno> {
    let probe = Temp::create(place.dir.as_fd(), USUAL)?;
    Ok(fstat(probe.file())?.st_mode)
}

/// Does two things at once, or one after the other where there are no more threads.
fn at_once<A: Send, B>(one: impl Fn() -> A + Sync, other: impl FnOnce() -> B) -> (A, B) {
    let (begun, done) = thread::scope(|scope| {
        let begun = thread::Builder::new().spawn_scoped(scope, &one);
        let done = other();
        (begun.ok().and_then(|begun| begun.join().ok()), done)
    });
    (begun.unwrap_or_else(one), done)
}
