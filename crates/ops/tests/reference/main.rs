//! Every tool of the dialect `reference`, on files in RAM and on files on disk.
//!
//! The facts are those of the published tests of the server whose tools these are;
//! `differences.rs` lists where this dialect does something else, and why.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod attacks;
mod differences;
mod editing;
mod info;
mod listing;
mod media;
mod moving;
mod params;
mod path_cases;
mod paths;
mod reading;
mod searching;
mod several_roots;
mod stage;
mod table;
mod writing;
