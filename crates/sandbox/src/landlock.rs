//! Eighth layer: what the mounts keep out, kept out once more, and signals with it.
//!
//! A mistake among the mounts, or a handle that was left open, would show more than was
//! meant; Landlock decides by the file itself and does not care how it was reached. Ports
//! are not its business here: the network namespace holds them, and a server inside
//! must be reached from inside.

use std::ffi::CString;

use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{CWD, Mode, OFlags, openat},
    io::Errno,
};

use crate::{
    Refusal,
    act::{Act, During, Failed},
    landlock_unsafe::{Handled, allow, create, restrict, version},
    mounts::Reach,
};

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_BLOCK: u64 = 1 << 11;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;

/// All rights on files that a generation knows, from the second on. The first cannot
/// allow a rename from one directory to another, so it is of no use here.
const FILES: &[(u32, u64)] = &[(2, (1 << 14) - 1), (3, (1 << 15) - 1), (5, (1 << 16) - 1)];

/// From this generation on, abstract sockets and signals can be kept in.
const SCOPED_SINCE: u32 = 6;

/// Abstract unix sockets, and signals.
const SCOPED: u64 = 0b11;

/// The ruleset, ready to be made.
#[derive(Debug)]
pub(crate) struct Landlock {
    handled: Handled,
}

/// Looks what the kernel has.
///
/// *Errors*: `Landlock` where it has none, or only the first generation.
pub(crate) fn prepare() -> Result<Landlock, Refusal> {
    let version = version().during(Act::LandlockMake)?;
    let known = FILES.iter().rev().find(|(since, _)| *since <= version);
    let (_, files) = known.ok_or(Refusal::of(Act::LandlockMake, "its generation is too old"))?;
    let scoped = if version >= SCOPED_SINCE { SCOPED } else { 0 };
    Ok(Landlock { handled: Handled { files: *files, ports: 0, scoped } })
}

fn rights(reach: Reach) -> u64 {
    match reach {
        Reach::List => READ_DIR,
        Reach::Read => READ_DIR | READ_FILE,
        Reach::Run => READ_DIR | READ_FILE | EXECUTE,
        Reach::Program => READ_FILE | EXECUTE,
        Reach::Devices => READ_DIR | READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV,
        Reach::All => !(MAKE_CHAR | MAKE_BLOCK),
    }
}

/// Adds a rule. A file without a place, such as one in memory, or a namespace to some
/// kernels, needs none.
fn allowed(ruleset: &OwnedFd, place: impl AsFd, rights: u64) -> Result<(), Failed> {
    match allow(ruleset, place, rights) {
        Ok(()) | Err(Errno::BADFD) => Ok(()),
        Err(errno) => Err(Failed { act: Act::LandlockRule, errno }),
    }
}

impl Landlock {
    /// Makes the ruleset and obeys it. In the new process, once its tree is there.
    pub(crate) fn enter(
        &self,
        reaches: &[(CString, Reach)],
        program: Option<&OwnedFd>,
    ) -> Result<(), Failed> {
        let ruleset = create(&self.handled).during(Act::LandlockMake)?;
        for (path, reach) in reaches {
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let place = openat(CWD, &**path, flags, Mode::empty()).during(Act::LandlockRule)?;
            let rights = rights(*reach) & self.handled.files;
            allowed(&ruleset, place, rights)?;
        }
        if let Some(program) = program {
            allowed(&ruleset, program, READ_FILE | EXECUTE)?;
        }
        restrict(&ruleset).during(Act::LandlockEnter)
    }
}
