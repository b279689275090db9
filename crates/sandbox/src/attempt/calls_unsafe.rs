//! The calls of the attempts that no library wraps safely.

#![allow(unsafe_code, reason = "forbidden calls have no safe wrappers")]

use std::{
    ffi::{c_int, c_long, c_uint},
    mem::zeroed,
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
    ptr,
};

use rustix::io::Errno;

use crate::mounts_unsafe::last_errno;

fn answer(value: c_long) -> Result<c_long, Errno> {
    if value >= 0 { Ok(value) } else { Err(last_errno()) }
}

/// Closes the handle that a call gave.
fn close(value: c_long) -> Result<(), Errno> {
    let handle = c_int::try_from(answer(value)?).map_err(|_| Errno::BADF)?;
    // SAFETY: the kernel has just made this handle for us, and nobody else knows it.
    drop(unsafe { OwnedFd::from_raw_fd(handle) });
    Ok(())
}

pub(super) fn open_by_handle() -> Result<(), Errno> {
    // A `struct file_handle` of 8 bytes and kind 1, for inode 2: the root of most file systems.
    let mut handle: [u32; 4] = [8, 1, 2, 0];
    let (at, flags) = (libc::AT_FDCWD, libc::O_PATH);
    // SAFETY: the structure says its own length.
    let value =
        unsafe { libc::syscall(libc::SYS_open_by_handle_at, at, handle.as_mut_ptr(), flags) };
    match close(value) {
        // The right was there; the handle was of another file system.
        Err(Errno::STALE) => Ok(()),
        value => value,
    }
}

pub(super) fn fake_typing(terminal: &OwnedFd) -> Result<(), Errno> {
    let letter = b'x';
    // SAFETY: the kernel reads one byte.
    let value = unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSTI, ptr::from_ref(&letter)) };
    answer(value.into()).map(drop)
}

pub(super) fn ptrace(process: c_int) -> Result<(), Errno> {
    let none = ptr::null_mut::<u8>();
    // SAFETY: no memory is passed.
    answer(unsafe { libc::ptrace(libc::PTRACE_ATTACH, process, none, none) })?;
    // SAFETY: the status is written to a local; then the process goes on as it was.
    unsafe {
        let mut status = 0;
        libc::waitpid(process, &raw mut status, libc::__WALL);
        libc::ptrace(libc::PTRACE_DETACH, process, none, none);
    }
    Ok(())
}

pub(super) fn trace_me() -> Result<(), Errno> {
    let none = ptr::null_mut::<u8>();
    // SAFETY: no memory is passed.
    answer(unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, none, none) }).map(drop)
}

pub(super) fn read_memory(process: c_int) -> Result<(), Errno> {
    // Every process has a page where the kernel keeps the clock; its address does not matter.
    let mut byte = 0_u8;
    let local = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    let remote = libc::iovec { iov_base: ptr::without_provenance_mut(0x1000), iov_len: 1 };
    // SAFETY: one byte is read into one byte; the address is looked up in the other process.
    let value =
        unsafe { libc::process_vm_readv(process, &raw const local, 1, &raw const remote, 1, 0) };
    match answer(c_long::try_from(value).unwrap_or(-1)) {
        // The right was there; nothing is at that address.
        Ok(_) | Err(Errno::FAULT) => Ok(()),
        Err(errno) => Err(errno),
    }
}

pub(super) fn socket(family: c_int, kind: c_int, protocol: c_int) -> Result<(), Errno> {
    // SAFETY: three numbers.
    close(unsafe { libc::socket(family, kind, protocol) }.into())
}

pub(super) fn clone_user() -> Result<(), Errno> {
    let flags = libc::CLONE_NEWUSER | libc::SIGCHLD;
    let none = ptr::null::<u8>();
    // SAFETY: without a stack and without shared memory it is a fork.
    end_child(unsafe { libc::syscall(libc::SYS_clone, flags, none, none, none, none) })
}

pub(super) fn clone3() -> Result<(), Errno> {
    let mut arguments: [u64; 11] = [0; 11];
    arguments[4] = u64::from(libc::SIGCHLD.unsigned_abs());
    let size = size_of_val(&arguments);
    // SAFETY: the structure is of the size that is told; without a stack it is a fork.
    end_child(unsafe { libc::syscall(libc::SYS_clone3, arguments.as_mut_ptr(), size) })
}

/// Ends the child of a fork at once, and in the parent waits for it.
fn end_child(value: c_long) -> Result<(), Errno> {
    let child = answer(value)?;
    // SAFETY: the child touches nothing; the parent waits for its own child.
    unsafe {
        if child == 0 {
            libc::_exit(0);
        }
        libc::waitpid(c_int::try_from(child).unwrap_or(-1), ptr::null_mut(), libc::__WALL);
    }
    Ok(())
}

pub(super) fn reboot() -> Result<(), Errno> {
    let (one, two) = (libc::LINUX_REBOOT_MAGIC1, libc::LINUX_REBOOT_MAGIC2);
    let (no_command, nothing) = (0x1234_i32, ptr::null::<u8>());
    // SAFETY: the command does not exist.
    answer(unsafe { libc::syscall(libc::SYS_reboot, one, two, no_command, nothing) }).map(drop)
}

