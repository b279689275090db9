//! What the operator set up for sandboxes that are containers or virtual machines.

use std::{path::PathBuf, time::Duration};

use garth_remote::{
    container::{Limits, Network, Platform, Ulimit, User},
    providers::{Balloon, RateLimit},
};

use super::{E2bSettings, Software};

/// How long an engine may take to say that it is there.
const ANSWER: Duration = Duration::from_secs(1);

/// What was set up.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// What the system is to a local sandbox that is worked in as a whole.
    pub(crate) system: System,
    /// The guest's static program; looked for beside this program without.
    pub(crate) guest: Option<PathBuf>,
    /// The image that an engine makes containers of.
    pub(crate) image: Option<String>,
    /// A directory with a whole system in it, for whoever has no image.
    pub(crate) root: Option<PathBuf>,
    /// Who runs inside; the owner of the workspace's directory without.
    pub(crate) user: Option<User>,
    /// What a container may use.
    pub(crate) limits: Limits,
    /// What a container can reach.
    pub(crate) network: Network,
    /// Limits of a process.
    pub(crate) ulimits: Vec<Ulimit>,
    /// What the engine needs,
    pub(crate) podman: Podman,
    /// what gVisor needs without one,
    pub(crate) gvisor: Gvisor,
    /// what virtual machines are,
    pub(crate) machines: Machines,
    /// what QEMU needs,
    pub(crate) qemu: Qemu,
    /// what Firecracker does,
    pub(crate) firecracker: Firecracker,
    /// and who keeps sandboxes elsewhere.
    pub(crate) e2b: E2bSettings,
}

/// What this machine's system is to a local sandbox that is worked in as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// It can be changed, by that sandbox for itself, which has a root then.
    Own,
    /// It can be read.
    Shown,
}

/// What virtual machines are.
#[derive(Clone, Debug)]
pub(crate) struct Machines {
    /// The kernel; where a package has it without, and so are the others.
    pub(crate) kernel: Option<PathBuf>,
    /// A directory with its modules.
    pub(crate) modules: Option<PathBuf>,
    /// A disk with the system.
    pub(crate) root: Option<PathBuf>,
    /// Bytes of memory.
    pub(crate) memory: u64,
    /// Processors.
    pub(crate) processors: u32,
    /// Bytes of the workspace's disk.
    pub(crate) disk: u64,
}

/// What QEMU needs.
#[derive(Clone, Debug)]
pub(crate) struct Qemu {
    /// A path, or a name that is looked up.
    pub(crate) program: PathBuf,
    /// Whether a processor may be emulated.
    pub(crate) software: Software,
    /// More flags that this machine needs.
    pub(crate) flags: Vec<String>,
}

/// What Firecracker needs.
#[derive(Clone, Debug)]
pub(crate) struct Firecracker {
    /// A path, or a name that is looked up.
    pub(crate) program: PathBuf,
    /// A kernel that is not packed; the one beside the other without.
    pub(crate) kernel: Option<PathBuf>,
    /// Its jailer; none runs it as it is.
    pub(crate) jailer: Option<PathBuf>,
    /// A network interface of this machine; no network without.
    pub(crate) interface: Option<String>,
    /// Memory that is taken from a machine.
    pub(crate) balloon: Option<Balloon>,
    /// How fast its disk may be,
    pub(crate) disk_rate: RateLimit,
    /// and its network.
    pub(crate) network_rate: RateLimit,
}

/// What the engine needs.
#[derive(Clone, Debug)]
pub(crate) struct Podman {
    /// Its socket; where it usually is without.
    pub(crate) socket: Option<PathBuf>,
    /// The runtime that must run containers; the engine's own choice without.
    pub(crate) runtime: Option<String>,
    /// How long it may take to say that it is there.
    pub(crate) answer: Duration,
}

/// What gVisor needs without an engine.
#[derive(Clone, Debug)]
pub(crate) struct Gvisor {
    /// `runsc`: a path, or a name that is looked up.
    pub(crate) runsc: PathBuf,
    /// By what it runs programs; found by trying without.
    pub(crate) platform: Option<Platform>,
    /// More flags that this machine needs.
    pub(crate) flags: Vec<String>,
}

impl Config {
    /// What holds where nothing is set up.
    pub(crate) fn usual() -> Self {
        Self {
            system: System::Own,
            guest: None,
            image: None,
            root: None,
            user: None,
            limits: Limits::USUAL,
            network: Network::None,
            ulimits: Vec::new(),
            podman: Podman { socket: None, runtime: None, answer: ANSWER },
            gvisor: Gvisor { runsc: "runsc".into(), platform: None, flags: Vec::new() },
            machines: Machines {
                kernel: None,
                modules: None,
                root: None,
                memory: 512 << 20,
                processors: 1,
                disk: 8 << 30,
            },
            qemu: Qemu {
                program: "qemu-system-x86_64".into(),
                software: Software::Refused,
                flags: Vec::new(),
            },
            firecracker: Firecracker {
                program: "firecracker".into(),
                kernel: None,
                jailer: None,
                interface: None,
                balloon: None,
                disk_rate: RateLimit::default(),
                network_rate: RateLimit::default(),
            },
            e2b: E2bSettings::usual(),
        }
    }
}
