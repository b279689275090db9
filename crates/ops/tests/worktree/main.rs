//! Every method `worktree.*`, on files in RAM and on files on disk.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod asking;
mod bad_params;
mod changing;
mod editing;
mod fences;
mod finding;
mod fuzzed;
mod looking;
mod naming;
mod odd_files;
mod reading;
mod round_trip;
mod shape;
#[path = "../tools/stage.rs"]
mod stage;
mod table;
