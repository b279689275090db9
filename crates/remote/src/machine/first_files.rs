//! A machine's first files, which its kernel unpacks before anything runs: the guest as
//! the first program, the kernel's modules, and what the machine is told of itself.
//!
//! They are an archive of the oldest kind that kernels read (`cpio`, `newc`).

use std::{
    fs::File,
    io::{self, BufWriter, Read, Write},
    path::Path,
};

use garth_contract::{Access, Result};
use rustix::fs::{CWD, Mode, OFlags, fchmod, openat};

use super::{Machine, wanted::unavailable};
use crate::container::{User, etc_files};

/// The serial port through which a guest is spoken to.
pub(crate) const PORT: &str = "garth.guest";

/// The port at which a guest in a machine listens for clients outside it.
pub(crate) const VSOCK_PORT: u32 = 7717;

/// After how long without a client a machine ends by itself.
const LEAVE_AFTER: &str = "600";

/// The most bytes of one file.
const MOST: u64 = 256 << 20;

/// By what a machine and its guest are spoken to, and so which modules it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// Devices on a PCI bus, the guest at a serial port.
    Serial,
    /// Devices in memory, the guest at a socket.
    Vsock,
}

impl Transport {
    /// The kernel's modules, in the order in which they are tried; one that is not there is
    /// taken for built in.
    fn modules(self) -> &'static [&'static str] {
        match self {
            Self::Serial => &[
                "virtio",
                "virtio_ring",
                "virtio_pci_modern_dev",
                "virtio_pci_legacy_dev",
                "virtio_pci",
                "virtio_blk",
                "virtio_console",
                "virtio-rng",
            ],
            Self::Vsock => &[
                "virtio",
                "virtio_ring",
                "virtio_mmio",
                "virtio_blk",
                "vsock",
                "vmw_vsock_virtio_transport_common",
                "vmw_vsock_virtio_transport",
                "virtio-rng",
                "virtio_balloon",
            ],
        }
    }

    fn words(self) -> Vec<String> {
        match self {
            Self::Serial => vec!["--port".into(), PORT.into()],
            Self::Vsock => vec![
                "--listen-vsock".into(),
                VSOCK_PORT.to_string(),
                "--leave-after".into(),
                LEAVE_AFTER.into(),
            ],
        }
    }
}

/// Writes the first files of a machine whose guest counts its processes from `first`.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` where one cannot be read, or there is no room for them.
pub(crate) fn write(
    to: &Path,
    (machine, user): (&Machine, User),
    (transport, first): (Transport, u64),
) -> Result<()> {
    let write = || -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
        let file = File::from(openat(CWD, to, flags, Mode::RUSR | Mode::WUSR)?);
        // Whoever runs the machine may be nobody; who gets to it is the directory's matter.
        fchmod(&file, Mode::from_raw_mode(0o644))?;
        let mut archive = Archive { to: BufWriter::new(file), number: 0 };
        archive.device("dev/console", 5, 1)?;
        archive.file("init", 0o755, &read(&machine.guest)?)?;
        archive.directory("garth")?;
        let told = |mut words: Vec<String>| {
            words.push(String::new());
            words.join("\0")
        };
        let mut words = transport.words();
        words.extend(machine.words(first));
        let access = match machine.policy.access {
            Access::ReadWrite => "rw",
            Access::ReadOnly => "ro",
        };
        let texts = [
            ("arguments", told(words)),
            ("user", format!("{}:{}", user.uid, user.gid)),
            ("access", access.to_owned()),
            ("scratch", machine.scratch().to_string()),
        ];
        for (name, text) in texts {
            archive.file(&format!("garth/{name}"), 0o644, text.as_bytes())?;
        }
        archive.directory("garth/etc")?;
        for (name, text) in etc_files(user) {
            archive.file(&format!("garth/etc/{name}"), 0o644, text.as_bytes())?;
        }
        archive.directory("garth/modules")?;
        for (number, name) in transport.modules().iter().enumerate() {
            let Some(modules) = &machine.image.modules else { break };
            match read(&modules.join(format!("{name}.ko"))) {
                Ok(module) => {
                    archive.file(&format!("garth/modules/{number:02}"), 0o644, &module)?;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        archive.end()
    };
    write().map_err(|_| {
        unavailable(
            "the first files of the virtual machine cannot be put together",
            "See whether the guest and the modules can be read, and whether the disk is full.",
        )
    })
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::from(openat(CWD, path, OFlags::CLOEXEC, Mode::empty())?);
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An archive that is being written.
struct Archive<W> {
    to: W,
    number: u32,
}

const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;
const CHARACTER: u32 = 0o020_000;

impl<W: Write> Archive<W> {
    fn file(&mut self, name: &str, mode: u32, content: &[u8]) -> io::Result<()> {
        self.entry(name, REGULAR | mode, (0, 0), content)
    }

    fn directory(&mut self, name: &str) -> io::Result<()> {
        self.entry(name, DIRECTORY | 0o755, (0, 0), &[])
    }

    /// A device, with the directory that it is in.
    fn device(&mut self, name: &str, major: u32, minor: u32) -> io::Result<()> {
        if let Some((directory, _)) = name.rsplit_once('/') {
            self.directory(directory)?;
        }
        self.entry(name, CHARACTER | 0o600, (major, minor), &[])
    }

    fn end(mut self) -> io::Result<()> {
        self.entry("TRAILER!!!", 0, (0, 0), &[])?;
        self.to.flush()
    }

    fn entry(
        &mut self,
        name: &str,
        mode: u32,
        (major, minor): (u32, u32),
        content: &[u8],
    ) -> io::Result<()> {
        let too_long = |_| io::Error::other("a file is too long");
        let size = u32::try_from(content.len()).map_err(too_long)?;
        let length = u32::try_from(name.len() + 1).map_err(too_long)?;
        self.number += 1;
        let fields = [self.number, mode, 0, 0, 1, 0, size, 0, 0, major, minor, length, 0];
        let mut header = String::from("070701");
        for field in fields {
            header.push_str(&format!("{field:08x}"));
        }
        header.push_str(name);
        header.push('\0');
        self.padded(header.as_bytes())?;
        self.padded(content)
    }

    /// Everything begins at a multiple of four.
    fn padded(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        let left = bytes.len().next_multiple_of(4) - bytes.len();
        self.to.write_all([0; 4].get(..left).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_what_other_programs_read() {
        let mut bytes = Vec::new();
        let mut archive = Archive { to: &mut bytes, number: 0 };
        archive.directory("a").unwrap();
        archive.file("a/b", 0o600, b"hello").unwrap();
        archive.end().unwrap();
        assert_eq!(bytes.len() % 4, 0);
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("07070100000001000041ed"), "{text}");
        assert_eq!(text.matches("070701").count(), 3, "{text}");
        let (name, content) = text.split_once("hello").unwrap();
        assert!(name.ends_with("a/b\0\0\0"), "{text:?}");
        assert!(content.trim_start_matches('\0').starts_with("070701"), "{text:?}");
        assert!(text.trim_end_matches('\0').ends_with("TRAILER!!!"), "{text}");
    }
}
