//! `garth mcp` and the gateway as clients see them that were written by others.
//!
//! scripts/test installs them into .cache; the drivers of the Python libraries and
//! the calls that every dialect must answer stand beside these files.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start programs, look at files and fail loudly"
)]

mod calls;
#[path = "../http/client.rs"]
#[allow(dead_code, reason = "the tests of HTTP need all of it")]
mod client;
#[path = "../http/gateway.rs"]
#[allow(dead_code, reason = "the tests of HTTP need all of it")]
mod gateway;
mod gateways;
mod inspector;
mod installed;
mod libraries;
mod openclaw;
mod run;
mod schemathesis;
mod typescript;
