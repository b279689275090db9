//! The E2B interface, as its published SDKs see it, and as the descriptions of the wire
//! have it.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start programs, look at files and fail loudly"
)]

#[path = "../clients/installed.rs"]
#[allow(dead_code, reason = "it is shared with tests of other clients")]
mod installed;
#[path = "../clients/run.rs"]
#[allow(dead_code, reason = "it is shared with tests of other clients")]
mod run;

mod client;
mod code;
mod described;
mod gateway;
mod lives;
mod ports;
mod processes;
mod refusals;
mod sdks;
