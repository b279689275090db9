//! Agents whose workspaces are in sandboxes of E2B's wire: the provider of one gateway
//! against the interface of another, which the published SDKs are tried against.

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

mod busy;
#[path = "../ws/client.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod client;
mod faults;
#[path = "../providers/gateway.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod gateway;
#[path = "../http/client.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod http;
mod keeper;
mod keys;
mod lives;
#[path = "../../../remote/tests/engines/machine.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod machine;
mod same;
#[path = "../providers/script.rs"]
mod script;
mod suites;

/// What the shared clients know the gateway by.
mod server {
    pub(crate) use crate::gateway::PATIENCE;
}
