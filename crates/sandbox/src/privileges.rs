//! Sixth layer: no capability, and no way to gain one.

use rustix::{
    io::Errno,
    thread::{
        CapabilitiesSecureBits, CapabilitySet, CapabilitySets, remove_capability_from_bounding_set,
        set_capabilities, set_capabilities_secure_bits, set_no_new_privs,
    },
};

use crate::act::{Act, During, Failed};

/// More than any kernel has; the first that it does not know ends the loop.
const MOST_CAPABILITIES: u32 = 64;

/// Gives up what there is, and what a program with the set-user-id bit could bring.
pub(crate) fn enter() -> Result<(), Failed> {
    for number in 0..MOST_CAPABILITIES {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        match remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            Err(Errno::INVAL) if number > 0 => break,
            Err(errno) => return Err(Failed { act: Act::Bounding, errno }),
        }
    }
    let bits = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    set_capabilities_secure_bits(bits).during(Act::Capabilities)?;
    // Ambient ones go with the permitted ones.
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, sets).during(Act::Capabilities)?;
    set_no_new_privs(true).during(Act::NoNewPrivileges)
}
