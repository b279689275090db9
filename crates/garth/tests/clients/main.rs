//! `garth mcp` and `garth serve` as clients see them that were written by others.
//!
//! scripts/test installs them into .cache; the drivers of the Python libraries and
//! the calls that every dialect must answer stand beside these files.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start programs, look at files and fail loudly"
)]

mod calls;
mod gateway;
mod inspector;
mod installed;
mod libraries;
mod run;
