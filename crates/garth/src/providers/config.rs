//! What the operator set up for sandboxes that are containers.

use std::{path::PathBuf, time::Duration};

use garth_remote::container::{Limits, Network, Platform, Ulimit, User};

/// How long an engine may take to say that it is there.
const ANSWER: Duration = Duration::from_secs(1);

/// What was set up.
#[derive(Clone, Debug)]
pub(crate) struct Config {
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
    /// and what gVisor needs without one.
    pub(crate) gvisor: Gvisor,
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
            guest: None,
            image: None,
            root: None,
            user: None,
            limits: Limits::USUAL,
            network: Network::None,
            ulimits: Vec::new(),
            podman: Podman { socket: None, runtime: None, answer: ANSWER },
            gvisor: Gvisor { runsc: "runsc".into(), platform: None, flags: Vec::new() },
        }
    }
}
