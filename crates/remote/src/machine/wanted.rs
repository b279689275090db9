//! What a workspace's virtual machine is to be.

use std::path::{Path, PathBuf};

use garth_contract::{Code, Error, Policy, Result};

use crate::container::{User, guest_rules, machine_name, owner_of};

/// Everything that makes a workspace's machine what it is.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The workspace's id.
    pub workspace: String,
    /// Who keeps it, so that of several gateways each finds its own.
    pub owner: String,
    /// A directory of this machine that is the gateway's own, for one directory a
    /// virtual one. The workspace's disk lies in it.
    pub run: PathBuf,
    /// What it runs.
    pub image: Image,
    /// The guest's static program on this machine.
    pub guest: PathBuf,
    /// A directory whose files the workspace begins with; it is read once.
    pub seed: Option<PathBuf>,
    /// What the guest lets be done with files; where they may only be read, commands
    /// cannot change them either.
    pub policy: Policy,
    /// Who runs inside; left out, the owner of the directory that the workspace begins
    /// with, and nobody else's user without one.
    pub user: Option<User>,
    /// Bytes of memory.
    pub memory: u64,
    /// Processors.
    pub processors: u32,
    /// Bytes of the workspace's disk, which takes as many only as it is filled.
    pub disk: u64,
}

/// What a machine runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The kernel.
    pub kernel: PathBuf,
    /// A directory with the modules of that kernel; none where all are built in.
    pub modules: Option<PathBuf>,
    /// A disk with the system, which is never written to.
    pub root: PathBuf,
}

/// Who runs inside where nothing says who.
const USUAL_USER: User = User { uid: 1000, gid: 1000 };

/// The least memory that a machine starts with.
const LEAST_MEMORY: u64 = 128 << 20;

/// The least disk that is worth having.
const LEAST_DISK: u64 = 16 << 20;

/// The share of a machine's memory that each of the directories in memory may take.
const SCRATCH_SHARE: u64 = 4;

/// The share that what commands print may take.
const SPOOL_SHARE: u64 = 8;

impl Machine {
    /// A machine with what most workspaces need: half a gigabyte, one processor, 8 GiB of
    /// files.
    #[must_use]
    pub fn new(workspace: impl Into<String>, image: Image, guest: PathBuf) -> Self {
        Self {
            workspace: workspace.into(),
            owner: "garth".into(),
            run: PathBuf::from("/run/garth"),
            image,
            guest,
            seed: None,
            policy: Policy::open(),
            user: None,
            memory: 512 << 20,
            processors: 1,
            disk: 8 << 30,
        }
    }

    /// What it is called, and its directory.
    pub(crate) fn name(&self) -> String {
        machine_name(&self.owner, &self.workspace)
    }

    /// Who runs inside.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_FOUND` where the directory that it begins with is missing.
    pub(crate) fn inhabitant(&self) -> Result<User> {
        match (self.user, &self.seed) {
            (Some(user), _) => Ok(user),
            (None, Some(seed)) => owner_of(seed),
            (None, None) => Ok(USUAL_USER),
        }
    }

    /// Bytes of each directory in memory.
    pub(crate) fn scratch(&self) -> u64 {
        self.memory / SCRATCH_SHARE
    }

    /// The guest's words, but for the way by which it is spoken to.
    pub(crate) fn words(&self, first: u64) -> Vec<String> {
        let spool = self.memory / SPOOL_SHARE;
        let mut words: Vec<String> = vec![
            "--root".into(),
            crate::container::WORKSPACE.into(),
            "--alias".into(),
            crate::container::WORKSPACE.into(),
            "--spool".into(),
            "/run/garth-spool/kept".into(),
            "--spool-all".into(),
            spool.to_string(),
            "--spool-each".into(),
            (spool / 4).to_string(),
            // The kernel around it is not ours alone to lose, and a smaller one is safer.
            "--refuse-calls".into(),
            "--first-process".into(),
            first.to_string(),
        ];
        for (name, value) in crate::container::VARIABLES {
            words.extend(["--env".into(), format!("{name}={value}")]);
        }
        words.extend(guest_rules(&self.policy));
        words
    }

    /// Looks whether what it is made of is there, and checks what makes no sense.
    ///
    /// # Errors
    /// `INVALID_PARAMS`; `PROVIDER_UNAVAILABLE` with what is missing.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = |what: &'static str| Err(Error::new(Code::InvalidParams, what));
        if self.workspace.is_empty() || self.workspace.chars().any(char::is_control) {
            return wrong("the workspace's id is empty or holds a control character");
        }
        let Image { kernel, modules, root } = &self.image;
        let modules = modules.as_deref();
        let paths = [&self.run, kernel, root, &self.guest].map(PathBuf::as_path);
        if paths.into_iter().chain(modules).any(|path| !path.is_absolute()) {
            return wrong("all paths of a virtual machine are absolute ones");
        }
        if self.memory < LEAST_MEMORY || self.processors == 0 || self.disk < LEAST_DISK {
            return wrong(
                "a virtual machine needs a processor, 128 MiB of memory and 16 MiB of disk",
            );
        }
        Ok(())
    }

    /// Looks whether what it is made of is there.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` with what is missing.
    pub(crate) fn ready(&self) -> Result<()> {
        self.check()?;
        let Image { kernel, modules, root } = &self.image;
        let parts: [(&str, Option<&Path>); 4] = [
            ("the kernel of virtual machines is not there", Some(kernel)),
            ("the modules of the kernel are not there", modules.as_deref()),
            ("the disk with the system is not there", Some(root)),
            ("the guest's program is not there", Some(&self.guest)),
        ];
        for (what, path) in parts {
            if path.is_some_and(|path| rustix::fs::stat(path).is_err()) {
                return Err(unavailable(
                    what,
                    "Make it as docs/microvms.md says, and name it in the configuration as \
                     machines.kernel, machines.modules, machines.root or containers.guest.",
                ));
            }
        }
        Ok(())
    }
}

/// Something that is missing, and what to do.
pub(crate) fn unavailable(what: impl Into<String>, hint: &'static str) -> Error {
    Error::new(Code::ProviderUnavailable, what.into()).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        let image = Image { kernel: "/k".into(), modules: None, root: "/r".into() };
        Machine::new("w", image, "/g".into())
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(machine().check().is_ok());
        let relative = Image { kernel: "k".into(), ..machine().image };
        let wrong = [
            Machine { workspace: "a\nb".into(), ..machine() },
            Machine { memory: 1, ..machine() },
            Machine { disk: 1, ..machine() },
            Machine { processors: 0, ..machine() },
            Machine { image: relative, ..machine() },
        ];
        for wrong in wrong {
            assert_eq!(wrong.check().unwrap_err().code(), Code::InvalidParams);
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = machine().ready().unwrap_err();
        assert_eq!(error.code(), Code::ProviderUnavailable);
        assert!(error.message().contains("kernel"), "{error}");
    }
}
