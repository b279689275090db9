//! Everything that a new process needs to become a sandbox, made ready beforehand.

use rustix::fd::OwnedFd;
use seccompiler::BpfProgram;

use crate::{
    Layer, Needs, Refusal, Spec, Stdio, Tenure,
    cgroup::{self, Cgroup},
    ids::{self, Ids},
    landlock::{self, Landlock},
    mounts::{self, Mounts},
    program::{self, Ready, Work},
    rlimits::{self, Bounded, Rlimits},
    seccomp,
    superuser::{self, Superuser},
};

/// A sandbox, ready to be made.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) ids: Ids,
    pub(crate) superuser: Option<Superuser>,
    pub(crate) mounts: Mounts,
    pub(crate) cgroup: Option<Cgroup>,
    pub(crate) rlimits: Rlimits,
    pub(crate) landlock: Option<Landlock>,
    pub(crate) seccomp: Option<&'static BpfProgram>,
    pub(crate) program: Ready,
    /// What it may lack, and what of that it is known to lack.
    pub(crate) spared: Spared,
}

impl Plan {
    /// Looks at this machine and makes ready what can be.
    ///
    /// *Errors*: the first layer that cannot be had and may not be lacking.
    pub(crate) fn prepare(spec: &Spec, work: Work<'_>, stdio: &Stdio) -> Result<Self, Refusal> {
        let mut spared = Spared { needs: spec.needs, lacking: 0 };
        let (ids, turned) = ids::prepare(&spec.roots, spec.needs)?;
        let program = program::prepare(work, &ids, (&spec.environment, stdio))?;
        if ids.is_root() {
            spared.lacking |= Layer::Ids.bit();
        }
        let mounts = mounts::prepare(spec, &ids, turned)?;
        let superuser = match spec.tenure {
            Tenure::Shown => None,
            Tenure::Own { .. } => Some(superuser::prepare(&ids, spec.limits.processes)?),
        };
        let landlock = spared.spare(landlock::prepare())?;
        let seccomp = spared.spare(seccomp::prepare(&spec.tenure))?;
        let cgroup = spared.spare(cgroup::prepare(&spec.limits, &ids))?.flatten();
        let bounded = if cgroup.is_some() { Bounded::Together } else { Bounded::ByProcess };
        let rlimits = rlimits::prepare(&spec.limits, bounded);
        Ok(Self { ids, superuser, mounts, cgroup, rlimits, landlock, seccomp, program, spared })
    }

    /// Our `/proc`.
    pub(crate) fn proc(&self) -> &OwnedFd {
        &self.ids.lent().proc
    }
}

/// Which layers may be lacking, and which are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spared {
    needs: Needs,
    pub(crate) lacking: u16,
}

impl Spared {
    /// Nothing in place of a layer that may be lacking.
    pub(crate) fn spare<T, E: AtLayer>(&mut self, layer: Result<T, E>) -> Result<Option<T>, E> {
        match layer {
            Ok(layer) => Ok(Some(layer)),
            Err(error) if !self.needs.includes(error.layer()) => {
                self.lacking |= error.layer().bit();
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// An error that knows its layer.
pub(crate) trait AtLayer {
    /// The layer that could not be had.
    fn layer(&self) -> Layer;
}

impl AtLayer for Refusal {
    fn layer(&self) -> Layer {
        Refusal::layer(self)
    }
}

impl AtLayer for crate::act::Failed {
    fn layer(&self) -> Layer {
        self.act.layer()
    }
}
