//! `garth acp` between clients and agents: real ones, scripted ones and hostile ones.
//!
//! scripts/test installs the clients of others into .cache; what drives them stands in
//! peers/. The agent on the Rust SDK is this test program itself, started again.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start programs, look at files and fail loudly"
)]

mod acpx;
mod between;
mod bounds;
mod clients;
mod endings;
mod hostile;
#[path = "../clients/installed.rs"]
#[allow(dead_code, reason = "the tests of other clients need all of it")]
mod installed;
mod passing;
mod rules;
#[path = "../clients/run.rs"]
#[allow(dead_code, reason = "the tests of other clients need all of it")]
mod run;
mod rust_agent;
mod sandboxed;
mod scene;
