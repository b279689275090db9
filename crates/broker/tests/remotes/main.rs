//! Pushes, fetches and clones with a real git server over HTTP on loopback that demands
//! a token, and with a stand-in for GitHub's API.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start git, lay out repositories behind the broker's back and fail by panicking"
)]

mod app;
mod bring;
mod canary;
mod github;
mod hostile_agent;
mod hostile_server;
mod large;
mod scene;
mod send;
mod server;
