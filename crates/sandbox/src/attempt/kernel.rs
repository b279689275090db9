//! Attempts on mounts, namespaces and parts of the kernel.

use rustix::{
    fs::{CWD, Mode, OFlags, openat},
    io::Errno,
    mount::{FsOpenFlags, MountFlags, UnmountFlags, fsopen, mount as mount_at, mount_remount},
    system::sethostname,
    thread::{ThreadNameSpaceType, UnshareFlags, move_into_thread_name_spaces},
};

use super::{Bait, calls_unsafe};
use crate::program_unsafe;

/// Renames the machine.
pub(super) fn set_host_name(_: &Bait) -> Result<(), Errno> {
    sethostname(b"garth-attempt")
}

/// Mounts a file system over a directory.
pub(super) fn mount(_: &Bait) -> Result<(), Errno> {
    mount_at(c"none", c"/tmp", c"tmpfs", MountFlags::empty(), c"")
}

/// Makes the root writable.
pub(super) fn remount(_: &Bait) -> Result<(), Errno> {
    mount_remount(c"/", MountFlags::BIND, c"")
}

/// Takes a mount away, and with it what it covers.
pub(super) fn unmount(_: &Bait) -> Result<(), Errno> {
    rustix::mount::unmount(c"/proc", UnmountFlags::DETACH)
}

/// Prepares a file system with the newer calls.
pub(super) fn new_mount_api(_: &Bait) -> Result<(), Errno> {
    fsopen(c"tmpfs", FsOpenFlags::FSOPEN_CLOEXEC).map(drop)
}

/// Changes the root directory, the first step out of one.
pub(super) fn chroot(_: &Bait) -> Result<(), Errno> {
    rustix::process::chroot(c"/")
}

/// Makes a user namespace, in which it would be root.
pub(super) fn unshare_user(_: &Bait) -> Result<(), Errno> {
    program_unsafe::unshare(UnshareFlags::NEWUSER)
}

/// Makes a process in one.
pub(super) fn clone_user(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::clone_user()
}

/// Makes a process with flags that no filter can see.
pub(super) fn clone3(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::clone3()
}

/// Enters a namespace: its own, which needs the same right as any other.
pub(super) fn set_namespace(_: &Bait) -> Result<(), Errno> {
    let own = openat(CWD, c"/proc/self/ns/uts", OFlags::RDONLY, Mode::empty())?;
    let own = std::os::fd::AsFd::as_fd(&own);
    move_into_thread_name_spaces(own, ThreadNameSpaceType::HOST_NAME_AND_NIS_DOMAIN_NAME)
}

/// Loads a module, an empty one.
pub(super) fn load_module(_: &Bait) -> Result<(), Errno> {
    // An empty module is refused as such where the right to load one is there.
    allowed_but(rustix::system::init_module(&[], c""), Errno::NOEXEC)
}

/// Restarts the machine, with a command that does not exist.
pub(super) fn reboot(_: &Bait) -> Result<(), Errno> {
    allowed_but(calls_unsafe::reboot(), Errno::INVAL)
}

/// Loads another kernel, an empty one.
pub(super) fn kexec(_: &Bait) -> Result<(), Errno> {
    allowed_but(calls_unsafe::kexec(), Errno::INVAL)
}

/// What the kernel answers after it has checked the right is a success.
fn allowed_but(answer: Result<(), Errno>, refused_later: Errno) -> Result<(), Errno> {
    match answer {
        Err(errno) if errno == refused_later => Ok(()),
        answer => answer,
    }
}

/// Reads the kernel's messages.
pub(super) fn read_log(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::read_log()
}

/// Looks at a keyring.
pub(super) fn keyring(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::keyring()
}

/// Adds a key.
pub(super) fn add_key(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::add_key()
}

/// Makes a map of the kernel's virtual machine.
pub(super) fn bpf(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::bpf()
}

/// Asks to handle page faults.
pub(super) fn userfaultfd(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::userfaultfd()
}

/// Makes a ring of requests.
pub(super) fn io_uring(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::io_uring()
}

/// Counts events of the processor.
pub(super) fn perf_event(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::perf_event()
}

/// Makes a call that is newer than the filter: `open_tree_attr`.
pub(super) fn unknown_call(_: &Bait) -> Result<(), Errno> {
    // Past the filter it would be told that its argument is no handle.
    allowed_but(calls_unsafe::unknown_call(), Errno::BADF)
}
