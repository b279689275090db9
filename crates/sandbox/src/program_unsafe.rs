//! The calls between a new process and its program that no library wraps safely.

#![allow(unsafe_code, reason = "exec, and handles by number, have no safe wrapper")]

use std::{
    ffi::{CStr, CString, c_char, c_int, c_uint},
    marker::PhantomData,
    os::fd::{AsFd, AsRawFd},
    ptr,
};

use rustix::{
    io::Errno,
    thread::{UnshareFlags, unshare_unsafe},
};

use crate::mounts_unsafe::last_errno;

/// The highest signal number of Linux.
const LAST_SIGNAL: c_int = 64;

/// Leaves a namespace that is shared with whoever started it.
pub(crate) fn unshare(flags: UnshareFlags) -> Result<(), Errno> {
    // SAFETY: unsafe only for FILES, which nobody here passes.
    unsafe { unshare_unsafe(flags) }
}

/// Lets `place` be another handle for what `handle` stands for.
pub(crate) fn replace(place: impl AsFd, handle: impl AsFd) -> Result<(), Errno> {
    let (place, handle) = (place.as_fd().as_raw_fd(), handle.as_fd().as_raw_fd());
    // SAFETY: both are open; whoever owns `place` still does, and closes it.
    let answer = unsafe { libc::dup3(handle, place, libc::O_CLOEXEC) };
    if answer >= 0 { Ok(()) } else { Err(last_errno()) }
}

/// Marks every handle but the three standard streams to be closed by exec.
pub(crate) fn close_others_on_exec() -> Result<(), Errno> {
    let (first, last, flags) = (3_u32, c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
    // SAFETY: the call takes three numbers, and closes nothing by itself.
    let answer = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if answer == 0 { Ok(()) } else { Err(last_errno()) }
}

/// Gives every signal its default meaning and lets all of them in.
pub(crate) fn reset_signals() {
    // The C library keeps two signals to itself and would leave them ignored.
    let (default, none, mask_size) = ([0_u64; 4], ptr::null_mut::<u8>(), 8_usize);
    // SAFETY: zeroes are the default action with an empty mask, and an empty set; the calls
    // refuse the signals that cannot be changed, which is fine.
    unsafe {
        for signal in 1..=LAST_SIGNAL {
            let action = default.as_ptr();
            libc::syscall(libc::SYS_rt_sigaction, signal, action, none, mask_size);
        }
        let none: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

/// Pointers to C strings and a null, as exec wants them.
pub(crate) struct Pointers<'a>(Vec<*const c_char>, PhantomData<&'a CStr>);

impl<'a> Pointers<'a> {
    /// Those of the strings.
    pub(crate) fn to(strings: &'a [CString]) -> Self {
        let pointers = strings.iter().map(|string| string.as_ptr());
        Self(pointers.chain([ptr::null()]).collect(), PhantomData)
    }
}

/// Becomes the program at a path. Comes back only if it cannot.
pub(crate) fn exec_path(
    path: &CStr,
    arguments: &Pointers<'_>,
    environment: &Pointers<'_>,
) -> Errno {
    // SAFETY: three C strings or null-terminated lists of them, alive during the call.
    unsafe { libc::execve(path.as_ptr(), arguments.0.as_ptr(), environment.0.as_ptr()) };
    last_errno()
}

/// Becomes the program behind a handle. Comes back only if it cannot.
pub(crate) fn exec_handle(
    file: impl AsFd,
    arguments: &Pointers<'_>,
    environment: &Pointers<'_>,
) -> Errno {
    let (file, path) = (file.as_fd().as_raw_fd(), c"".as_ptr());
    let (arguments, environment) = (arguments.0.as_ptr(), environment.0.as_ptr());
    let flags = libc::AT_EMPTY_PATH;
    // SAFETY: the handle is open, the rest as for a path.
    unsafe { libc::syscall(libc::SYS_execveat, file, path, arguments, environment, flags) };
    last_errno()
}
