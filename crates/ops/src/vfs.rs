//! The dialect `vfs`: seven tools over files as keys and contents as values, and two
//! that run commands.

mod edit_file;
mod eval;
mod glob;
mod grep;
mod ls;
mod read_file;
mod rm;
mod shell;
mod write_file;

use crate::{Dialect, Refusals, Tool};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    name: "vfs",
    summary: "Seven tools for files, with lines skipped and taken, and two for commands.",
    instructions: include_str!("vfs/instructions.md"),
    commands: include_str!("vfs/commands.md"),
    refusals: Refusals::Coded,
    tools: TOOLS,
};

/// The tools, in the order in which they are shown.
pub static TOOLS: &[Tool] = &[
    ls::TOOL,
    read_file::TOOL,
    write_file::TOOL,
    edit_file::TOOL,
    glob::TOOL,
    grep::TOOL,
    rm::TOOL,
    shell::TOOL,
    eval::TOOL,
];
