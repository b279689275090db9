//! What may be done with a directory, as every command that works on one takes it.

use garth_contract::Durability;

/// What may be done with a directory, and what is shown of it.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Rules {
    /// Refuses every change, and offers nothing that makes one
    #[arg(long)]
    pub(crate) read_only: bool,

    /// Shows what matches and hides the rest; can be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) allow: Vec<String>,

    /// Hides what matches; can be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) deny: Vec<String>,

    /// Lets what matches be read and not changed; can be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) protect: Vec<String>,

    /// Lets what runs in the sandbox reach this address through a proxy; nothing without; can be
    /// given several times
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) network: Vec<String>,

    /// Shows secrets as they are; they are replaced by placeholders otherwise
    #[arg(long)]
    pub(crate) no_redact: bool,
}

impl Rules {
    /// The same rules as words of a command line, but for addresses.
    pub(crate) fn words(&self) -> Vec<String> {
        let Self { read_only, allow, deny, protect, network: _, no_redact } = self;
        let flags = [("--read-only", read_only), ("--no-redact", no_redact)];
        let set = flags.into_iter().filter(|(_, set)| **set);
        let mut words: Vec<String> = set.map(|(name, _)| name.to_owned()).collect();
        for (name, globs) in [("--allow", allow), ("--deny", deny), ("--protect", protect)] {
            globs.iter().for_each(|glob| words.extend([name.to_owned(), glob.clone()]));
        }
        words
    }
}

/// How writes reach the disk.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct Disk {
    /// Does not wait for the disk: what was written last is lost when the machine fails
    #[arg(long)]
    pub(crate) fast: bool,
}

impl Disk {
    /// What a caller may rely on.
    pub(crate) fn durability(self) -> Durability {
        if self.fast { Durability::Fast } else { Durability::Synced }
    }
}
