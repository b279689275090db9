//! Escapes from the sandbox, each really attempted, as root and as an ordinary user.
//!
//! What is refused inside is shown to work outside, where that does no harm, so that a test
//! cannot pass because its attack was wrong.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod attempts;
mod files;
mod lifetime;
mod limits;
mod network;
mod own;
mod ownership;
mod refusals;
mod surroundings;
mod yard;
