//! The tests of the repository itself: its files agree with each other and with
//! the code.
//!
//! Nothing depends on this crate. `tests/tidy` reads every file of the repository
//! and fails where a rule is broken that no compiler and no lint checks.
