//! The dialect `dispatch`: six file tools whose lines are counted from 0.

mod create_file;
mod edit_file;
mod list_files;
mod read_file;
mod search_files;
mod write_file;

use crate::{Dialect, Refusals, Tool};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    name: "dispatch",
    summary: "Six tools for files, with lines counted from 0.",
    instructions: include_str!("dispatch/instructions.md"),
    commands: "",
    refusals: Refusals::Coded,
    tools: TOOLS,
};

/// The tools, in the order in which they are shown.
pub static TOOLS: &[Tool] = &[
    read_file::TOOL,
    write_file::TOOL,
    edit_file::TOOL,
    create_file::TOOL,
    list_files::TOOL,
    search_files::TOOL,
];
