//! What a sandbox must not allow, as calls that try it.
//!
//! Each attempt does one forbidden thing for real and undoes what it can; success means that
//! the thing is allowed. [`probe`](crate::probe) makes them inside a sandbox that is thrown away, and
//! `garth-attempt` makes one of them anywhere, which shows that it works where there is no
//! sandbox. None of them allocates, so that they can run in a process that was just made.

mod calls_unsafe;
mod files;
mod kernel;
mod processes;
mod sockets;

pub(crate) use calls_unsafe::{eat, fork_idle};

use std::ffi::CString;

use rustix::io::Errno;

use crate::Layer;

/// What lies outside for an attempt to reach.
#[derive(Clone, Debug)]
pub struct Bait {
    /// A file that can be read outside.
    pub file: CString,
    /// A name in a directory that can be written outside; nothing has it.
    pub absent: CString,
    /// A process outside.
    pub process: i32,
    /// A port of this machine's loopback where somebody listens.
    pub port: u16,
    /// The name of an abstract unix socket where somebody listens.
    pub name: Vec<u8>,
}

/// One thing that a sandbox must not allow.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// Its name.
    pub name: &'static str,
    /// The layer that should refuse it first.
    pub layer: Layer,
    /// Whether it works outside.
    pub outside: Outside,
    run: fn(&Bait) -> Result<(), Errno>,
}

/// Whether an attempt works where there is no sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// For everybody.
    Works,
    /// For root.
    WorksForRoot,
    /// It depends on how the kernel was built.
    Depends,
    /// It would harm the machine: never try.
    Harms,
}

impl Attempt {
    /// Makes the attempt.
    ///
    /// *Errors*: what the kernel answered, which is what a sandbox should give.
    pub fn make(&self, bait: &Bait) -> std::io::Result<()> {
        self.try_it(bait).map_err(Into::into)
    }

    pub(crate) fn try_it(&self, bait: &Bait) -> Result<(), Errno> {
        (self.run)(bait)
    }
}

use Layer::{Ids, Mounts, Namespaces, Network, Privileges, Seccomp};
use Outside::{Depends, Harms, Works, WorksForRoot};

const fn row(
    name: &'static str,
    layer: Layer,
    outside: Outside,
    run: fn(&Bait) -> Result<(), Errno>,
) -> Attempt {
    Attempt { name, layer, outside, run }
}

/// All of them, by the layer that should refuse first.
#[rustfmt::skip]
pub const ALL: &[Attempt] = &[
    row("signal-outside",      Namespaces, Works,        processes::signal),
    row("see-outside",         Namespaces, Works,        processes::see),
    row("environ-outside",     Namespaces, WorksForRoot, processes::environ),
    row("root-of-outside",     Namespaces, WorksForRoot, processes::root),
    row("set-host-name",       Namespaces, Harms,        kernel::set_host_name),
    row("be-root",             Ids,        WorksForRoot, processes::be_root),
    row("write-sysctl",        Ids,        WorksForRoot, files::write_sysctl),
    row("write-sysrq",         Ids,        Harms,        files::write_sysrq),
    row("write-core-pattern",  Ids,        Harms,        files::write_core_pattern),
    row("read-file",           Mounts,     Works,        files::read),
    row("read-file-by-dots",   Mounts,     Works,        files::read_by_dots),
    row("write-file",          Mounts,     Works,        files::write),
    row("read-shadow",         Mounts,     WorksForRoot, files::read_shadow),
    row("write-usr",           Mounts,     Harms,        files::write_usr),
    row("open-disk",           Mounts,     Depends,      files::open_disk),
    row("connect-loopback",    Network,    Works,        sockets::connect_loopback),
    row("connect-abstract",    Network,    Works,        sockets::connect_abstract),
    row("mount",               Privileges, Harms,        kernel::mount),
    row("remount-root",        Privileges, Harms,        kernel::remount),
    row("unmount",             Privileges, Harms,        kernel::unmount),
    row("new-mount-api",       Privileges, WorksForRoot, kernel::new_mount_api),
    row("make-device",         Privileges, WorksForRoot, files::make_device),
    row("chroot",              Privileges, WorksForRoot, kernel::chroot),
    row("load-module",         Privileges, Harms,        kernel::load_module),
    row("reboot",              Privileges, Harms,        kernel::reboot),
    row("raw-socket",          Privileges, WorksForRoot, sockets::raw),
    row("packet-socket",       Privileges, Depends,      sockets::packet),
    row("new-user-namespace",  Seccomp,    Works,        kernel::unshare_user),
    row("clone-user",          Seccomp,    Works,        kernel::clone_user),
    row("clone3",              Seccomp,    Works,        kernel::clone3),
    row("join-namespace",      Seccomp,    WorksForRoot, kernel::set_namespace),
    row("ptrace",              Seccomp,    WorksForRoot, processes::ptrace),
    row("trace-me",            Seccomp,    Works,        processes::trace_me),
    row("read-memory",         Seccomp,    WorksForRoot, processes::read_memory),
    row("steal-handle",        Seccomp,    Works,        processes::steal_handle),
    row("open-by-handle",      Seccomp,    Depends,      files::open_by_handle),
    row("keyring",             Seccomp,    Depends,      kernel::keyring),
    row("add-key",             Seccomp,    Depends,      kernel::add_key),
    row("bpf",                 Seccomp,    Depends,      kernel::bpf),
    row("userfaultfd",         Seccomp,    Depends,      kernel::userfaultfd),
    row("io-uring",            Seccomp,    Depends,      kernel::io_uring),
    row("perf-event",          Seccomp,    Depends,      kernel::perf_event),
    row("kexec",               Seccomp,    Harms,        kernel::kexec),
    row("kernel-log",          Seccomp,    WorksForRoot, kernel::read_log),
    row("fake-typing",         Seccomp,    Depends,      files::fake_typing),
    row("vsock",               Seccomp,    Depends,      sockets::vsock),
    row("alg-socket",          Seccomp,    Depends,      sockets::alg),
    row("netlink-audit",       Seccomp,    Depends,      sockets::netlink_audit),
    row("netfilter",           Seccomp,    Depends,      sockets::netfilter),
    row("sctp",                Seccomp,    Depends,      sockets::sctp),
    row("unknown-call",        Seccomp,    Depends,      kernel::unknown_call),
];

/// The attempt with this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Attempt> {
    ALL.iter().find(|attempt| attempt.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attempt_has_a_name_of_its_own() {
        for attempt in ALL {
            let same = ALL.iter().filter(|other| other.name == attempt.name);
            assert_eq!(same.count(), 1, "{}", attempt.name);
        }
    }
}
