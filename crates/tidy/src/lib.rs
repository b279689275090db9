//! The tests of the repository itself: its files agree with each other and with
//! the code.
//!
//! Nothing depends on this crate. `tests/tidy` reads every file of the repository
//! and fails where a rule is broken that no compiler and no lint checks;
//! `tests/properties` runs what `fuzz/` searches counterexamples to; and the
//! examples of the documents below are compiled and run as they stand.

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

/// The examples of the guide for embedding.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
pub struct Embedding;

/// The example of the guide to an editor's buffers.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/editor-backend.md")]
pub struct EditorBackend;
