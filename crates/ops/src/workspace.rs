//! The dialect `workspace`: the tools that a model gets unless it is asked otherwise.

mod apply_patch;
mod bash;
mod delete;
mod diff;
pub(crate) mod edit;
mod git;
pub(crate) mod glob;
pub(crate) mod grep;
mod input;
mod kill;
pub(crate) mod list;
mod mkdir;
mod r#move;
mod output;
mod ps;
pub(crate) mod read;
mod stat;
pub(crate) mod write;

use crate::{Dialect, Refusals, Tool};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    name: "workspace",
    summary: "Reads, writes, edits, patches and searches files, and runs commands; the default.",
    instructions: include_str!("workspace/instructions.md"),
    commands: include_str!("workspace/commands.md"),
    refusals: Refusals::Coded,
    tools: TOOLS,
};

/// The tools, in the order in which they are shown.
pub static TOOLS: &[Tool] = &[
    read::TOOL,
    write::TOOL,
    edit::TOOL,
    apply_patch::TOOL,
    glob::TOOL,
    grep::TOOL,
    list::TOOL,
    r#move::TOOL,
    delete::TOOL,
    mkdir::TOOL,
    stat::TOOL,
    diff::TOOL,
    bash::TOOL,
    output::TOOL,
    input::TOOL,
    kill::TOOL,
    ps::TOOL,
    git::TOOL,
];
