//! The garth program.
fn main() {}
