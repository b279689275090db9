//! Packs a tree of a workspace into an archive, and restores one from it.
//!
//! Both work on any backend and hold no more of an archive in memory than a few
//! pieces. What is packed comes as a stream while the tree is read; what is
//! restored is checked, staged out of sight, and lands whole or not at all.

mod bounds;
mod digits;
mod format;
mod member;
mod moment;
mod pack;
mod restore;
mod tar;
mod zip;

pub use bounds::Bounds;
pub use format::Format;
pub use pack::{MOST_NAMED, MOST_SIFTED, Mishap, Pack, Packed, Packing, Sieve, Sifted, What, pack};
pub use restore::{Incoming, Restore, Restored, Unfit, restore};
