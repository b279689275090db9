//! Spans of `garth serve`, as a collector on loopback gets them from the real program.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start programs, look at files behind their back and fail by panicking"
)]

#[path = "../ws/client.rs"]
#[allow(dead_code, reason = "what is not used here is used there")]
mod client;
mod collector;
mod scene;
#[path = "../ws/server.rs"]
#[allow(dead_code, reason = "what is not used here is used there")]
mod server;
mod setting_up;
mod spans;
mod trouble;
