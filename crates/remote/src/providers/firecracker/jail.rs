//! Where Firecracker finds what it needs: in the machine's directory, or in a jail that
//! is made of it.
//!
//! The jailer gives Firecracker a root of its own and takes every right from it. What it
//! is to see is linked into that root; what cannot be linked, being on another disk, is
//! copied.

use std::{
    ffi::OsString,
    fs::File,
    io,
    path::{Path, PathBuf},
};

use garth_contract::Result;
use rustix::fs::{
    AtFlags, CWD, Gid, Mode, OFlags, Uid, chown, linkat, mkdir, openat, stat, unlink,
};

use super::{ASLEEP, Machine, Monitors, kept, requests::text};
use crate::{
    container::{Place, User},
    machine::{DISK, FIRST, find_program, unavailable},
};

/// The socket of the interface.
pub(super) const API: &str = "api";

/// The socket that leads to the guest.
pub(super) const VSOCK: &str = "vsock";

/// The kernel and the system's disk, as they are called in a jail.
pub(super) const KERNEL: &str = "kernel";
pub(super) const ROOT: &str = "root.ext4";

/// Who Firecracker is in a jail: nobody.
const NOBODY: User = User { uid: 65534, gid: 65534 };

/// Where a machine's files are, for both sides.
#[derive(Debug)]
pub(super) enum Layout {
    /// In the machine's directory, where Firecracker stands.
    Open(PathBuf),
    /// In the root of a jail, below this one.
    Jailed { base: PathBuf, root: PathBuf },
}

impl Layout {
    /// Makes the place ready for another start.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where it cannot be made.
    pub(super) fn prepare(monitor: &Monitors, machine: &Machine, place: &Place) -> Result<Self> {
        if monitor.jailer.is_none() {
            let layout = Self::Open(place.part(""));
            for name in [API, VSOCK] {
                kept(unlink(layout.outside(name)))?;
            }
            return Ok(layout);
        }
        let base = place.part("jail");
        remove(&base).map_err(|_| no_jail())?;
        let program = monitor.find()?;
        let called = program.file_name().unwrap_or_default().to_owned();
        let root = base.join(called).join(machine.name()).join("root");
        for part in [
            &*base,
            root.ancestors().nth(2).unwrap_or(&base),
            root.parent().unwrap_or(&base),
            &root,
        ] {
            match mkdir(part, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                Err(_) => return Err(no_jail()),
            }
        }
        let own = [DISK, FIRST, ASLEEP[0], ASLEEP[1]].map(|name| (name, place.part(name)));
        let image = [(KERNEL, machine.image.kernel.clone()), (ROOT, machine.image.root.clone())];
        let owner = (Some(Uid::from_raw(NOBODY.uid)), Some(Gid::from_raw(NOBODY.gid)));
        for (name, from) in own.into_iter().chain(image) {
            if stat(&from).is_err() {
                continue;
            }
            bring(&from, &root.join(name)).map_err(|_| no_jail())?;
            if from.starts_with(place.part("")) {
                chown(&from, owner.0, owner.1).map_err(|_| no_jail())?;
            }
        }
        chown(&root, owner.0, owner.1).map_err(|_| no_jail())?;
        Ok(Self::Jailed { base, root })
    }

    /// The directory with the sockets.
    pub(super) fn directory(&self) -> &Path {
        match self {
            Self::Open(place) => place,
            Self::Jailed { root, .. } => root,
        }
    }

    /// Where the program is started.
    pub(super) fn stand(&self) -> &Path {
        match self {
            Self::Open(place) => place,
            Self::Jailed { base, .. } => base,
        }
    }

    /// A file of the machine's directory, as this program finds it.
    pub(super) fn outside(&self, name: &str) -> PathBuf {
        self.directory().join(name)
    }

    /// The same, as Firecracker does.
    pub(super) fn inside(&self, name: &str) -> String {
        match self {
            // It stands there, and the path of a socket must be short.
            Self::Open(_) => name.to_owned(),
            Self::Jailed { .. } => format!("/{name}"),
        }
    }

    /// A file of the image, as Firecracker finds it.
    pub(super) fn image(&self, name: &str, path: &Path) -> String {
        match self {
            Self::Open(_) => text(path),
            Self::Jailed { .. } => format!("/{name}"),
        }
    }

    /// What is started, and its words.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where it is not installed.
    pub(super) fn command(
        &self,
        monitor: &Monitors,
        name: &str,
    ) -> Result<(PathBuf, Vec<OsString>)> {
        let program = monitor.find()?;
        let api: [OsString; 2] = ["--api-sock".into(), self.inside(API).into()];
        match (self, &monitor.jailer) {
            (Self::Jailed { base, .. }, Some(jailer)) => {
                let jailer = find_program(jailer).ok_or_else(|| {
                    unavailable("the jailer is not installed", "It comes with Firecracker.")
                })?;
                let mut words: Vec<OsString> = vec!["--id".into(), name.into()];
                words.extend(["--exec-file".into(), program.into_os_string()]);
                words.extend(["--uid".into(), NOBODY.uid.to_string().into()]);
                words.extend(["--gid".into(), NOBODY.gid.to_string().into()]);
                words.extend(["--chroot-base-dir".into(), base.clone().into_os_string()]);
                words.push("--".into());
                words.extend(api);
                Ok((jailer, words))
            }
            (Self::Open(_), _) | (Self::Jailed { .. }, None) => {
                let mut words: Vec<OsString> = vec!["--id".into(), name.into()];
                words.extend(api);
                Ok((program, words))
            }
        }
    }
}

/// Links a file into a jail, or copies it.
fn bring(from: &Path, to: &Path) -> io::Result<()> {
    if linkat(CWD, from, CWD, to, AtFlags::SYMLINK_FOLLOW).is_ok() {
        return Ok(());
    }
    let mut source = File::from(openat(CWD, from, OFlags::CLOEXEC, Mode::empty())?);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mut copy = File::from(openat(CWD, to, flags, Mode::from_raw_mode(0o644))?);
    io::copy(&mut source, &mut copy).map(drop)
}

#[allow(
    clippy::disallowed_methods,
    reason = "it is the gateway's own directory, and no link in it is followed"
)]
fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn no_jail() -> garth_contract::Error {
    unavailable(
        "the jail of the virtual machine cannot be made",
        "The jailer needs the superuser; without one, leave firecracker.jailer out.",
    )
}
