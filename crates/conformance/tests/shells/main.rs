//! The suite of `Shell` on every place that runs commands here, and the suite itself
//! tested: each of many small faults is caught by the check that is there for it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test whose scene cannot be set should fail and say so, and a fault is one of many"
)]

mod bend;
mod fault;
mod faults;
mod faulty;
mod host;
