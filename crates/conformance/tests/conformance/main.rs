//! The suite on every backend, by name: one line each, and what surrounds it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test whose scene cannot be set should fail and say so"
)]

mod by_listing;
mod host;
mod memory;
mod roots;
mod rules;
mod sentences;
