//! `garth mcp` under clients that do what they should not.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start the program, look at files and fail loudly"
)]

mod client;
mod documents;
mod frames;
mod load;
mod options;
mod resources;
