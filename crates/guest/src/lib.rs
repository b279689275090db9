//! The guest: serves the files and processes of a sandbox from inside it.
//!
//! Started once in a sandbox, it answers over whatever pipe of bytes leads there, so
//! that a file operation is a message and not a process. What it serves is the same
//! code that serves a directory of this machine; [`serve`] knows no sandbox and no
//! pipe, and [`program`] is what the program `garth-guest` does.

mod ahead;
mod attend;
mod call;
mod find;
pub mod program;
mod serve;
mod stage;
mod watch;

pub use serve::{Served, serve};
