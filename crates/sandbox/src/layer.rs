//! The layers of a sandbox, and what an operator can do where one is missing.

use std::fmt;

/// One layer of a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// Processes, queues, names and mounts of its own.
    Namespaces,
    /// Ids of its own, and the workspace's owner behind them.
    Ids,
    /// A file tree of its own.
    Mounts,
    /// A network of its own, with loopback.
    Network,
    /// Memory and processor time.
    Cgroup,
    /// No capability, and no way to gain one.
    Privileges,
    /// Processes, open files, length of files.
    Rlimits,
    /// A second fence around the files, and one around signals.
    Landlock,
    /// The calls of the kernel.
    Seccomp,
    /// The program itself.
    Program,
}

struct Row {
    layer: Layer,
    name: &'static str,
    presence: Presence,
    advice: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Always,
    UnlessAllowed,
}

use Presence::{Always, UnlessAllowed};

#[rustfmt::skip]
const TABLE: &[Row] = &[
    Row { layer: Layer::Namespaces, name: "namespaces", presence: Always,        advice: "Allow user namespaces: user.max_user_namespaces above 0, and no AppArmor or container rule against them." },
    Row { layer: Layer::Ids,        name: "ids",        presence: UnlessAllowed, advice: "Give the workspace an owner other than root, or put it on a file system that can map ids (ext4, xfs, btrfs, tmpfs); run as an ordinary user, or as root with all its capabilities." },
    Row { layer: Layer::Mounts,     name: "mounts",     presence: Always,        advice: "Needs Linux 5.12 and a /proc that no container has covered." },
    Row { layer: Layer::Network,    name: "network",    presence: Always,        advice: "Allow network namespaces: user.max_net_namespaces above 0." },
    Row { layer: Layer::Cgroup,     name: "cgroup",     presence: UnlessAllowed, advice: "Run as root, or hand over a cgroup with memory, pids and cpu (systemd: Delegate=yes), or allow the sandbox to do without." },
    Row { layer: Layer::Privileges, name: "privileges", presence: Always,        advice: "The kernel refused to give capabilities up; look for a security module." },
    Row { layer: Layer::Rlimits,    name: "rlimits",    presence: Always,        advice: "Raise the hard limits of the process that starts sandboxes." },
    Row { layer: Layer::Landlock,   name: "landlock",   presence: UnlessAllowed, advice: "Needs Linux 5.19 with landlock among the security modules (lsm=), or allow the sandbox to do without." },
    Row { layer: Layer::Seccomp,    name: "seccomp",    presence: UnlessAllowed, advice: "Needs a kernel with CONFIG_SECCOMP_FILTER, or allow the sandbox to do without." },
    Row { layer: Layer::Program,    name: "program",    presence: Always,        advice: "The program must exist inside, be executable, and be of this machine's kind." },
];

impl Layer {
    /// Every layer, in the order in which they are put on.
    pub const ALL: [Self; 10] = [
        Self::Namespaces,
        Self::Ids,
        Self::Mounts,
        Self::Network,
        Self::Cgroup,
        Self::Privileges,
        Self::Rlimits,
        Self::Landlock,
        Self::Seccomp,
        Self::Program,
    ];

    /// Its name, as configuration and messages have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What an operator can do where it is missing.
    #[must_use]
    pub fn advice(self) -> &'static str {
        self.row().advice
    }

    /// The layer with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.layer)
    }

    /// Whether an operator may allow a sandbox without it.
    #[must_use]
    pub fn can_be_spared(self) -> bool {
        self.row().presence == UnlessAllowed
    }

    /// Its bit in a set of layers.
    pub(crate) fn bit(self) -> u16 {
        1 << (self as u16)
    }

    fn row(self) -> &'static Row {
        const UNKNOWN: &Row =
            &Row { layer: Layer::Program, name: "unknown", presence: Always, advice: "" };
        TABLE.get(self as usize).unwrap_or(UNKNOWN)
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_has_its_row() {
        assert_eq!(TABLE.len(), Layer::ALL.len());
        for layer in Layer::ALL {
            assert_eq!(layer.row().layer, layer);
            assert_eq!(Layer::from_name(layer.name()), Some(layer));
            assert!(layer.advice().ends_with('.'), "{layer}");
        }
        assert_eq!(Layer::from_name("nope"), None);
    }
}
