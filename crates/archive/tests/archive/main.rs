//! Archives packed and restored: on every backend, beside other programs, and
//! against whoever made them to do harm.
#![allow(
    clippy::cast_possible_truncation,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test ends when something is wrong, and looks at what other programs made"
)]

mod ahead;
mod bombs;
mod cancel;
mod cases;
mod changing;
mod craft;
mod fixture;
mod hostile_links;
mod hostile_tar;
mod hostile_zip;
mod landing;
mod mutants;
mod names;
mod packing;
mod programs;
mod round_trips;
mod rows;
mod sieves;
