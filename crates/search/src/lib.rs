//! A query compiled: what may be seen, which names count, what is ignored and
//! what a file must hold.
//!
//! Nothing here does IO. A backend brings names, bytes and readers; the answers
//! are the same on each, because they come from here.

mod collect;
mod delivery;
mod filter;
mod fold;
mod glob;
mod globs;
mod hits;
mod ignores;
mod newest;
mod pattern;
mod reach;
mod rules;
mod search;

pub use delivery::Delivery;
pub use filter::{Filter, Judged, Met};
pub use fold::Fold;
pub use hits::Hits;
pub use ignores::{IgnoreFiles, Ignores, MAX_IGNORE_FILE};
pub use newest::Newest;
pub use rules::{Rules, Stands};
pub use search::{FileSearch, Search, Searched, Spill};
