//! A workspace's virtual machine: what is wanted, and the parts that bring it about.
//!
//! A machine runs one guest, and everything goes through that guest: commands, and files
//! too, since they lie on a disk that is the machine's own. The disk outlives the
//! machine; what runs in it ends with the program that started it, or sooner. So a
//! machine is started when it is needed and again when it is gone, and its files are
//! those that were there before.
//!
//! The kernel and the system come from the operator and are never written to; the guest,
//! the kernel's modules and all that a machine is told of itself are put together for
//! each start in its first files ([`first_files`]).

mod disk;
mod first_files;
mod http;
pub mod kvm;
#[cfg(target_arch = "x86_64")]
mod kvm_unsafe;
mod launch;
mod launch_unsafe;
mod life;
mod monitor;
mod wanted;

pub(crate) use disk::prepare as prepare_disk;
pub(crate) use first_files::{PORT, Transport, VSOCK_PORT, write as write_first_files};
pub(crate) use http::{Api, connect_in};
pub(crate) use launch::{Launch, Running, find_program};
pub(crate) use life::{DISK, FIRST, Inside, Now, none_runs};
pub(crate) use monitor::Line;

pub(crate) use wanted::unavailable;

pub use life::{Alive, Runner, Virtual};
pub use wanted::{Image, Machine};
