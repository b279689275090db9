//! What several roots as one tree do, as facts.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod finds;
mod fixture;
mod interrupted;
mod moves;
mod oracle;
mod tampered;
mod top;
mod watches;
