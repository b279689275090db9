//! Where guests run: one file for each kind of place, and each implements
//! [`Connect`](crate::Connect) and no more.

mod process;

pub use process::Process;
