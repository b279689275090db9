//! Several filesystems shown as one, each under its name at the top.
//!
//! Below a name everything is the backend's own doing: a path loses its first
//! component on the way in and gets it back on the way out, and no content is
//! copied. What remains is the top itself, which is fixed, and what spans two
//! roots: a move, a search and a watch. Globs are held against names by `search`,
//! so that a pattern means at the top what it means in every backend.

mod carry;
mod filesystem;
mod find;
mod glob;
mod merge;
mod names;
mod newest;
mod outlet;
mod receive;
mod roots;
mod stage;

pub use names::names;
pub use roots::Roots;
