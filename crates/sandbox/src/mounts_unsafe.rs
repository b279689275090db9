//! The call that changes what a mount allows, which no library wraps yet.

#![allow(unsafe_code, reason = "mount_setattr has no safe wrapper")]

use std::{
    ffi::c_long,
    os::fd::{AsFd, AsRawFd},
};

use rustix::{io::Errno, mount::MountAttrFlags};

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

/// What the last call of the C library left.
pub(crate) fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL)
}
