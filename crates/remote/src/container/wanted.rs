//! What a workspace's container is to be.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use garth_contract::{Access, Code, Durability, Error, HardLinks, Policy, Result, Seat};

use super::{Reach, owner};

/// Where the workspace is inside.
pub const WORKSPACE: &str = "/workspace";

/// The home directory inside, which is private and in memory.
pub const HOME: &str = "/home/garth";

/// The variables that every command has, the same as in every other sandbox.
pub const VARIABLES: [(&str, &str); 7] = [
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", HOME),
    ("USER", "garth"),
    ("LOGNAME", "garth"),
    ("SHELL", "/bin/bash"),
    ("LANG", "C.UTF-8"),
    ("TMPDIR", "/tmp"),
];

/// The variables of every command in a container whose workspace sits there.
pub(super) fn variables(seat: Seat) -> [(&'static str, &'static str); 7] {
    VARIABLES.map(|(name, usual)| match name {
        "HOME" => (name, seat.home()),
        "USER" | "LOGNAME" => (name, seat.user()),
        _ => (name, usual),
    })
}

/// The name that the machine has inside.
pub(super) const HOST_NAME: &str = "garth";

/// Where the guest's program is inside.
pub const GUEST: &str = "/run/garth-guest";

/// Where the directory with the guest's socket is inside.
pub(super) const MEETING: &str = "/run/garth";

/// A directory in memory for what commands print; the guest makes its own in it.
pub(super) const SPOOL: &str = "/run/garth-spool";

/// The most bytes that are kept of what commands print.
const MOST_SPOOLED: u64 = 256 << 20;

/// The share of a container's memory that what commands print may take.
const SPOOLED_SHARE: u64 = 8;

/// The guest's socket in the directory that both sides see.
pub(super) const SOCKET: &str = "guest";

/// Everything that makes a workspace's container what it is.
#[derive(Clone, Debug)]
pub struct Container {
    /// The workspace's id.
    pub workspace: String,
    /// Who keeps it, so that of several gateways on one engine each finds its own.
    pub owner: String,
    /// What is in it beside the workspace.
    pub root: Root,
    /// The workspace's files.
    pub files: Files,
    /// Where they are inside, and what the guest serves.
    pub seat: Seat,
    /// What the guest lets be done with them; where they may only be read, commands
    /// cannot change them either.
    pub policy: Policy,
    /// The guest's static program on this machine.
    pub guest: PathBuf,
    /// A directory of this machine that is the gateway's own, for one directory a
    /// container.
    pub run: PathBuf,
    /// Who runs inside; left out, the owner of the workspace's directory.
    pub user: Option<User>,
    /// What it may use.
    pub limits: Limits,
    /// What it can reach.
    pub network: Network,
    /// By which way the guest is spoken to.
    pub reach: Reach,
    /// What this machine needs beside.
    pub options: Options,
}

impl Container {
    /// A container without a network, with what most workspaces need.
    #[must_use]
    pub fn new(workspace: impl Into<String>, root: Root, files: Files) -> Self {
        Self {
            workspace: workspace.into(),
            owner: "garth".into(),
            root,
            files,
            seat: Seat::Workspace,
            policy: Policy::open(),
            guest: PathBuf::from("/usr/lib/garth/garth-guest"),
            run: PathBuf::from("/run/garth"),
            user: None,
            limits: Limits::USUAL,
            network: Network::None,
            reach: Reach::Either,
            options: Options::default(),
        }
    }

    /// What the engine calls it, and its directory: the same for the same workspace
    /// of the same owner, whatever characters their names have.
    pub(crate) fn name(&self) -> String {
        name(&self.owner, &self.workspace)
    }

    /// Who runs inside.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_FOUND` where the workspace's directory is missing.
    pub(super) fn inhabitant(&self) -> Result<User> {
        match (&self.user, &self.files) {
            (Some(user), _) => Ok(*user),
            (None, Files::Directory(path)) => owner::of_directory(path),
            // The engine makes a volume for its own superuser, and nobody else inside
            // could write to it.
            (None, Files::Volume(_)) => Ok(User { uid: 0, gid: 0 }),
        }
    }

