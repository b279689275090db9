//! The local sandbox: one program that sees a workspace and nothing else of this machine.
//!
//! [`start`] makes it out of layers, each in a file of its own, in the order in
//! which they are put on:
//!
//! | layer | file | what it keeps out |
//! |---|---|---|
//! | namespaces | `namespaces.rs` | other processes, their memory, their queues, the name of the machine |
//! | ids | `ids.rs` | the rights of whoever started it |
//! | mounts | `mounts.rs` | every file but the workspace and the system's programs |
//! | network | `network.rs` | every network but its own loopback |
//! | cgroup | `cgroup.rs` | more memory and processor time than it was given |
//! | privileges | `privileges.rs` | capabilities, and any way to gain one |
//! | rlimits | `rlimits.rs` | more processes, open files and long files than it was given |
//! | landlock | `landlock.rs` | what the mounts already keep out, once more |
//! | seccomp | `seccomp.rs` | calls of the kernel that no workspace needs |
//! | program | `program.rs` | handles and signals of whoever started it |
//!
//! A layer that cannot be had is a [`Refusal`] that names it, unless the spec says
//! that the sandbox may do without. [`probe`] tries each layer on this machine.
//!
//! # A system of its own
//!
//! With [`Tenure::Own`] the system's directories can be changed, for that sandbox alone and for
//! as long as it lives (`mounts/own.rs`), and `sudo` makes a command user 0 (`superuser.rs`):
//! a number in a user namespace to which nothing belongs. No layer is left out for it; the
//! filter lets one more thing be done, to enter such a namespace.
//!
//! # What the program inside should do
//!
//! It is process 1: whatever loses its parent becomes its child, so it should reap; and signals
//! from inside cannot end it. Everything inside has the same id. The filter keeps others from
//! tracing it, and its socket cannot be opened a second time, but its memory can be read
//! through `/proc` unless it says `PR_SET_DUMPABLE` 0 before it starts anything.
//!
//! # What happens before it runs
//!
//! What happens between the new process and its program is listed in `inside.rs`:
//! no allocation, no lock, no thread, kernel calls only, since it runs on the memory of the
//! process that started it.

mod act;
pub mod attempt;
mod cgroup;
mod clone_unsafe;
mod ids;
mod image;
mod inside;
mod landlock;
mod landlock_unsafe;
mod layer;
mod mounts;
mod mounts_unsafe;
mod namespaces;
mod network;
mod network_unsafe;
mod plan;
mod privileges;
mod probe;
mod program;
mod program_unsafe;
mod refusal;
mod report;
mod rlimits;
mod running;
mod seccomp;
mod spec;
mod start;
mod sudo;
mod superuser;
mod trial;

pub use garth_contract::Seat;
pub use layer::Layer;
pub use mounts::can_be_visible;
pub use network::raise_loopback;
pub use probe::{Probed, State, probe};
pub use refusal::Refusal;
pub use running::{Ended, Running};
pub use seccomp::refused_calls;
pub use spec::{
    Access, HOME, Image, Limits, Needs, Network, Program, Root, Spec, Stdio, Tenure, WORKSPACE,
    base_environment, environment_of,
};
pub use start::start;
pub use sudo::sudo;
pub use superuser::SUDO;
