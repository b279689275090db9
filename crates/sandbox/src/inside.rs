//! What a new process does before it is the program, in order.
//!
//! It runs on the memory of whoever started it: it calls the kernel, and neither
//! allocates nor locks nor panics.

use rustix::{fd::OwnedFd, io::write};

use crate::{
    act::{Act, During, Failed},
    clone_unsafe::Memory,
    namespaces, network,
    plan::{Plan, Spared},
    privileges,
    program_unsafe::Pointers,
    report::Report,
    seccomp,
};

/// Becomes the program, or says at what it could not. Gives an exit code where it
/// becomes none.
pub(crate) fn become_program(
    plan: &Plan,
    pointers: &(Pointers<'_>, Pointers<'_>),
    (memory, channel): (Memory, &OwnedFd),
) -> i32 {
    let entered = enter(plan, memory, channel);
    match entered.and_then(|sealed| plan.program.run(sealed.as_ref(), pointers)) {
        Ok(code) => code,
        Err(failed) => {
            // Whoever reads it is still waiting; if not, there is nobody to tell.
            let _ = write(channel, &Report::Failed(failed).to_bytes());
            FAILED
        }
    }
}

/// What a shell says of a program that cannot be run.
const FAILED: i32 = 126;

/// Puts the layers on; gives the program's file where it had to be sealed here.
fn enter(plan: &Plan, memory: Memory, channel: &OwnedFd) -> Result<Option<OwnedFd>, Failed> {
    let mut spared: Spared = plan.spared;
    plan.ids.first(memory, plan.superuser.as_ref())?;
    namespaces::settle()?;
    network::enter()?;
    let sealed = plan.program.seal()?;
    plan.mounts.enter(plan.superuser.as_ref())?;
    if let Some(cgroup) = &plan.cgroup {
        spared.spare(cgroup.enter())?;
    }
    namespaces::hide_cgroups()?;
    plan.ids.last(plan.superuser.as_ref())?;
    privileges::enter()?;
    plan.program.tie(plan.proc())?;
    plan.rlimits.enter()?;
    if let Some(landlock) = &plan.landlock {
        let file = plan.program.file(sealed.as_ref());
        spared.spare(landlock.enter(plan.mounts.reaches(), file))?;
    }
    plan.program.take_streams()?;
    if let Some(filter) = plan.seccomp {
        spared.spare(seccomp::enter(filter))?;
    }
    write(channel, &Report::Lacking(spared.lacking).to_bytes()).during(Act::Channel)?;
    Ok(sealed)
}
