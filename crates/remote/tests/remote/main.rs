//! A link to guests that lie, stall, vanish and come again.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod cancels;
mod fake;
mod lies;
mod loses;
mod meets;
