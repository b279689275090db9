//! `find` on real trees: what it gives, in which order, and within which bounds.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests plant files behind the backend's back and fail by panicking"
)]

#[path = "find/against_rg.rs"]
mod against_rg;
#[path = "find/bounds.rs"]
mod bounds;
#[path = "find/names.rs"]
mod names;
#[path = "find/order.rs"]
mod order;
#[path = "find/yard.rs"]
mod yard;
