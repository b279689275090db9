//! The dialect `reference`: names, parameters and results of the MCP project's own
//! filesystem server, so that a client which is set up for that one can switch.
//!
//! Paths are absolute, of the allowed directories; every reply repeats its text as
//! `content`. What that server gets wrong on safety is not repeated.

mod create_directory;
mod directory_tree;
mod edit_file;
mod get_file_info;
mod list_allowed_directories;
mod list_directory;
mod list_directory_with_sizes;
mod move_file;
mod read_file;
mod read_media_file;
mod read_multiple_files;
mod read_text_file;
mod search_files;
mod write_file;

/// How the dialect speaks: paths in and out, errors in its words, its replies.
mod speech {
    pub(super) mod answer;
    pub(super) mod date;
    pub(super) mod names;
    pub(super) mod paths;
    pub(super) mod refusal;
}

use crate::{Dialect, Refusals, Tool};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    name: "reference",
    summary: "The 14 tools of the MCP project's filesystem server, with absolute paths.",
    instructions: include_str!("reference/instructions.md"),
    commands: "",
    refusals: Refusals::Plain,
    tools: TOOLS,
};

/// The tools, in the order in which they are shown.
pub static TOOLS: &[Tool] = &[
    read_file::TOOL,
    read_text_file::TOOL,
    read_media_file::TOOL,
    read_multiple_files::TOOL,
    write_file::TOOL,
    edit_file::TOOL,
    create_directory::TOOL,
    list_directory::TOOL,
    list_directory_with_sizes::TOOL,
    directory_tree::TOOL,
    move_file::TOOL,
    search_files::TOOL,
    get_file_info::TOOL,
    list_allowed_directories::TOOL,
];
