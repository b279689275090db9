//! Every operation, one file each, one table.
//!
//! A tool takes a workspace and the JSON that a caller sent, and gives a
//! [`Reply`] or an error of the one table. It knows neither the caller nor the
//! protocol: an interface walks the table, so a new tool is one file and one row.

mod change;
mod dialect;
pub mod dispatch;
mod failure;
mod file_entry;
mod listing;
mod names;
mod page;
mod params;
mod placeholders;
mod recall;
pub mod reference;
mod repeated;
mod reply;
mod running;
mod schema;
mod segments;
mod text_file;
mod timestamp;
mod tool;
mod tree;
mod versions;
pub mod vfs;
mod window;
mod words;
pub mod workspace;
pub mod worktree;

pub use dialect::{DIALECTS, Dialect, Refusals, dialect};
pub use failure::{Failure, failure, method_failure};
pub use names::Names;
pub use repeated::repeated;
pub use reply::{Attachment, Reply};
pub use timestamp::rfc3339;
pub use tool::{Allows, Call, Needs, Run, Tool, find};
