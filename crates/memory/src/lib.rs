//! Files in RAM: a workspace whose snapshots and forks cost next to nothing.
//!
//! [`Memory`] keeps the contract of [`Filesystem`](garth_contract::Filesystem)
//! without touching a disk. It begins empty or with a copy of another workspace's
//! files ([`Mount`]), which is never changed. It is gone with the process.

mod blocking;
mod change;
mod fence;
mod filesystem;
mod find;
mod ignore;
mod list;
mod memory;
mod mount;
mod name;
mod read;
mod resolve;
mod stage;
mod tree;
mod walk;
mod watch;

pub use memory::{Memory, Snapshot};
pub use mount::{Mount, Mounted, Skipped};
pub use read::cut;
