//! The gateway over HTTP, as a client sees it that speaks to a real one.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start programs, look at files and fail loudly"
)]

mod archives;
mod browsers;
mod client;
mod documents;
mod endings;
mod events;
mod files;
mod gateway;
mod listening;
mod once;
mod refusals;
mod roles;
mod sessions;
mod streams;
mod tools;
