//! The program as a shell sees it: streams, exit codes, files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod agents;
mod audit;
mod config;
mod list;
mod manual;
mod options;
mod output;
mod redact;
mod rpc;
mod scene;
mod serving;
mod starting;
mod tls;
mod tokens;
mod usage;
mod watching;
