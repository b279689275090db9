//! QEMU's words: everything that a machine is, and nothing that it is not asked for.

use std::{
    ffi::OsString,
    io,
    os::fd::{AsRawFd, OwnedFd},
    path::Path,
};

use rustix::{
    fs::{CWD, Mode, OFlags, openat, stat},
    process::geteuid,
};

use super::{Accelerator, Emulator, Machine};
use crate::{
    container::{Place, User},
    machine::{DISK, FIRST, PORT},
};

/// What QEMU calls the guest's port.
pub(super) const PORT_ID: &str = "guest";

/// What the kernel is told: little to print, and no life after a panic. What follows the
/// two dashes is for the first program.
const KERNEL: &str =
    "console=ttyS0 quiet panic=-1 reboot=t random.trust_cpu=on rdinit=/init -- --init";

/// Nobody in particular.
const NOBODY: User = User { uid: 65534, gid: 65534 };

/// The files that a machine is made of, open.
pub(super) struct Open {
    pub(super) kernel: OwnedFd,
    pub(super) first: OwnedFd,
    pub(super) root: OwnedFd,
    /// Twice, since QEMU looks at it before it writes to it.
    pub(super) disk: [OwnedFd; 2],
}

impl Open {
    /// Opens them, so that QEMU needs no right to any path.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn of(machine: &Machine, place: &Place) -> io::Result<Self> {
        let open =
            |path: &Path, flags| Ok::<_, io::Error>(openat(CWD, path, flags, Mode::empty())?);
        let read = OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(Self {
            kernel: open(&machine.image.kernel, read)?,
            first: open(&place.part(FIRST), read)?,
            root: open(&machine.image.root, read)?,
            disk: [
                open(&place.part(DISK), read)?,
                open(&place.part(DISK), OFlags::RDWR | OFlags::CLOEXEC)?,
            ],
        })
    }

    /// All of them.
    pub(super) fn files(self) -> Vec<OwnedFd> {
        let Self { kernel, first, root, disk } = self;
        [kernel, first, root].into_iter().chain(disk).collect()
    }
}

/// The words for one machine. Its pipe is standard input, its line standard
/// output, and what it prints goes to standard error.
pub(super) fn words(emulator: &Emulator, machine: &Machine, open: &Open) -> Vec<OsString> {
    let mut words = Words(Vec::new());
    let (accelerator, processor) = match emulator.accelerator {
        Accelerator::Kvm => ("pc,accel=kvm", "host"),
        Accelerator::Software => ("pc,accel=tcg", "max"),
    };
    words.add("-nodefaults", None);
    words.add("-no-user-config", None);
    words.add("-no-reboot", None);
    words.add("-display", Some("none"));
    words.add("-machine", Some(accelerator));
    words.add("-cpu", Some(processor));
    words.add("-m", Some(&(machine.memory >> 20).to_string()));
    words.add("-smp", Some(&machine.processors.to_string()));
    words.add("-kernel", Some(&by_number(&open.kernel)));
    words.add("-initrd", Some(&by_number(&open.first)));
    words.add("-append", Some(KERNEL));
    words.drive("root", 1, std::slice::from_ref(&open.root), "readonly=on");
    words.add("-device", Some("virtio-blk-pci,drive=root,addr=4"));
    words.drive("files", 2, &open.disk, "discard=unmap");
    words.add("-device", Some("virtio-blk-pci,drive=files,addr=5"));
    words.add("-chardev", Some(&format!("socket,id={PORT_ID},fd=0")));
    words.add("-device", Some("virtio-serial-pci,max_ports=31,addr=6"));
    let port = format!("virtserialport,id={PORT_ID},chardev={PORT_ID},name={PORT}");
    words.add("-device", Some(&port));
    words.add("-object", Some("rng-builtin,id=chance"));
    words.add("-device", Some("virtio-rng-pci,rng=chance,addr=7"));
    words.add("-chardev", Some("socket,id=line,fd=1"));
    words.add("-mon", Some("chardev=line,mode=control"));
    words.add("-chardev", Some("socket,id=console,fd=2"));
    words.add("-serial", Some("chardev:console"));
    let fence = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny";
    words.add("-sandbox", Some(fence));
    words.0.extend(emulator.flags.iter().map(OsString::from));
    words.0
}

struct Words(Vec<OsString>);

impl Words {
    fn add(&mut self, name: &str, value: Option<&str>) {
        self.0.push(name.into());
        self.0.extend(value.map(OsString::from));
    }

    /// A disk that is open already.
    fn drive(&mut self, name: &str, set: u8, files: &[OwnedFd], more: &str) {
        for file in files {
            self.add("-add-fd", Some(&format!("fd={},set={set}", file.as_raw_fd())));
        }
        let drive = format!("if=none,id={name},format=raw,{more},file=/dev/fdset/{set}");
        self.add("-drive", Some(&drive));
    }
}

/// An open file as a path, for those who know no other way.
fn by_number(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Whom QEMU runs as: nobody, where this program is the superuser and nobody may use
/// what it needs.
pub(super) fn user(accelerator: Accelerator) -> Option<User> {
    if !geteuid().is_root() {
        return None;
    }
    match accelerator {
        Accelerator::Software => Some(NOBODY),
        Accelerator::Kvm => {
            let device = stat("/dev/kvm").ok()?;
            let all = device.st_mode & 0o006 == 0o006;
            let group = device.st_mode & 0o060 == 0o060;
            (all || group).then_some(User { gid: device.st_gid, ..NOBODY })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Image;

    #[test]
    fn a_machine_has_no_network_and_no_device_that_it_is_not_asked_for() {
        let image = Image { kernel: "/k".into(), modules: None, root: "/r".into() };
        let machine = Machine::new("w", image, "/g".into());
        let emulator = Emulator {
            program: "qemu".into(),
            accelerator: Accelerator::Software,
            flags: Vec::new(),
        };
        let file = || openat(CWD, "/dev/null", OFlags::CLOEXEC, Mode::empty()).unwrap();
        let open = Open { kernel: file(), first: file(), root: file(), disk: [file(), file()] };
        let words = words(&emulator, &machine, &open);
        let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
        assert!(words.contains(&"-nodefaults") && words.contains(&"-no-user-config"));
        assert!(!words.iter().any(|word| word.contains("net")), "{words:?}");
    }
}
