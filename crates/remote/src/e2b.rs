//! E2B's wire, from the side of who uses it: an account at whoever speaks it, its
//! sandboxes, and a pipe of bytes to a program inside one.
//!
//! Everything is JSON over HTTP/1.1. The account's key goes to its control interface
//! alone; into a sandbox goes the secret that this one sandbox answers to.

mod account;
mod envd;
mod frames;
mod guest;
mod http;
mod pipe;
mod refuse;
mod secret;
mod tls;
mod url;

pub(crate) use account::{Listed, Met, New};
pub(crate) use envd::Envd;
pub(crate) use guest::{Found, Spoke, Visit, no_guest};
pub(crate) use refuse::unavailable;

pub use account::{Account, Reached};
pub use pipe::Pipe;
pub use secret::Secret;
pub use url::Url;
