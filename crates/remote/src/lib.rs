//! The files and processes of a sandbox, over a pipe to its guest.
//!
//! [`Remote`] is a `Filesystem` and a `Shell` like any other; behind it a [`Link`]
//! keeps a pipe to the guest and makes a new one when it breaks. What a sandbox is
//! and how its guest is reached is the business of a provider, who implements
//! [`Connect`] and no more: one file each in [`providers`].
//!
//! A guest is not trusted. It lives with the code of an agent, so what it answers is
//! bounded, checked and only then believed; at worst it tells lies about its own
//! files.

mod barrier;
mod call;
mod check;
mod commands;
mod connection;
pub mod container;
mod drive;
pub mod e2b;
mod files;
mod find;
mod lazy;
mod lazy_files;
mod link;
pub mod machine;
mod pipe;
pub mod providers;
mod remote;
mod stage;
mod watch;
mod within;

pub use lazy::Lazy;
pub use link::{Connect, Left, Link, Patience};
pub use remote::Remote;
pub use within::Within;
