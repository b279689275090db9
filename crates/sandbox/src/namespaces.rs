//! First layer: processes, queues, names, mounts and network of its own.

use std::ffi::c_int;

use rustix::{process::setsid, system::sethostname, thread::UnshareFlags};

use crate::{
    act::{Act, During, Failed},
    ids::Ids,
    program_unsafe,
};

/// The name of the machine inside.
const HOST_NAME: &[u8] = b"garth";

/// The namespaces that the new process begins in.
///
/// All at once, since each further call is a copy and a wait. Who is root makes its
/// user namespace last, when there is nothing more to do that needs a privilege; who is not
/// makes it first, since in there the rest is allowed.
pub(crate) fn flags(ids: &Ids) -> c_int {
    let common = libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWNET;
    match ids {
        Ids::Own(_) => common | libc::CLONE_NEWUSER,
        Ids::Runner(_) => common,
    }
}

/// Names the machine, and leaves the session, and with it the terminal, of whoever
/// started it.
pub(crate) fn settle() -> Result<(), Failed> {
    sethostname(HOST_NAME).during(Act::HostName)?;
    setsid().during(Act::Session)?;
    Ok(())
}

/// Takes the cgroup it is in as the top of all cgroups. After it has entered its own.
pub(crate) fn hide_cgroups() -> Result<(), Failed> {
    program_unsafe::unshare(UnshareFlags::NEWCGROUP).during(Act::CgroupView)
}
