//! Every tool of the dialect `workspace`, on files in RAM and on files on disk.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod apply_patch;
mod attacks;
mod bad_params;
mod delete;
mod diff;
mod edit;
mod fuzzed;
mod glob;
mod grep;
mod list;
mod mkdir;
mod r#move;
mod patch_cases;
mod policy;
mod read;
mod secrets;
mod stage;
mod stat;
mod table;
mod write;
