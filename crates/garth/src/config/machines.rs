//! The keys of the sandboxes that are virtual machines.

use garth_remote::providers::{Balloon, RateLimit};

use super::{
    containers::{absolute, program, word},
    given::{Given, Wrong},
    keys::{Key, key},
};
use crate::providers::Software;

/// What is in a machine, what it may use, and what runs it.
pub(super) fn keys() -> Vec<Key> {
    let mut keys = image();
    keys.extend(bounds());
    keys.extend(qemu());
    keys.extend(firecracker());
    keys.extend(rates());
    keys
}

fn image() -> Vec<Key> {
    vec![
        key("machines.kernel", "the kernel of virtual machines", |settings, given| {
            settings.containers.machines.kernel = Some(absolute(given)?);
            Ok(())
        }),
        key("machines.modules", "a directory with modules of that kernel", |settings, given| {
            settings.containers.machines.modules = Some(absolute(given)?);
            Ok(())
        }),
        key("machines.root", "the disk with the system, which is only read", |settings, given| {
            settings.containers.machines.root = Some(absolute(given)?);
            Ok(())
        }),
    ]
}

fn bounds() -> Vec<Key> {
    vec![
        key("machines.memory", "how many bytes of memory a machine has", |settings, given| {
            settings.containers.machines.memory = given.bytes()?;
            Ok(())
        }),
        key("machines.processors", "how many processors a machine has", |settings, given| {
            settings.containers.machines.processors = given.count()?;
            Ok(())
        }),
        key(
            "machines.disk",
            "how many bytes the files of a workspace in a machine may have",
            |settings, given| {
                settings.containers.machines.disk = given.bytes()?;
                Ok(())
            },
        ),
    ]
}

fn qemu() -> Vec<Key> {
    vec![
        key("qemu.program", "the program of QEMU, a path or a name", |settings, given| {
            settings.containers.qemu.program = program(given)?;
            Ok(())
        }),
        key(
            "qemu.software",
            "whether a processor may be emulated where KVM cannot be used",
            |settings, given| {
                let allowed = given.switch()?;
                settings.containers.qemu.software =
                    if allowed { Software::Allowed } else { Software::Refused };
                Ok(())
            },
        ),
        key("qemu.flags", "more flags of QEMU that this machine needs", |settings, given| {
            settings.containers.qemu.flags = given.texts()?;
            Ok(())
        }),
    ]
}

fn firecracker() -> Vec<Key> {
    vec![
        key("firecracker.program", "Firecracker, a path or a name", |settings, given| {
            settings.containers.firecracker.program = program(given)?;
            Ok(())
        }),
        key(
            "firecracker.kernel",
            "the kernel that Firecracker starts, which is not packed",
            |settings, given| {
                settings.containers.firecracker.kernel = Some(absolute(given)?);
                Ok(())
            },
        ),
        key("firecracker.jailer", "Firecracker's jailer, a path or a name", |settings, given| {
            settings.containers.firecracker.jailer = Some(program(given)?);
            Ok(())
        }),
        key(
            "firecracker.interface",
            "the network interface that a microVM is connected to",
            |settings, given| {
                settings.containers.firecracker.interface = Some(word(given)?);
                Ok(())
            },
        ),
        key(
            "firecracker.balloon",
            "how many bytes are taken from a microVM unless it needs them",
            |settings, given| {
                let mebibytes = u32::try_from(given.bytes()? >> 20).map_err(|_| "is too much")?;
                settings.containers.firecracker.balloon = Some(Balloon { mebibytes });
                Ok(())
            },
        ),
    ]
}

type Side = fn(&mut crate::serve::settings::Settings) -> &mut RateLimit;

const SIDES: [(&str, &str, &str, Side); 2] = [
    (
        "disk",
        "how many bytes a microVM may read and write in a second",
        "how often a microVM may read and write in a second",
        |settings| &mut settings.containers.firecracker.disk_rate,
    ),
    (
        "network",
        "how many bytes a microVM may send, and receive, in a second",
        "how many packets a microVM may send, and receive, in a second",
        |settings| &mut settings.containers.firecracker.network_rate,
    ),
];

fn rates() -> Vec<Key> {
    let pair = |(name, bytes, operations, side): (&str, _, _, Side)| {
        [
            key(
                &format!("firecracker.{name}_bytes_per_second"),
                bytes,
                move |settings, given: &Given<'_>| -> Result<(), Wrong> {
                    side(settings).bytes = Some(given.bytes()?);
                    Ok(())
                },
            ),
            key(
                &format!("firecracker.{name}_operations_per_second"),
                operations,
                move |settings, given: &Given<'_>| -> Result<(), Wrong> {
                    side(settings).operations = Some(given.count()?);
                    Ok(())
                },
            ),
        ]
    };
    SIDES.into_iter().flat_map(pair).collect()
}
