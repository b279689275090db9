//! The three calls of Landlock, which the C library does not wrap.

#![allow(unsafe_code, reason = "the calls of Landlock have no safe wrapper")]

use std::{
    ffi::{c_int, c_long},
    os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd},
    ptr,
};

use rustix::io::Errno;

use crate::mounts_unsafe::last_errno;

/// What a ruleset decides about; `struct landlock_ruleset_attr` of the kernel.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Handled {
    /// Rights on files.
    pub(crate) files: u64,
    /// Rights on ports.
    pub(crate) ports: u64,
    /// What may not leave the domain.
    pub(crate) scoped: u64,
}

/// `struct landlock_path_beneath_attr` of the kernel.
#[repr(C, packed)]
struct Beneath {
    rights: u64,
    parent: c_int,
}

const VERSION: u32 = 1;
const PATH_BENEATH: c_int = 1;

/// Which generation of Landlock the kernel has.
pub(crate) fn version() -> Result<u32, Errno> {
    let (attributes, size) = (ptr::null::<Handled>(), 0_usize);
    // SAFETY: with this flag nothing is read.
    let answer =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, attributes, size, VERSION) };
    u32::try_from(answer).map_err(|_| last_errno())
}

/// Makes an empty ruleset.
pub(crate) fn create(handled: &Handled) -> Result<OwnedFd, Errno> {
    let (size, flags) = (size_of::<Handled>(), 0_u32);
    // SAFETY: `handled` is the kernel's structure, of the size that is told.
    let answer = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, ptr::from_ref(handled), size, flags)
    };
    let handle = c_int::try_from(answer).map_err(|_| Errno::INVAL)?;
    if handle < 0 {
        return Err(last_errno());
    }
    // SAFETY: the kernel has just made this handle for us.
    Ok(unsafe { OwnedFd::from_raw_fd(handle) })
}

/// Allows rights at and below what a handle stands for.
pub(crate) fn allow(ruleset: &OwnedFd, parent: impl AsFd, rights: u64) -> Result<(), Errno> {
    let rule = Beneath { rights, parent: parent.as_fd().as_raw_fd() };
    let (ruleset, flags) = (c_long::from(ruleset.as_raw_fd()), 0_u32);
    let rule = ptr::from_ref(&rule);
    // SAFETY: both handles are open, and the rule is the kernel's structure.
    let answer =
        unsafe { libc::syscall(libc::SYS_landlock_add_rule, ruleset, PATH_BENEATH, rule, flags) };
    if answer == 0 { Ok(()) } else { Err(last_errno()) }
}

/// Holds this thread to a ruleset, and all that it starts.
pub(crate) fn restrict(ruleset: &OwnedFd) -> Result<(), Errno> {
    let (ruleset, flags) = (c_long::from(ruleset.as_raw_fd()), 0_u32);
    // SAFETY: the handle is open, and the call takes nothing else.
    let answer = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset, flags) };
    if answer == 0 { Ok(()) } else { Err(last_errno()) }
}
