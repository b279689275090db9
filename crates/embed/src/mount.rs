//! Directories of this machine, copied into files in RAM.

use std::{path::PathBuf, sync::Arc};

use garth_contract::{Access, Aliases, Policy, RawPath, Result};
use garth_host::Host;
use garth_memory::{Mount, Mounted};

use crate::Backend;

/// The most bytes that a mount copies unless it says otherwise.
const MOST_BYTES: u64 = 256 << 20;
/// The most bytes of one file.
const MOST_FILE: u64 = 16 << 20;

/// A directory of this machine, and where its copy goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostMount {
    /// The directory; it is only ever read.
    pub from: PathBuf,
    /// Which of its files, where to, and how many bytes of them.
    pub mount: Mount,
}

impl HostMount {
    /// All files of a directory, at a path of the workspace.
    ///
    /// Up to 256 MiB in files of up to 16 MiB; the fields say otherwise.
    ///
    /// # Errors
    /// `INVALID_PATH` and `PATH_OUTSIDE_WORKSPACE` for the path.
    pub fn new(from: impl Into<PathBuf>, at: &str) -> Result<Self> {
        let mount = Mount {
            at: RawPath::new(at).resolve(&Aliases::none())?,
            include: Vec::new(),
            exclude: Vec::new(),
            max_bytes: MOST_BYTES,
            max_file: MOST_FILE,
        };
        Ok(Self { from: from.into(), mount })
    }

    /// The same mount without what matches these globs.
    #[must_use]
    pub fn without(mut self, exclude: &[&str]) -> Self {
        self.mount.exclude.extend(exclude.iter().map(|glob| (*glob).to_owned()));
        self
    }

    /// The same mount with nothing but what matches one of these globs.
    #[must_use]
    pub fn only(mut self, include: &[&str]) -> Self {
        self.mount.include.extend(include.iter().map(|glob| (*glob).to_owned()));
        self
    }
}

impl Backend {
    /// Copies a directory of this machine into files in RAM.
    ///
    /// # Errors
    /// `UNSUPPORTED` unless the files are in RAM, those of [`Host::open`] and of
    /// [`Memory::mount`](garth_memory::Memory::mount).
    pub async fn mount(&self, mount: &HostMount) -> Result<Mounted> {
        let memory = self.in_memory()?;
        let policy = Policy { access: Access::ReadOnly, ..Policy::open() };
        let host = Host::open(&mount.from, policy, Aliases::none())?;
        memory.mount(Arc::new(host), &mount.mount).await
    }
}
