//! Calls about mounts, and about whose the files in them are, which no library wraps yet.

#![allow(unsafe_code, reason = "mount_setattr and setfsuid have no safe wrapper")]

use std::{
    ffi::c_long,
    os::fd::{AsFd, AsRawFd},
};

use rustix::{
    fs::{Gid, Uid},
    io::Errno,
    mount::MountAttrFlags,
};

/// Which mounts a change is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The mount itself.
    Single,
    /// It and all below it.
    Whole,
}

/// `struct mount_attr` of the kernel.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Adds attributes to the mount that a handle stands for.
pub(crate) fn set_attributes(
    tree: impl AsFd,
    depth: Depth,
    flags: MountAttrFlags,
) -> Result<(), Errno> {
    let attributes =
        Attributes { set: flags.bits().into(), clear: 0, propagation: 0, user_namespace: 0 };
    call(tree, depth, &attributes)
}

/// The same, and gives the mount the map of ids of a user namespace.
pub(crate) fn set_attributes_and_ids(
    tree: impl AsFd,
    depth: Depth,
    flags: MountAttrFlags,
    namespace: impl AsFd,
) -> Result<(), Errno> {
    let flags = flags | MountAttrFlags::MOUNT_ATTR_IDMAP;
    let namespace = u64::from(namespace.as_fd().as_raw_fd().unsigned_abs());
    let attributes = Attributes {
        set: flags.bits().into(),
        clear: 0,
        propagation: 0,
        user_namespace: namespace,
    };
    call(tree, depth, &attributes)
}

fn call(tree: impl AsFd, depth: Depth, attributes: &Attributes) -> Result<(), Errno> {
    let flags = match depth {
        Depth::Single => libc::AT_EMPTY_PATH,
        Depth::Whole => libc::AT_EMPTY_PATH | libc::AT_RECURSIVE,
    };
    let tree = c_long::from(tree.as_fd().as_raw_fd());
    let size = size_of::<Attributes>();
    // SAFETY: the handle is open, the path is an empty C string, and `attributes` is the
    // kernel's structure of the size that is told.
    let answer = unsafe {
        libc::syscall(libc::SYS_mount_setattr, tree, c"".as_ptr(), flags, attributes, size)
    };
    if answer == 0 { Ok(()) } else { Err(last_errno()) }
}

/// Files that the calling thread makes are somebody else's while this lives.
pub(crate) struct OnBehalf {
    before: [c_long; 2],
}

impl OnBehalf {
    /// *Errors*: `PERM` where the thread may not do that; then nothing has changed.
    pub(crate) fn of(uid: Uid, gid: Gid) -> Result<Self, Errno> {
        let wanted = [c_long::from(uid.as_raw()), c_long::from(gid.as_raw())];
        // The group first: who is no longer root may not change it.
        let group = set_id(libc::SYS_setfsgid, c_long::from(gid.as_raw()));
        let user = set_id(libc::SYS_setfsuid, c_long::from(uid.as_raw()));
        let changed = Self { before: [user, group] };
        // A refusal is told by nothing but the id that is still the same.
        let now = [libc::SYS_setfsuid, libc::SYS_setfsgid].map(|call| set_id(call, NO_ID));
        if now == wanted { Ok(changed) } else { Err(Errno::PERM) }
    }
}

impl Drop for OnBehalf {
    fn drop(&mut self) {
        let [user, group] = self.before;
        set_id(libc::SYS_setfsuid, user);
        set_id(libc::SYS_setfsgid, group);
    }
}

/// Nobody's id, which changes nothing.
const NO_ID: c_long = -1;

/// Sets an id of the calling thread's; answers what it was.
fn set_id(call: c_long, id: c_long) -> c_long {
    // SAFETY: both calls take a number and touch no memory.
    unsafe { libc::syscall(call, id) }
}

/// What the last call of the C library left.
pub(crate) fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL)
}
