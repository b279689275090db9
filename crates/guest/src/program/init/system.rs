//! What a system has beside its disks: the kernel's own directories, some in memory, a
//! name, and a way to itself.

use std::{ffi::CString, path::Path};

use garth_contract::{Error, Result};
use rustix::{
    fs::{CWD, Mode, OFlags, mkdir, openat, symlink},
    io::{Errno, write},
    mount::{MountFlags, UnmountFlags, mount, mount_bind, unmount},
    system::sethostname,
};

use super::given::Given;
use crate::program::failed;

/// Where files of `/etc` are kept that are the machine's own.
const ETC: &str = "/run/garth-etc";

/// Links that programs expect beside the devices.
const LINKS: [(&str, &str); 4] = [
    ("/proc/self/fd", "/dev/fd"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"),
];

/// Mounts what is needed to find the disks.
pub(super) fn first_files() -> Result<()> {
    for (kind, at) in [("devtmpfs", "/dev"), ("proc", "/proc"), ("sysfs", "/sys")] {
        directory(at)?;
        put(kind, at, MountFlags::NOSUID | MountFlags::NOEXEC, "")?;
    }
    Ok(())
}

/// Makes a system of what was mounted.
pub(super) fn furnish(given: &Given) -> Result<()> {
    let (user, group) = given.user;
    let careful = MountFlags::NOSUID | MountFlags::NODEV;
    let own = format!("mode=0700,uid={user},gid={group},size={}", given.scratch);
    let all = format!("mode=1777,size={}", given.scratch);
    put("tmpfs", "/run", careful, "mode=0755")?;
    for at in ["/tmp", "/var/tmp"] {
        put("tmpfs", at, careful, &all)?;
    }
    put("tmpfs", "/home", careful, "mode=0755")?;
    for at in ["/home/garth", "/run/garth-spool"] {
        directory(at)?;
        put("tmpfs", at, careful, &own)?;
    }
    for at in ["/dev/pts", "/dev/shm"] {
        directory(at)?;
    }
    put("tmpfs", "/dev/shm", careful, &all)?;
    put("devpts", "/dev/pts", MountFlags::NOSUID | MountFlags::NOEXEC, "mode=0620,ptmxmode=0666")?;
    for (target, at) in LINKS {
        match symlink(target, at) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(lacking(errno)),
        }
    }
    identity(given)?;
    garth_sandbox::raise_loopback().map_err(lacking)
}

/// Names the machine and whoever runs in it.
fn identity(given: &Given) -> Result<()> {
    directory(ETC)?;
    for (name, content) in &given.etc {
        let path = Path::new(ETC).join(name);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
        let file = openat(CWD, &path, flags, Mode::from_raw_mode(0o644)).map_err(lacking)?;
        write(&file, content).map_err(lacking)?;
        // A system that lacks such a file does without.
        let _ = mount_bind(&path, Path::new("/etc").join(name));
        if name == "hostname" {
            sethostname(content.trim_ascii()).map_err(lacking)?;
        }
    }
    Ok(())
}

/// Lets go of the workspace, as far as nobody uses it; what is left is on the disk.
pub(super) fn close() {
    let _ = unmount("/workspace", UnmountFlags::empty());
}

fn put(kind: &str, at: &str, flags: MountFlags, options: &str) -> Result<()> {
    let options = CString::new(options).map_err(|_| lacking(Errno::INVAL))?;
    mount(kind, at, kind, flags, options.as_c_str()).map_err(lacking)
}

fn directory(at: &str) -> Result<()> {
    match mkdir(at, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(errno) => Err(lacking(errno)),
    }
}

fn lacking(_: Errno) -> Error {
    failed("the machine's system lacks a directory, or its kernel a kind of file")
}
