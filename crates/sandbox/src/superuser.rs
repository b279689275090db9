//! The superuser of a sandbox whose system is its own: a number, and no power.
//!
//! A sandbox has one id, which is user 1000 in its user namespace. Below that one lies a
//! second, in which the same id is user 0, for programs that insist on it. Nothing was made
//! in that namespace, and the filter lets nothing be made: no mount, no network, no
//! process belongs to it, so its capabilities are about nothing but the id's own files.
//! `sudo` (`sudo.rs`) enters it and gives them up all the same.

use std::os::fd::{AsFd, OwnedFd};

use rustix::{
    fs::{Mode, OFlags, openat},
    io::Errno,
    process::{Resource, Rlimit, WaitId, WaitIdOptions, getrlimit, setrlimit, waitid},
    thread::UnshareFlags,
};

use crate::{
    Refusal,
    act::{Act, During, Failed},
    clone_unsafe::{Lease, Memory, Stack, clone, clone_on},
    ids::{INSIDE, Ids, Lent},
    program_unsafe,
};

/// Where its namespace is inside.
pub(crate) const NAMESPACE: &str = "/run/garth/superuser";

/// Where the program is inside that enters it, where the system is the sandbox's own.
pub const SUDO: &str = "/run/garth/sudo";

/// The two namespaces of a sandbox, made or to be made.
#[derive(Debug)]
pub(crate) struct Superuser {
    /// The one that the program will be in, where root made it ahead.
    own: Option<OwnedFd>,
    /// The one below it; until it is made, a place for its handle.
    below: OwnedFd,
    lent: Lent,
    processes: u64,
    stack: Stack,
}

/// Makes the namespaces where root can, ahead of the mounts that show one of them.
///
/// *Errors*: `Ids` where the kernel has no room for them.
pub(crate) fn prepare(ids: &Ids, processes: u64) -> Result<Superuser, Refusal> {
    let place =
        || ids.lent().proc.try_clone().map_err(|_| Refusal::at(Act::Superuser, Errno::MFILE));
    let superuser = Superuser {
        own: match ids {
            Ids::Own(_) => None,
            Ids::Runner(_) => Some(place()?),
        },
        below: place()?,
        lent: Lent::new((0, 0), (INSIDE, INSIDE))?,
        processes,
        stack: Stack::new(),
    };
    if let (Ids::Runner(lent), Some(own)) = (ids, &superuser.own) {
        let make = || {
            lent.enter()?;
            leave(lent, own)?;
            superuser.descend()
        };
        let task = || exit_code(make());
        let lease = Lease::shared_alone();
        let made = clone(libc::CLONE_FILES, lease.memory, &task).during(Act::Superuser)?;
        drop(lease);
        ended(&made.handle)?;
    }
    Ok(superuser)
}

impl Superuser {
    /// The namespace that the program is to be in, where it was made ahead.
    pub(crate) fn own(&self) -> Option<&OwnedFd> {
        self.own.as_ref()
    }

    /// The namespace in which its id is user 0.
    pub(crate) fn below(&self) -> &OwnedFd {
        &self.below
    }

    /// Makes the second namespace below the one that this process is in. In the new process,
    /// where nothing was made ahead.
    pub(crate) fn make(&self) -> Result<(), Failed> {
        if self.own.is_some() {
            return Ok(());
        }
        let task = || exit_code(self.descend());
        let made = clone_on(&self.stack, libc::CLONE_FILES, Memory::Shared, &task);
        ended(&made.during(Act::Superuser)?.handle)
    }

    /// Makes it, in a process that ends, and leaves its handle.
    fn descend(&self) -> Result<(), Failed> {
        // What is counted below counts above too, by the bound that holds when it is made.
        let most = getrlimit(Resource::Nproc).maximum.unwrap_or(u64::MAX).min(self.processes);
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        setrlimit(Resource::Nproc, limit).during(Act::Superuser)?;
        program_unsafe::unshare(UnshareFlags::NEWUSER).during(Act::Superuser)?;
        self.lent.map()?;
        leave(&self.lent, &self.below)
    }
}

/// Leaves the user namespace of this process in place of a handle.
fn leave(lent: &Lent, place: &OwnedFd) -> Result<(), Failed> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let namespace = openat(&lent.proc, c"self/ns/user", flags, Mode::empty());
    let namespace = namespace.during(Act::Superuser)?;
    program_unsafe::replace(place, &namespace).during(Act::Superuser)
}

fn exit_code(done: Result<(), Failed>) -> i32 {
    match done {
        Ok(()) => 0,
        Err(failed) => failed.errno.raw_os_error(),
    }
}

/// Waits for the end of such a process, which says what went wrong.
fn ended(handle: &OwnedFd) -> Result<(), Failed> {
    let ended = waitid(WaitId::PidFd(handle.as_fd()), WaitIdOptions::EXITED);
    let code = ended.during(Act::Superuser)?.and_then(|status| status.exit_status());
    match code {
        Some(0) => Ok(()),
        Some(errno) => Err(Failed { act: Act::Superuser, errno: Errno::from_raw_os_error(errno) }),
        None => Err(Failed { act: Act::Superuser, errno: Errno::SRCH }),
    }
}
