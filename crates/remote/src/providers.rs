//! Where guests run: one file for each kind of place, and each implements
//! [`Connect`](crate::Connect) and no more.

mod local;
mod process;
mod socket;

pub use local::Local;
pub use process::Process;
pub use socket::Socket;
