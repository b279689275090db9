//! Git in hostile repositories: everything here is really run, in the local sandbox, and what
//! lies outside is looked at from outside.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod bundles;
mod corpus;
mod files;
mod injections;
mod states;
mod surfaces;
mod vectors;
mod yard;
