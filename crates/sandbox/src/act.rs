//! What is asked of the kernel while a sandbox is made, so that a refusal can say at what.
//!
//! A new process can say no more than a number before its program runs; this
//! table is what the number means.

use rustix::io::Errno;

use crate::Layer;

macro_rules! acts {
    ($($name:ident $layer:ident $phrase:literal;)*) => {
        /// One thing that is asked of the kernel.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Act { $($name),* }

        impl Act {
            const ALL: &[Self] = &[$(Self::$name),*];

            /// The layer it belongs to.
            pub(crate) fn layer(self) -> Layer {
                match self { $(Self::$name => Layer::$layer),* }
            }

            /// What it does, after "cannot".
            pub(crate) fn phrase(self) -> &'static str {
                match self { $(Self::$name => $phrase),* }
            }
        }
    };
}

#[rustfmt::skip]
acts! {
    Thread          Namespaces "start the thread that keeps it";
    Channel         Namespaces "open a pipe for its report";
    Clone           Namespaces "make a process in namespaces of its own";
    Session         Namespaces "begin a session of its own";
    HostName        Namespaces "set the name of the machine inside";
    CgroupView      Namespaces "hide the cgroups above it";
    OldProc         Ids        "open /proc";
    DenyGroups      Ids        "give up the change of groups";
    UidMap          Ids        "map its user id";
    GidMap          Ids        "map its group id";
    DropGroups      Ids        "leave every group";
    BecomeGroup     Ids        "take its group id";
    BecomeUser      Ids        "take its user id";
    Dumpable        Ids        "own its own /proc entries";
    UserNamespace   Namespaces "make a user namespace";
    Superuser       Ids        "make a namespace for its superuser";
    Owner           Ids        "give what it writes to the workspace's owner";
    Places          Mounts     "place the workspace's directories";
    System          Mounts     "look at the system's directories";
    Private         Mounts     "separate its mounts from ours";
    RootTree        Mounts     "make its root directory";
    Fill            Mounts     "fill its root directory";
    Devices         Mounts     "make its devices";
    BindSystem      Mounts     "show the system's programs";
    Layers          Mounts     "make the system's directories its own";
    BindSudo        Mounts     "show sudo";
    BindRoot        Mounts     "show the workspace";
    BindSocket      Mounts     "show the proxy's socket";
    MountProc       Mounts     "mount /proc";
    MountTerminals  Mounts     "mount /dev/pts";
    Scratch         Mounts     "make /tmp and the home directory writable";
    Pivot           Mounts     "change to its root directory";
    Seal            Mounts     "make its root directory read-only";
    WorkDir         Mounts     "enter the workspace";
    Loopback        Network    "bring loopback up";
    CgroupFind      Cgroup     "find a cgroup to make one in";
    CgroupMake      Cgroup     "make a cgroup";
    CgroupLimit     Cgroup     "set a limit of its cgroup";
    CgroupJoin      Cgroup     "enter its cgroup";
    Bounding        Privileges "empty the bounding set";
    Capabilities    Privileges "give up every capability";
    NoNewPrivileges Privileges "forbid new privileges";
    DeathSignal     Program    "end together with whoever started it";
    Orphaned        Program    "find whoever started it still running";
    Rlimit          Rlimits    "set a limit";
    LandlockMake    Landlock   "make a ruleset";
    LandlockRule    Landlock   "add a rule";
    LandlockEnter   Landlock   "enforce the ruleset";
    SeccompCompile  Seccomp    "compile the filter";
    SeccompEnter    Seccomp    "install the filter";
    SealProgram     Program    "keep its file from being changed";
    Streams         Program    "give it its standard streams";
    CloseRest       Program    "close every other handle";
    Argument        Program    "pass its arguments";
    Exec            Program    "run it";
    Vanished        Program    "learn what became of it";
}

impl Act {
    /// The act with this number.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// An act that the kernel refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed {
    /// Which one.
    pub(crate) act: Act,
    /// What the kernel answered.
    pub(crate) errno: Errno,
}

/// Names the act of a kernel's answer.
pub(crate) trait During<T> {
    /// The same answer, which now says at what.
    fn during(self, act: Act) -> Result<T, Failed>;
}

impl<T> During<T> for Result<T, Errno> {
    fn during(self, act: Act) -> Result<T, Failed> {
        self.map_err(|errno| Failed { act, errno })
    }
}

impl From<Failed> for crate::Refusal {
    fn from(failed: Failed) -> Self {
        Self::at(failed.act, failed.errno)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_finds_its_act() {
        for act in Act::ALL {
            assert_eq!(Act::from_number(*act as u8), Some(*act));
        }
        assert_eq!(Act::from_number(255), None);
    }
}
