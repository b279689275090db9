//! Turns the ids of a directory tree: its owner inside is the lent id outside.
//!
//! A mount takes its map of ids from a user namespace, and a user namespace is made by a
//! process; so one is made for that alone, and ends once its namespace is open.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::{
    fs::{Mode, OFlags, fstat, openat},
    io::Errno,
    mount::{OpenTreeFlags, open_tree},
    process::{WaitId, WaitIdOptions, waitid},
};

use super::Lent;
use crate::{
    Refusal, Root,
    act::{Act, During},
    clone_unsafe::{Lease, clone},
    mounts::access_flags,
    mounts_unsafe::{Depth, set_attributes_and_ids},
    program_unsafe,
};

/// What came of turning the ids of all roots.
pub(crate) enum Turned {
    /// Each root's tree, detached, in order.
    All(Vec<OwnedFd>),
    /// At least one of them cannot; the owner, if all have the same.
    Impossible {
        /// User and group.
        owner: Option<(u32, u32)>,
    },
}

/// Makes a detached copy of each root's mount where its owner's id is `lent`.
pub(crate) fn turn(roots: &[Root], lent: u32) -> Result<Turned, Refusal> {
    let mut owners = Vec::with_capacity(roots.len());
    for root in roots {
        let stat = fstat(&root.directory).during(Act::Owner)?;
        owners.push((stat.st_uid, stat.st_gid));
    }
    let mut trees = Vec::with_capacity(roots.len());
    let mut namespace: Option<((u32, u32), OwnedFd)> = None;
    for (root, owner) in roots.iter().zip(&owners) {
        let ready = namespace.take().filter(|(of, _)| of == owner);
        let ready = match ready {
            Some(ready) => ready,
            None => (*owner, namespace_of(*owner, lent)?),
        };
        let tree = detached(root.directory.as_fd()).during(Act::BindRoot)?;
        let attributes = access_flags(root.access);
        match set_attributes_and_ids(&tree, Depth::Whole, attributes, &ready.1) {
            Ok(()) => trees.push(tree),
            Err(Errno::INVAL | Errno::PERM | Errno::OPNOTSUPP) => {
                owners.dedup();
                let owner = owners.first().copied().filter(|_| owners.len() == 1);
                return Ok(Turned::Impossible { owner });
            }
            Err(errno) => return Err(Refusal::at(Act::Owner, errno)),
        }
        namespace = Some(ready);
    }
    Ok(Turned::All(trees))
}

/// A copy of the mount at a directory that is mounted nowhere.
pub(crate) fn detached(directory: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    open_tree(directory, c"", flags)
}

/// A user namespace whose only user and group are the owner's, `lent` outside.
///
/// The process shares our handles and leaves the namespace in place of one of them.
fn namespace_of(owner: (u32, u32), lent: u32) -> Result<OwnedFd, Refusal> {
    let lent = Lent::new(owner, (lent, lent))?;
    let place = lent.proc.try_clone().map_err(|_| Refusal::at(Act::Owner, Errno::MFILE))?;
    let leave = || {
        lent.enter()?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let namespace = openat(&lent.proc, c"self/ns/user", flags, Mode::empty());
        let namespace = namespace.during(Act::UserNamespace)?;
        program_unsafe::replace(&place, &namespace).during(Act::UserNamespace)
    };
    let task = || match leave() {
        Ok(()) => 0,
        Err(failed) => failed.errno.raw_os_error(),
    };
    let lease = Lease::shared_alone();
    let made = clone(libc::CLONE_FILES, lease.memory, &task).during(Act::UserNamespace)?;
    drop(lease);
    let ended = waitid(WaitId::PidFd(made.handle.as_fd()), WaitIdOptions::EXITED);
    match ended.during(Act::UserNamespace)?.and_then(|status| status.exit_status()) {
        Some(0) => Ok(place),
        Some(errno) => Err(Refusal::at(Act::UserNamespace, Errno::from_raw_os_error(errno))),
        None => Err(Refusal::of(Act::UserNamespace, "its process was killed")),
    }
}
