//! Guests in virtual machines: QEMU for real, Firecracker's interface as it is published.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test sets its own scene"
)]

mod conform;
mod description;
mod firecracker;
mod kvm;
mod lives;
mod ports;
mod scene;
mod stand_in;
