//! Attempts on processes outside, and on rights that the program does not have.

use std::{ffi::CStr, io::Write};

use rustix::{
    fs::{CWD, Mode, OFlags, openat, readlinkat_raw},
    io::{Errno, read},
    process::{Pid, PidfdFlags, pidfd_open, test_kill_process},
    thread::set_thread_res_uid,
};

use super::{Bait, calls_unsafe};

fn process(bait: &Bait) -> Result<Pid, Errno> {
    Pid::from_raw(bait.process).ok_or(Errno::SRCH)
}

/// Sends a process outside the signal that does nothing.
pub(super) fn signal(bait: &Bait) -> Result<(), Errno> {
    test_kill_process(process(bait)?)
}

/// Opens a handle of a process outside.
pub(super) fn see(bait: &Bait) -> Result<(), Errno> {
    pidfd_open(process(bait)?, PidfdFlags::empty()).map(drop)
}

/// Reads the variables of a process outside.
pub(super) fn environ(bait: &Bait) -> Result<(), Errno> {
    let mut path = [0; 64];
    let path = proc_path(bait, "environ", &mut path)?;
    let file = openat(CWD, path, OFlags::RDONLY, Mode::empty())?;
    read(file, &mut [0; 16]).map(drop)
}

/// Looks where the root of a process outside is.
pub(super) fn root(bait: &Bait) -> Result<(), Errno> {
    let mut path = [0; 64];
    let path = proc_path(bait, "root", &mut path)?;
    readlinkat_raw(CWD, path, &mut [0_u8; 64][..]).map(drop)
}

fn proc_path<'a>(bait: &Bait, name: &str, room: &'a mut [u8; 64]) -> Result<&'a CStr, Errno> {
    let mut rest = &mut room[..];
    write!(rest, "/proc/{}/{name}\0", bait.process).map_err(|_| Errno::NAMETOOLONG)?;
    CStr::from_bytes_until_nul(room).map_err(|_| Errno::INVAL)
}

/// Takes the id of root.
pub(super) fn be_root(_: &Bait) -> Result<(), Errno> {
    let root = rustix::process::Uid::ROOT;
    set_thread_res_uid(root, root, root)
}

/// Takes hold of a process outside, and lets it go.
pub(super) fn ptrace(bait: &Bait) -> Result<(), Errno> {
    calls_unsafe::ptrace(bait.process)
}

/// Asks to be traced by the one that started it.
pub(super) fn trace_me(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::trace_me()
}

/// Reads the memory of a process outside.
pub(super) fn read_memory(bait: &Bait) -> Result<(), Errno> {
    calls_unsafe::read_memory(bait.process)
}

/// Takes a handle out of a process: its own, which is always allowed without a filter.
pub(super) fn steal_handle(_: &Bait) -> Result<(), Errno> {
    let own = pidfd_open(rustix::process::getpid(), PidfdFlags::empty())?;
    rustix::process::pidfd_getfd(own, 0, rustix::process::PidfdGetfdFlags::empty()).map(drop)
}
