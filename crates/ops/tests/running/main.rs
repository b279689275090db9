//! The tools that run commands, on a directory of this machine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod background;
mod bash;
mod place;
mod refusals;
mod secrets;
mod vfs;
mod windows;
