//! What must hold of any bytes that a caller can send: one module a subject, one
//! function `check` that panics when it does not hold.
//!
//! `fuzz_targets` calls these functions with bytes that a fuzzer searches for, and
//! `crates/tidy/tests/properties` calls the same functions with generated ones,
//! so that they hold in every run of the tests and not only on machines that fuzz.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a property that does not hold is a panic"
)]

pub mod edit;
pub mod glob;
pub mod patch;
pub mod path;
pub mod redact;

/// Splits the input into so many texts at the byte 1, which no text here needs.
fn texts<const N: usize>(data: &[u8]) -> Option<[&str; N]> {
    let mut parts = str::from_utf8(data).ok()?.splitn(N, '\u{1}');
    let texts = std::array::from_fn(|_| parts.next());
    texts.iter().all(Option::is_some).then(|| texts.map(Option::unwrap_or_default))
}