pub(super) fn kexec() -> Result<(), Errno> {
    let (entry, segments, bad_flags) = (0_usize, 0_usize, c_long::MAX);
    let nothing = ptr::null::<u8>();
    // SAFETY: no segment is passed, and the flags are none that exist.
    let value = unsafe { libc::syscall(libc::SYS_kexec_load, entry, segments, nothing, bad_flags) };
    answer(value).map(drop)
}

pub(super) fn read_log() -> Result<(), Errno> {
    const SYSLOG_ACTION_SIZE_UNREAD: c_int = 9;
    // SAFETY: this action reads and writes nothing.
    let value = unsafe { libc::klogctl(SYSLOG_ACTION_SIZE_UNREAD, ptr::null_mut(), 0) };
    answer(value.into()).map(drop)
}

pub(super) fn keyring() -> Result<(), Errno> {
    const KEYCTL_GET_KEYRING_ID: c_int = 0;
    const KEY_SPEC_USER_KEYRING: c_int = -4;
    let create = 1;
    // SAFETY: numbers alone.
    let value = unsafe {
        libc::syscall(libc::SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, create)
    };
    answer(value).map(drop)
}

pub(super) fn add_key() -> Result<(), Errno> {
    const KEY_SPEC_PROCESS_KEYRING: c_int = -2;
    let (kind, name, value) = (c"user".as_ptr(), c"garth-attempt".as_ptr(), b"x".as_ptr());
    let (length, ring) = (1_usize, KEY_SPEC_PROCESS_KEYRING);
    // SAFETY: two C strings and one byte.
    answer(unsafe { libc::syscall(libc::SYS_add_key, kind, name, value, length, ring) }).map(drop)
}

pub(super) fn bpf() -> Result<(), Errno> {
    const BPF_MAP_CREATE: c_int = 0;
    // An array of one entry with keys and values of four bytes.
    let attributes: [u32; 32] = {
        let mut fields = [0; 32];
        fields[0] = 2;
        fields[1] = 4;
        fields[2] = 4;
        fields[3] = 1;
        fields
    };
    let size = size_of_val(&attributes);
    // SAFETY: the structure is of the size that is told.
    close(unsafe { libc::syscall(libc::SYS_bpf, BPF_MAP_CREATE, attributes.as_ptr(), size) })
}

pub(super) fn userfaultfd() -> Result<(), Errno> {
    const USER_MODE_ONLY: c_int = 1;
    // SAFETY: flags alone.
    close(unsafe { libc::syscall(libc::SYS_userfaultfd, USER_MODE_ONLY | libc::O_CLOEXEC) })
}

pub(super) fn io_uring() -> Result<(), Errno> {
    let (entries, mut parameters) = (4 as c_uint, [0_u32; 30]);
    // SAFETY: the structure has 120 bytes, all zero.
    close(unsafe { libc::syscall(libc::SYS_io_uring_setup, entries, parameters.as_mut_ptr()) })
}

pub(super) fn perf_event() -> Result<(), Errno> {
    // `struct perf_event_attr`, first version: kind 1 (software), 64 bytes, event 0 (clock).
    let mut attributes: [u32; 16] = [0; 16];
    attributes[0] = 1;
    attributes[1] = 64;
    // Neither the kernel nor a hypervisor is to be counted.
    attributes[10] = 0b110_0000;
    let (own, any_cpu, no_group, flags) = (0, -1, -1, 0_usize);
    let attributes = attributes.as_ptr();
    // SAFETY: the structure says its own length.
    close(unsafe {
        libc::syscall(libc::SYS_perf_event_open, attributes, own, any_cpu, no_group, flags)
    })
}

pub(super) fn unknown_call() -> Result<(), Errno> {
    const OPEN_TREE_ATTR: c_long = 467;
    // SAFETY: the structure is zeroes, and there is no such handle.
    let value = unsafe {
        let mut attributes: [u64; 4] = zeroed();
        let (handle, flags) = (-1_i32, libc::AT_EMPTY_PATH);
        let attributes = attributes.as_mut_ptr();
        libc::syscall(OPEN_TREE_ATTR, handle, c"".as_ptr(), flags, attributes, 32_usize)
    };
    answer(value).map(drop)
}

/// Uses so much memory, and gives it back.
pub(crate) fn eat(bytes: usize) -> Result<(), Errno> {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
    // SAFETY: a mapping of our own, of the size that was asked for, touched page by page.
    unsafe {
        let memory = libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0);
        if memory == libc::MAP_FAILED {
            return Err(last_errno());
        }
        for page in (0..bytes).step_by(4096) {
            memory.cast::<u8>().add(page).write_volatile(1);
        }
        libc::munmap(memory, bytes);
    }
    Ok(())
}

/// Makes a process that waits for its end, and ends by itself where that does not come.
pub(crate) fn fork_idle() -> Result<(), Errno> {
    const LONGEST: c_uint = 60;
    let none = ptr::null::<u8>();
    // SAFETY: without a stack and without shared memory it is a fork; the child calls the
    // kernel alone.
    unsafe {
        let child = libc::syscall(libc::SYS_clone, libc::SIGCHLD, none, none, none, none);
        if child == 0 {
            libc::sleep(LONGEST);
            libc::_exit(0);
        }
        answer(child).map(drop)
    }
}
