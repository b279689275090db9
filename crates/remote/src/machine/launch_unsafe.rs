//! What a new process does before it becomes its program, which no library wraps safely.

#![allow(unsafe_code, reason = "code between a new process and its program has rules of its own")]

use std::{
    io,
    os::{fd::OwnedFd, unix::process::CommandExt},
    process::{Command, id},
};

use rustix::{
    fs::{Gid, Uid},
    io::{FdFlags, fcntl_setfd},
    process::{Signal, getppid, set_parent_process_death_signal, setsid},
    thread::{set_thread_gid, set_thread_groups, set_thread_uid},
};

use crate::container::User;

/// Lets a process inherit files, be somebody, be of no terminal, and be killed when the
/// thread ends that starts it.
pub(super) fn tie(command: &mut Command, files: Vec<OwnedFd>, user: Option<User>) {
    let parent = id();
    let before = move || {
        for file in &files {
            fcntl_setfd(file, FdFlags::empty())?;
        }
        if let Some(User { uid, gid }) = user {
            set_thread_groups(&[])?;
            set_thread_gid(Gid::from_raw(gid))?;
            set_thread_uid(Uid::from_raw(uid))?;
        }
        // After that, since who becomes somebody else is not killed any more.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // Who ended before this was asked for is not the parent any more.
        let there = getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok());
        if there != Some(parent) {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        // One that leads its session already is none the worse.
        let _ = setsid();
        Ok(())
    };
    // SAFETY: it makes calls of the kernel and allocates nothing; the new process has one
    // thread, so that what holds for the thread holds for it.
    unsafe { command.pre_exec(before) };
}
