//! Commands on this machine: what they print, how they end, and that nothing stays.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests look at files and processes themselves and fail by panicking"
)]

#[path = "processes/bounds.rs"]
mod bounds;
#[path = "processes/death.rs"]
mod death;
#[path = "processes/ends.rs"]
mod ends;
#[path = "processes/inputs.rs"]
mod inputs;
#[path = "processes/outputs.rs"]
mod outputs;
#[path = "processes/parked.rs"]
mod parked;
#[path = "processes/place.rs"]
mod place;
#[path = "processes/quota.rs"]
mod quota;
#[path = "processes/runs.rs"]
mod runs;
#[path = "processes/supervisors.rs"]
mod supervisors;
#[path = "processes/terminals.rs"]
mod terminals;
