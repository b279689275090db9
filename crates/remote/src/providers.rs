//! Where guests run: one file for each kind of place, and each implements
//! [`Connect`](crate::Connect) and no more.

mod gvisor;
mod local;
mod podman;
mod process;
mod socket;

pub use gvisor::Gvisor;
pub use local::Local;
pub use podman::Podman;
pub use process::Process;
pub use socket::Socket;
