//! Fourth layer: a network of its own, in which there is loopback and nothing else.
//!
//! The namespace came with the process; an empty one has no way out, not even to the
//! loopback of this machine, and no abstract socket of anybody else. What may be
//! reached through a proxy comes in as a unix socket among the mounts.

use rustix::{
    io::Errno,
    net::{AddressFamily, SocketFlags, SocketType, socket_with},
};

use crate::{
    act::{Act, During, Failed},
    network_unsafe::bring_up_loopback,
};

/// Brings loopback up, so that a server inside can be reached from inside.
pub(crate) fn enter() -> Result<(), Failed> {
    raise_loopback().during(Act::Loopback)
}

/// Brings the loopback of this network namespace up.
///
/// # Errors
/// Those of the system: it takes the right to change the network.
pub fn raise_loopback() -> Result<(), Errno> {
    let (family, kind) = (AddressFamily::INET, SocketType::DGRAM);
    let socket = socket_with(family, kind, SocketFlags::CLOEXEC, None)?;
    bring_up_loopback(socket)
}
