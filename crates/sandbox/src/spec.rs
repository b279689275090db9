//! What a sandbox is to be: its files, its limits, its network, and what it may lack.

use std::{
    ffi::OsString,
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use garth_contract::Seat;
use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::Layer;

/// Where the workspace is inside, unless it is the home directory.
pub const WORKSPACE: &str = Seat::Workspace.workspace();

/// The home directory inside, unless it is the workspace: private, empty at the start,
/// gone at the end.
pub const HOME: &str = Seat::Workspace.home();

/// What a sandbox is to be.
#[derive(Debug)]
pub struct Spec {
    /// The directories that make the workspace.
    pub roots: Vec<Root>,
    /// Where the workspace sits.
    pub seat: Seat,
    /// Where the system is whose programs are seen inside: `/` for this machine's own, or
    /// a directory with another one in it, such as `debootstrap` makes.
    pub system: PathBuf,
    /// What that system is to whoever runs inside.
    pub tenure: Tenure,
    /// More directories of this machine that are seen inside at the same path,
    /// read-only: where compilers and the like were installed.
    pub visible: Vec<PathBuf>,
    /// All the variables there are inside.
    pub environment: Vec<(OsString, OsString)>,
    /// How much it may use.
    pub limits: Limits,
    /// What it may reach.
    pub network: Network,
    /// Which layers it may lack.
    pub needs: Needs,
}

/// One directory of the workspace.
#[derive(Debug)]
pub struct Root {
    /// The directory, open.
    pub directory: OwnedFd,
    /// Its name below the workspace; empty for the workspace itself.
    pub place: String,
    /// What may be done in it.
    pub access: Access,
}

impl Root {
    /// The workspace itself, from the directory at a path.
    ///
    /// *Errors*: what opening it gives.
    pub fn whole(path: &Path, access: Access) -> io::Result<Self> {
        Self::named(path, "", access)
    }

    /// A directory of the workspace, from the directory at a path.
    ///
    /// *Errors*: what opening it gives.
    pub fn named(path: &Path, place: &str, access: Access) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = openat(CWD, path, flags, Mode::empty())?;
        Ok(Self { directory, place: place.to_owned(), access })
    }
}

/// What may be done in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everything.
    ReadWrite,
    /// Reading, and running what is there.
    ReadOnly,
}

/// What the system's directories are to whoever runs inside.
#[derive(Debug)]
pub enum Tenure {
    /// They can be read, and nobody is root.
    Shown,
    /// They are its own: what it changes in them is in memory, and ends with it. `/etc`,
    /// `/opt`, `/root`, `/srv` and `/var` can be written too.
    Own {
        /// The program that is `sudo` inside: one that calls [`sudo`](crate::sudo) when it has
        /// that name.
        sudo: OwnedFd,
    },
}

/// How much a sandbox may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory for everything inside, `/tmp` included. Needs a cgroup.
    pub memory: Option<u64>,
    /// Hundredths of one processor: 200 is two of them. Needs a cgroup.
    pub cpu_percent: Option<u32>,
    /// Processes and threads at one time.
    pub processes: u64,
    /// Bytes of one file.
    pub file_size: u64,
    /// Open files of one process.
    pub open_files: u64,
    /// Bytes in `/tmp`, the home directory and `/dev/shm` together, and as many again for
    /// what is changed of a system that is its own.
    pub tmp_bytes: u64,
}

impl Limits {
    /// Enough to build and test an ordinary project.
    #[must_use]
    pub fn usual() -> Self {
        Self {
            memory: Some(4 << 30),
            cpu_percent: None,
            processes: 1024,
            file_size: 8 << 30,
            open_files: 4096,
            tmp_bytes: 2 << 30,
        }
    }
}

/// What a sandbox may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Network {
    /// Its own loopback.
    None,
    /// Its own loopback, and this unix socket of a proxy outside, seen inside at
    /// [`Network::SOCKET`].
    Through(PathBuf),
}

impl Network {
    /// Where the proxy's socket is inside.
    pub const SOCKET: &str = "/run/garth/proxy";
}

/// Which layers a sandbox may lack: none, unless the operator says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    spared: u16,
}

impl Needs {
    /// Every layer.
    #[must_use]
    pub fn all() -> Self {
        Self { spared: 0 }
    }

    /// The same without a layer, where that layer is one that can be spared.
    #[must_use]
    pub fn but(mut self, layer: Layer) -> Self {
        if layer.can_be_spared() {
            self.spared |= layer.bit();
        }
        self
    }

    /// Whether a sandbox without this layer is refused.
    #[must_use]
    pub fn includes(self, layer: Layer) -> bool {
        self.spared & layer.bit() == 0
    }
}

/// The program that is the sandbox's first process.
#[derive(Debug)]
pub struct Program {
    /// What is run.
    pub image: Image,
    /// Its arguments, its own name first.
    pub arguments: Vec<OsString>,
}

/// Where a program is.
#[derive(Debug)]
pub enum Image {
    /// At this path inside the sandbox.
    Inside(PathBuf),
    /// In this file, whether or not the sandbox can see it. It must be a binary, and cannot be
    /// changed from inside.
    Open(OwnedFd),
}

/// What the program's three standard streams are.
///
/// Sockets and pipes cannot be opened a second time for more than was given; of a file that
/// its user owns, mode and times could be changed.
#[derive(Debug)]
pub struct Stdio {
    /// Standard input.
    pub input: OwnedFd,
    /// Standard output.
    pub output: OwnedFd,
    /// Standard error.
    pub error: OwnedFd,
}

/// The variables that programs expect: nothing of this process's own.
#[must_use]
pub fn base_environment() -> Vec<(OsString, OsString)> {
    environment_of(Seat::Workspace)
}

/// The same for whoever runs at this seat.
#[must_use]
pub fn environment_of(seat: Seat) -> Vec<(OsString, OsString)> {
    let variables = [
        ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
        ("HOME", seat.home()),
        ("USER", seat.user()),
        ("LOGNAME", seat.user()),
        ("SHELL", "/bin/bash"),
        ("LANG", "C.UTF-8"),
        ("TMPDIR", "/tmp"),
    ];
    variables.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_layers_can_be_spared() {
        let needs = Layer::ALL.into_iter().fold(Needs::all(), Needs::but);
        let spared = Layer::ALL.into_iter().filter(|layer| !needs.includes(*layer));
        let expected = [Layer::Ids, Layer::Cgroup, Layer::Landlock, Layer::Seccomp];
        assert_eq!(spared.collect::<Vec<_>>(), expected);
    }
}
