//! A workspace seen through an editor: unsaved buffers over the files beneath.
//!
//! An editor that speaks the Agent Client Protocol, version 1, lends an agent the
//! texts of its buffers. [`Editor`] is a [`Filesystem`](garth_contract::Filesystem)
//! that reads and writes texts there and has everything else from a filesystem
//! beneath it. [`Session`] is what it knows of the client, [`Buffers`] the way to
//! ask it; [`Pipe`] asks over bytes, for programs without a library of their own.
//!
//! The client is not believed: what it answers is bounded, checked and never taken
//! for more than a text.

mod bounds;
mod buffers;
mod editor;
mod filesystem;
mod find;
mod form;
mod known;
mod look;
mod moves;
mod offers;
mod overlay;
mod pipe;
mod resolve;
mod root;
mod session;
mod write;

pub use agent_client_protocol_schema::v1 as schema;
pub use bounds::Bounds;
pub use buffers::{Buffers, DynBuffers, Trouble};
pub use editor::Editor;
pub use offers::Offers;
pub use pipe::{Pipe, Rest};
pub use root::Root;
pub use session::Session;
