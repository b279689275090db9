//! Seventh layer: what one process may use, and how many there may be.
//!
//! Since Linux 5.14 processes are counted for each user namespace, so the bound holds
//! for this sandbox alone and not for everything its user runs.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{
    Limits,
    act::{Act, During, Failed},
};

/// The limits, ready to be set.
#[derive(Debug)]
pub(crate) struct Rlimits {
    rows: Vec<(Resource, u64)>,
}

/// No core file, and none for a program of this machine either: to that one, 0 would mean
/// that any length will do.
const NO_CORE: u64 = 1;

/// What to set. Memory of one process is bounded only where no cgroup bounds it
/// for all.
pub(crate) fn prepare(limits: &Limits, has_cgroup: Bounded) -> Rlimits {
    let mut rows = vec![
        (Resource::Core, NO_CORE),
        (Resource::Fsize, limits.file_size),
        (Resource::Nofile, limits.open_files),
        (Resource::Nproc, limits.processes),
    ];
    if let (Bounded::ByProcess, Some(memory)) = (has_cgroup, limits.memory) {
        rows.push((Resource::Data, memory));
    }
    // A hard limit cannot be raised; below it ours is the hard one.
    let capped = |(resource, value): (Resource, u64)| {
        let most = getrlimit(resource).maximum;
        (resource, most.map_or(value, |most| most.min(value)))
    };
    Rlimits { rows: rows.into_iter().map(capped).collect() }
}

/// What bounds the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bounded {
    /// A cgroup, for everything inside together.
    Together,
    /// Nothing better than a limit of each process.
    ByProcess,
}

impl Rlimits {
    /// Sets them.
    pub(crate) fn enter(&self) -> Result<(), Failed> {
        for (resource, value) in &self.rows {
            let limit = Rlimit { current: Some(*value), maximum: Some(*value) };
            setrlimit(*resource, limit).during(Act::Rlimit)?;
        }
        Ok(())
    }
}
