//! What a workspace in RAM does, as facts.

#![allow(
    clippy::disallowed_methods,
    reason = "the tests of mounts look at the disk behind the source's back"
)]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod cancel;
mod files;
mod finds;
mod fixture;
mod forks;
mod host_mounts;
mod links;
mod model;
mod mounts;
mod races;
mod rules;
mod watches;
