//! One agent's world: its files, its commands, its redactor, its limits.
//!
//! An operation gets a [`Workspace`] and nothing else. Paths enter through
//! [`Workspace::path`], names of files are shown without their secrets by what
//! [`Workspace::fs`] gives, text of files leaves through [`Workspace::clean`],
//! [`Workspace::lines`] and [`Workspace::part`], and a change of files goes through
//! [`Workspace::update`] and [`Workspace::update_all`], or arrives by
//! [`Workspace::receive`]. What commands print leaves through [`Workspace::excerpt`]
//! and [`Workspace::follow`].

mod again;
mod commands;
mod earlier;
mod excerpt;
#[cfg(test)]
mod fixture;
mod follow;
mod git;
mod inside;
mod limits;
mod locks;
mod names;
mod part;
mod pieces;
mod receive;
mod region;
mod shown;
mod update;
mod update_all;
mod workspace;

pub use again::Again;
pub use commands::Commands;
pub use earlier::Earlier;
pub use excerpt::Excerpt;
pub use follow::{Stretch, Told};
pub use inside::Inside;
pub use limits::Limits;
pub use part::{Part, Secret};
pub use receive::{Kept, Received};
pub use shown::{AROUND, Shown, around};
pub use update::{Plan, Updated, guard, version_of};
pub use update_all::{After, PlanAll, UpdatedAll};
pub use workspace::{Parts, Workspace};