    /// The guest's words.
    pub(super) fn command(&self, first: u64) -> Vec<String> {
        let mut words: Vec<String> = vec![
            GUEST.into(),
            "--root".into(),
            self.seat.served().into(),
            "--listen".into(),
            format!("{MEETING}/{SOCKET}"),
            "--spool".into(),
            format!("{SPOOL}/kept"),
            "--spool-all".into(),
            self.limits.spool().to_string(),
            "--spool-each".into(),
            (self.limits.spool() / 4).to_string(),
            // It is the first process inside, and nothing is but what it starts.
            "--kill-strays".into(),
            // Engines let more through than a local sandbox does, each another set.
            "--refuse-calls".into(),
            "--first-process".into(),
            first.to_string(),
        ];
        for (name, value) in variables(self.seat) {
            words.extend(["--env".into(), format!("{name}={value}")]);
        }
        words.extend(rules(&self.policy));
        words
    }

    /// A print of all that makes the container what it is: one that runs is adopted
    /// if its print is the same.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where the guest's program cannot be read.
    pub(super) fn print(&self, user: User) -> Result<String> {
        let mut text = String::new();
        // Debug output of plain data is stable enough: a change of it makes a new
        // container, no wrong one.
        let Self { root, files, run, limits, network, options, .. } = self;
        let command = self.command(0);
        let _ = write!(text, "{root:?} {files:?} {run:?} {user:?} {limits:?} ");
        let _ = write!(text, "{network:?} {options:?} {command:?} ");
        let mut hash = blake3::Hasher::new();
        hash.update(text.as_bytes());
        owner::add_program(&mut hash, &self.guest)?;
        Ok(hash.finalize().to_hex().chars().take(32).collect())
    }

    /// The workspace's directory, where it is one.
    pub(super) fn directory(&self) -> Option<&Path> {
        match &self.files {
            Files::Directory(path) => Some(path),
            Files::Volume(_) => None,
        }
    }

    /// Checks what an engine would misunderstand.
    ///
    /// # Errors
    /// `INVALID_PARAMS`.
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::new(Code::InvalidParams, what.to_owned()));
        if self.workspace.is_empty() || self.workspace.chars().any(char::is_control) {
            return wrong("the workspace's id is empty or holds a control character");
        }
        if self.directory().is_some_and(|path| !path.is_absolute()) {
            return wrong("the workspace's directory is not an absolute path");
        }
        if !self.run.is_absolute() || !self.guest.is_absolute() {
            return wrong("the guest and the directory for containers are absolute paths");
        }
        Ok(())
    }
}

/// A policy in the guest's words.
pub(crate) fn rules(policy: &Policy) -> Vec<String> {
    let Policy { access, hard_links, durability, allow, deny, protect, max_file, quota } = policy;
    let mut words = vec!["--max-file".to_owned(), max_file.to_string()];
    if *access == Access::ReadOnly {
        words.push("--read-only".into());
    }
    if *hard_links == HardLinks::Refuse {
        words.push("--refuse-hard-links".into());
    }
    if *durability == Durability::Fast {
        words.push("--fast".into());
    }
    words.extend(allow.iter().flat_map(|glob| ["--allow".into(), glob.clone()]));
    words.extend(deny.iter().flat_map(|glob| ["--deny".into(), glob.clone()]));
    words.extend(protect.iter().flat_map(|glob| ["--protect".into(), glob.clone()]));
    words.extend(quota.iter().flat_map(|bytes| ["--quota".into(), bytes.to_string()]));
    words
}

/// What an engine calls the container of a workspace.
pub(crate) fn name(owner: &str, workspace: &str) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(owner.as_bytes()).update(b"\0").update(workspace.as_bytes());
    let hex = hash.finalize().to_hex();
    format!("garth-{}", hex.get(..16).unwrap_or_default())
}

