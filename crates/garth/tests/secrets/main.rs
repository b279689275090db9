//! A secret of every rule is planted, everything that shows something is called, and none of them
//! is in what leaves: not over the socket, not over HTTP, MCP or the command line, and neither in
//! the log nor in the database.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests say what must hold, lay out their own directories and start the program"
)]

#[path = "../ws/client.rs"]
mod client;
mod elsewhere;
mod mcp;
mod planted;
#[path = "../ws/server.rs"]
mod server;
mod surfaces;
