//! The backend against clients: well-behaved ones, odd ones, hostile ones.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test sets its own scene"
)]

mod attacks;
mod client;
mod conformance;
mod fixture;
mod forms;
mod guards;
mod offers;
mod python;
mod unsaved;
