//! The guest as a program of its own: small, static, and nothing but the guest.

use std::process::ExitCode;

fn main() -> ExitCode {
    garth_guest::program::run(std::env::args_os().skip(1))
}
