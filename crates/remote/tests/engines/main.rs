//! Guests in podman and in gVisor, with the real engines.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test sets its own scene"
)]

mod conform;
mod escape;
mod guests;
mod killed;
mod lives;
mod lost;
mod machine;
mod table;
