//! What a guest says and hears, byte by byte.
//!
//! A guest serves the files and processes of a sandbox over one pipe of bytes.
//! First both sides say [`hello`] and name their generation: within one, the
//! encoding of every message is frozen, which a test of golden bytes holds it to.
//! Then the pipe carries many streams ([`Mux`]), and on each a [`Talk`] goes back
//! and forth: a [`Request`], its [`Answer`]s, the next request.
//!
//! Nothing here trusts what it reads: every length has a bound, nothing is
//! allocated for bytes that have not come, and a path, a command or a signal is
//! made by the constructor that checks it.

mod answer;
mod batch;
mod codec;
mod commands;
mod failure;
mod fault;
mod files;
mod handles;
pub mod hello;
mod hush;
mod mux;
mod pipe;
mod request;
mod talk;
mod vigil;

pub use answer::{Answer, Named, Told};
pub use batch::{Batch, Results};
pub use codec::{MOST_HEAD, Packet};
pub use fault::Fault;
pub use handles::Handles;
pub use hello::{GENERATION, Session, Welcome};
pub use hush::Hush;
pub use mux::{Broken, MOST_STREAMS, Mux};
pub use pipe::Duplex;
pub use request::Request;
pub use talk::{Frame, Talk};
pub use vigil::Vigil;

#[cfg(test)]
mod tests;
