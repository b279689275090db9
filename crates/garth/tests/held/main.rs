//! Commands that want out: each of these is really run, through the program as its
//! users start it, and everything they reach for is looked at from outside.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "everything here is a test, also what no #[test] stands before"
)]

#[path = "../mcp/client.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod client;
mod endings;
mod escapes;
mod floods;
mod network;
mod offered;
mod yard;
