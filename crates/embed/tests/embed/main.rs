//! What an agent's author is promised, as facts.

#![allow(
    clippy::disallowed_methods,
    reason = "the tests look at the disk behind the workspace's back"
)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod answers;
mod cancel;
mod commands;
mod custom;
mod deadlines;
mod editor;
mod fixture;
mod floods;
mod listing;
mod mounts;
mod only_texts;
mod panics;
mod registry;
mod schemas;
mod sections;
mod sessions;
mod text_files;
mod wrong_calls;
