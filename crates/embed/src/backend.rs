//! Where a session's files are, and what is known about the place.

use std::{fmt, os::unix::ffi::OsStrExt, path::Path, sync::Arc};

use garth_contract::{
    Abilities, Aliases, Code, DynFilesystem, DynShell, Error, Filesystem, Policy, Result,
};
use garth_host::Host;
use garth_memory::{Memory, Snapshot};
use garth_workspace::Commands;

/// The name under which every workspace's root is known.
const MOUNT: &[u8] = b"/workspace";

/// Where the files are: a directory, RAM, or a place of the author's own.
///
/// Cloning is cheap and gives the same files.
#[derive(Clone)]
pub struct Backend {
    place: Place,
    policy: Option<Policy>,
    aliases: Aliases,
    commands: Commands,
}

#[derive(Clone)]
enum Place {
    Memory(Arc<Memory>),
    Other(Arc<dyn DynFilesystem>),
}

impl Backend {
    /// A directory of this machine, known by `/workspace` and by its own path.
    ///
    /// # Errors
    /// Those of [`Host::open`].
    pub fn host(root: &Path, policy: Policy) -> Result<Self> {
        let aliases = names_of(root);
        let host = Host::open(root, policy.clone(), aliases.clone())?;
        Ok(Self {
            place: Place::Other(Arc::new(host)),
            policy: Some(policy),
            aliases,
            commands: Commands::None,
        })
    }

    /// Files in RAM, none at first.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a glob of the policy that is wrong.
    pub fn memory(policy: Policy) -> Result<Self> {
        let aliases = Aliases::none().with(MOUNT);
        let memory = Memory::new(policy.clone())?.with_aliases(aliases.clone());
        Ok(Self {
            place: Place::Memory(Arc::new(memory)),
            policy: Some(policy),
            aliases,
            commands: Commands::None,
        })
    }

    /// A place of the author's own.
    #[must_use]
    pub fn custom(files: impl Filesystem) -> Self {
        Self::shared(Arc::new(files))
    }

    /// A place of the author's own that others hold too.
    #[must_use]
    pub fn shared(files: Arc<dyn DynFilesystem>) -> Self {
        let aliases = Aliases::none().with(MOUNT);
        Self { place: Place::Other(files), policy: None, aliases, commands: Commands::None }
    }

    /// The same place, where commands run too.
    ///
    /// The files that the commands see are these, in the same tree; a fork, which
    /// has files of its own, runs none.
    #[must_use]
    pub fn running(mut self, shell: Arc<dyn DynShell>) -> Self {
        self.commands = Commands::In(shell);
        self
    }

    /// The same place, where no commands run.
    pub(crate) fn without_commands(mut self) -> Self {
        self.commands = Commands::None;
        self
    }

    /// The same place, whose files are had in another way.
    pub(crate) fn with_files(mut self, files: Arc<dyn DynFilesystem>) -> Self {
        self.place = Place::Other(files);
        self
    }

    /// The same place, of which a model is told these rules.
    ///
    /// It is for places of the author's own, which enforce them themselves.
    #[must_use]
    pub fn described(mut self, policy: Policy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// The same place, whose root is known by these absolute paths.
    ///
    /// They are what paths may begin with; links inside the place follow the
    /// aliases that it was opened with.
    #[must_use]
    pub fn known_as(mut self, aliases: Aliases) -> Self {
        self.aliases = aliases;
        self
    }

    /// The files.
    #[must_use]
    pub fn files(&self) -> Arc<dyn DynFilesystem> {
        match &self.place {
            Place::Memory(memory) => Arc::<Memory>::clone(memory),
            Place::Other(files) => Arc::clone(files),
        }
    }

    /// What the place can do.
    #[must_use]
    pub fn abilities(&self) -> Abilities {
        self.files().abilities()
    }

    /// Where its commands run.
    #[must_use]
    pub fn commands(&self) -> &Commands {
        &self.commands
    }

    /// The rules of the place, where they are known.
    #[must_use]
    pub fn policy(&self) -> Option<&Policy> {
        self.policy.as_ref()
    }

    /// The absolute paths under which its root is known.
    #[must_use]
    pub fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    /// A second place with the same files, from now on independent.
    ///
    /// # Errors
    /// `UNSUPPORTED` unless the files are in RAM.
    pub fn fork(&self) -> Result<Self> {
        let fork = Arc::new(self.in_memory()?.fork());
        Ok(Self { place: Place::Memory(fork), commands: Commands::None, ..self.clone() })
    }

    /// Keeps what the files are now.
    ///
    /// # Errors
    /// `UNSUPPORTED` unless the files are in RAM.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.in_memory().map(Memory::snapshot)
    }

    /// Makes the files what they were, in one step.
    ///
    /// # Errors
    /// `UNSUPPORTED` unless the files are in RAM; those of [`Memory::restore`].
    pub fn restore(&self, snapshot: &Snapshot) -> Result<()> {
        self.in_memory()?.restore(snapshot)
    }

    /// The files in RAM, where that is the place.
    pub(crate) fn in_memory(&self) -> Result<&Memory> {
        match &self.place {
            Place::Memory(memory) => Ok(memory),
            Place::Other(_) => Err(Error::new(
                Code::Unsupported,
                "only files in RAM can be forked, kept, put back or mounted into",
            )
            .hint("Mount the directory into files in RAM.")),
        }
    }
}

/// The absolute paths under which the caller may know a directory: the one given
/// and the one that it really has.
fn names_of(root: &Path) -> Aliases {
    let given = std::path::absolute(root).ok();
    #[allow(clippy::disallowed_methods, reason = "it only names the root; nothing is opened by it")]
    let real = root.canonicalize().ok();
    [given, real].into_iter().flatten().fold(Aliases::none().with(MOUNT), |aliases, path| {
        aliases.with(path.as_os_str().as_bytes())
    })
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place: &dyn fmt::Debug = match &self.place {
            Place::Memory(memory) => memory,
            Place::Other(_) => &"files",
        };
        f.debug_struct("Backend").field("place", place).field("policy", &self.policy).finish()
    }
}
