//! Attempts on files and devices.

use std::ffi::CStr;

use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, makedev, mknodat, openat, unlinkat},
    io::{Errno, read as read_bytes, write as write_bytes},
};

use super::{Bait, calls_unsafe};

/// Reads a file outside.
pub(super) fn read(bait: &Bait) -> Result<(), Errno> {
    read_at(&bait.file)
}

fn read_at(path: &CStr) -> Result<(), Errno> {
    let file = openat(CWD, path, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty())?;
    read_bytes(file, &mut [0; 16]).map(drop)
}

/// Reads it from the working directory upwards.
pub(super) fn read_by_dots(bait: &Bait) -> Result<(), Errno> {
    const UP: &[u8] = b"../../../../../../../../../../../../../../../..";
    let mut path = [0; 512];
    let file = bait.file.to_bytes();
    let parts = UP.iter().chain(file);
    let last = path.len() - 1;
    for (to, from) in path.iter_mut().take(last).zip(parts) {
        *to = *from;
    }
    read_at(CStr::from_bytes_until_nul(&path).map_err(|_| Errno::NAMETOOLONG)?)
}

/// Makes a file outside.
pub(super) fn write(bait: &Bait) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    openat(CWD, &*bait.absent, flags, Mode::RUSR)?;
    unlinkat(CWD, &*bait.absent, AtFlags::empty())
}

/// Reads the passwords of this machine.
pub(super) fn read_shadow(_: &Bait) -> Result<(), Errno> {
    read_at(c"/etc/shadow")
}

/// Makes a file among the system's programs.
pub(super) fn write_usr(_: &Bait) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    openat(CWD, c"/usr/bin/garth-was-here", flags, Mode::RUSR).map(drop)
}

/// Writes a setting of the kernel, as it was.
pub(super) fn write_sysctl(_: &Bait) -> Result<(), Errno> {
    let path = c"/proc/sys/kernel/randomize_va_space";
    let mut value = [0; 8];
    let length = read_bytes(openat(CWD, path, OFlags::RDONLY, Mode::empty())?, &mut value)?;
    write_to(path, value.get(..length).unwrap_or_default())
}

/// Asks the kernel for help through its emergency keys: the harmless one.
pub(super) fn write_sysrq(_: &Bait) -> Result<(), Errno> {
    write_to(c"/proc/sysrq-trigger", b"h")
}

/// Opens the setting that names a program which root runs.
pub(super) fn write_core_pattern(_: &Bait) -> Result<(), Errno> {
    openat(CWD, c"/proc/sys/kernel/core_pattern", OFlags::WRONLY, Mode::empty()).map(drop)
}

fn write_to(path: &CStr, text: &[u8]) -> Result<(), Errno> {
    let file = openat(CWD, path, OFlags::WRONLY, Mode::empty())?;
    write_bytes(file, text).map(drop)
}

/// Opens a disk of this machine.
pub(super) fn open_disk(_: &Bait) -> Result<(), Errno> {
    let disks =
        [c"/dev/vda", c"/dev/sda", c"/dev/nvme0n1", c"/dev/mem", c"/dev/kmsg", c"/dev/fuse"];
    let mut errno = Errno::NOENT;
    for disk in disks {
        match openat(CWD, disk, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()) {
            Ok(_) => return Ok(()),
            Err(Errno::NOENT) => {}
            Err(other) => errno = other,
        }
    }
    Err(errno)
}

/// Makes a device node.
pub(super) fn make_device(_: &Bait) -> Result<(), Errno> {
    for (place, kind) in [
        (c"/tmp/garth-attempt-node", FileType::CharacterDevice),
        (c"garth-attempt-node", FileType::BlockDevice),
    ] {
        if mknodat(CWD, place, kind, Mode::RUSR, makedev(1, 3)).is_ok() {
            return unlinkat(CWD, place, AtFlags::empty());
        }
    }
    Err(Errno::PERM)
}

/// Opens a file by its number, past every directory.
pub(super) fn open_by_handle(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::open_by_handle()
}

/// Puts a character into a terminal's input, as if it had been typed.
pub(super) fn fake_typing(_: &Bait) -> Result<(), Errno> {
    let flags = OFlags::RDWR | OFlags::NOCTTY;
    let terminal = openat(CWD, c"/dev/ptmx", flags, Mode::empty())?;
    calls_unsafe::fake_typing(&terminal)
}
