//! The WebSocket of `garth serve`, against the real program on loopback.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start programs, look at files behind their back and fail by panicking"
)]

mod approvals;
mod archives;
mod client;
mod crash;
mod crowds;
mod disks;
mod fields;
mod frames;
mod handshake;
mod limits;
mod methods;
mod protocol;
mod roles;
mod rows;
mod server;
mod strangers;
mod terminals;
mod transfers;
mod versions;
mod watches;
