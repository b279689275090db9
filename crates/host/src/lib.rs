//! The files and processes of this machine, confined to one root.
//!
//! The only crate that asks the kernel about files, and that starts processes. Every call starts from a
//! directory handle and a path that cannot climb; check and use are one call.

mod absent;
mod attributes;
mod blocking;
mod copy;
mod covered;
mod descend;
mod errno;
mod find;
mod folder;
mod host;
mod lately;
mod lock;
mod lone;
mod look;
mod make_dir;
#[doc(hidden)]
pub mod measure;
mod processes;
mod read;
mod read_unsafe;
mod receive;
mod remove;
mod rename;
mod stage;
mod start;
mod sweep;
mod sync;
mod temp;
mod tree;
mod usage;
mod walk;
mod watch;
mod write;

pub use host::Host;
pub use lone::Lone;
pub use processes::{Bounds, Filter, Processes, Settings, Strays, Trees};
pub use tree::Resolver;
