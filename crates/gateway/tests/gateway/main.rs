//! The gateway on a real database, with workspaces in memory.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod agents;
mod approvals;
mod blocks;
mod broken;
mod leases;
mod limits;
mod line;
mod matrix;
mod once;
mod records;
mod retention;
mod stage;
mod standing;
mod stored;
mod tampering;
mod tokens;
