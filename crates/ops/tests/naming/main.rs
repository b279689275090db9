//! What a tool says that a call names is never less than what the call touches, in
//! whatever spelling the tool understands.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod calls;
mod recording;
mod spellings;