/// What is in a container beside the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// An image that the engine has.
    Image(String),
    /// A directory of this machine with a whole system in it. An engine takes a copy
    /// when it sees it first, and again once the directory itself has been touched.
    Directory(PathBuf),
}

/// Where the workspace's files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// A directory of this machine, an absolute path.
    Directory(PathBuf),
    /// A volume of the engine, by its name; made when it is first used.
    Volume(String),
}

/// A user and a group, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    /// The user.
    pub uid: u32,
    /// The group.
    pub gid: u32,
}

/// What a container may use; what is left out has no bound but the machine's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory; files in memory count.
    pub memory: Option<u64>,
    /// Processes and threads at a time.
    pub processes: Option<u32>,
    /// Thousandths of a processor.
    pub cpu: Option<u32>,
    /// Bytes of each of `/tmp`, `/var/tmp` and the home directory.
    pub scratch: u64,
}

impl Limits {
    /// 2 GiB, 512 processes, all processors, scratch files up to 512 MiB.
    pub const USUAL: Self =
        Self { memory: Some(2 << 30), processes: Some(512), cpu: None, scratch: 512 << 20 };

    /// Bytes of what commands print that are kept, in memory too.
    pub(super) fn spool(&self) -> u64 {
        self.memory.map_or(MOST_SPOOLED, |memory| (memory / SPOOLED_SHARE).min(MOST_SPOOLED))
    }
}

/// What a container can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Network {
    /// Only itself.
    None,
    /// A network of the engine, by its name.
    Named(String),
}

/// What one machine needs and others do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Limits of a process that the engine sets, where its own cannot be set.
    pub ulimits: Vec<Ulimit>,
    /// The runtime that must run the container, by its name or path; left out, the
    /// engine's own choice.
    pub runtime: Option<String>,
}

/// One limit of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ulimit {
    /// Its name, such as `nofile`.
    pub name: String,
    /// What a process begins with.
    pub soft: u64,
    /// How far it may raise it.
    pub hard: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container() -> Container {
        let root = Root::Image("debian".into());
        Container {
            guest: PathBuf::from("/proc/self/exe"),
            ..Container::new("w", root, Files::Directory("/w".into()))
        }
    }

    #[test]
    fn a_name_tells_workspaces_and_owners_apart() {
        let one = container();
        let other = Container { workspace: "w2".into(), ..container() };
        let foreign = Container { owner: "other".into(), ..container() };
        assert_eq!(one.name(), container().name());
        assert_ne!(one.name(), other.name());
        assert_ne!(one.name(), foreign.name());
        assert_ne!(name("a", "b/c"), name("a/b", "c"));
    }

    #[test]
    fn a_print_changes_with_all_that_makes_a_container_what_it_is() {
        let user = User { uid: 1, gid: 1 };
        let first = container().print(user).unwrap();
        assert_eq!(container().print(user).unwrap(), first);
        assert_ne!(container().print(User { uid: 2, gid: 1 }).unwrap(), first);
        let limits = Limits { memory: None, ..Limits::USUAL };
        let others = [
            Container { limits, ..container() },
            Container {
                policy: Policy { access: Access::ReadOnly, ..Policy::open() },
                ..container()
            },
            Container { network: Network::Named("n".into()), ..container() },
            Container { seat: Seat::Home, ..container() },
            Container { root: Root::Image("x".into()), ..container() },
            Container { guest: PathBuf::from("/proc/self/stat"), ..container() },
        ];
        for other in others {
            assert_ne!(other.print(user).unwrap(), first, "{other:?}");
        }
    }

    #[test]
    fn what_an_engine_would_misunderstand_is_refused() {
        assert!(container().check().is_ok());
        let wrong = [
            Container { workspace: String::new(), ..container() },
            Container { workspace: "a\nb".into(), ..container() },
            Container { files: Files::Directory("w".into()), ..container() },
            Container { run: "run".into(), ..container() },
        ];
        for wrong in wrong {
            assert_eq!(wrong.check().unwrap_err().code(), Code::InvalidParams);
        }
    }
}
