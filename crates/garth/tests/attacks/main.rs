//! Attacks on the boundary, hostile calls and edits, each sent to `garth mcp` as a
//! client would, in the dialect `reference`.
//!
//! The crates below hold against the same attacks in tests of their own; these say
//! that nothing is lost on the way through the protocol.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests plant files behind the server's back and fail by panicking"
)]

mod bytes;
#[allow(dead_code, reason = "the client is shared; not every test needs all it can do")]
#[path = "../mcp/client.rs"]
mod client;
mod corpus;
mod hostile;
mod outside;
mod patches;
mod race;
mod special;
mod vectors;
mod yard;
