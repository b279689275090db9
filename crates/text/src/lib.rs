//! Pure text: line windows, edits, patches, diffs, line endings, encodings.
//!
//! Nothing here opens a file, waits, or knows a workspace. Bytes come in, bytes
//! or typed errors go out, and what an operation does not change it hands back
//! byte for byte. Every function is linear in its input (the diff is bounded by
//! its own heuristics), because all of it runs on text that a stranger chose.

pub mod diff;
pub mod edit;
pub mod encoding;
pub mod endings;
mod fold;
mod indent;
pub mod lines;
pub mod patch;
mod quoted;
mod sequence;
pub mod sniff;

pub use quoted::quote;
