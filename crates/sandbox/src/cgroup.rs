//! Fifth layer: memory and processor time of everything inside together.

use rustix::{fd::OwnedFd, io::write};

use crate::{
    Limits, Refusal,
    act::{Act, During, Failed},
};

/// A cgroup of one sandbox. Dropping it removes it, once nothing is in it.
#[derive(Debug)]
pub(crate) struct Cgroup {
    processes: Vec<OwnedFd>,
}

/// Makes a cgroup with the limits, where they need one.
pub(crate) fn prepare(limits: &Limits) -> Result<Option<Cgroup>, Refusal> {
    if limits.memory.is_none() && limits.cpu_percent.is_none() {
        return Ok(None);
    }
    Err(Refusal::of(Act::CgroupFind, "cgroups are not made yet"))
}

impl Cgroup {
    /// Moves this process into it.
    pub(crate) fn enter(&self) -> Result<(), Failed> {
        for processes in &self.processes {
            write(processes, b"0").during(Act::CgroupJoin)?;
        }
        Ok(())
    }
}
