//! A query compiled: what may be seen, which names count, what is ignored and
//! what a file must hold.
//!
//! Nothing here does IO. A backend brings names, bytes and readers; the answers
//! are the same on each, because they come from here.

mod fold;
mod glob;
mod globs;
mod rules;

pub use fold::Fold;
pub use rules::Rules;
