//! Rules of the repository that neither the compiler nor a lint checks.
//!
//! Each module holds one kind of rule; `tree`, `source` and `manifest` read what
//! the rules are about.

#![allow(
    clippy::disallowed_methods,
    reason = "these tests read the repository, which is no workspace of anybody"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod crates;
mod dependencies;
mod documents;
mod layout;
mod manifest;
mod pages;
mod sizes;
mod source;
mod sources;
mod tree;
