//! Agents whose commands run in podman, in gVisor and in virtual machines, with the real
//! engines, as whoever uses the program sees them.

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
#[path = "../acp/between.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod between;
#[path = "../ws/client.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod client;
mod command_line;
mod e2b;
mod editor;
mod endings;
mod gateway;
#[path = "../http/client.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod http;
#[path = "../clients/installed.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod installed;
mod killed;
#[path = "../../../remote/tests/engines/machine.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod machine;
mod machines;
#[path = "../clients/run.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod run;
#[path = "../acp/rust_agent.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod rust_agent;
mod same;
#[path = "../acp/scene.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod scene;
mod script;

/// What the shared clients know the gateway by.
mod server {
    pub(crate) use crate::gateway::PATIENCE;
}
