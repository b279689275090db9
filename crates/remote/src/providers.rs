//! Where guests run: one file for each kind of place, and each implements
//! [`Connect`](crate::Connect) and no more.

mod e2b;
mod firecracker;
mod gvisor;
mod local;
mod podman;
mod process;
mod qemu;
mod socket;
mod tcp;

pub use e2b::{E2b, Workspace as E2bWorkspace, installation};
pub use firecracker::{Balloon, Firecracker, Monitors, RateLimit};
pub use gvisor::Gvisor;
pub use local::Local;
pub use podman::Podman;
pub use process::Process;
pub use qemu::{Accelerator, Emulator, Qemu};
pub use socket::Socket;
pub use tcp::Tcp;
