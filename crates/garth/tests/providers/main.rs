//! Agents whose commands run in podman and in gVisor, with the real engines, as whoever
//! uses the program sees them.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod away;
#[path = "../ws/client.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod client;
mod command_line;
mod endings;
mod gateway;
#[path = "../http/client.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod http;
mod killed;
#[path = "../../../remote/tests/engines/machine.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod machine;
mod same;

/// What the shared clients know the gateway by.
mod server {
    pub(crate) use crate::gateway::PATIENCE;
}
