//! What a call of a tool is to do, as the audit and whoever approves it read it.

use garth_gateway::{Summary, approvals::Reach};
use garth_ops::{Names, Tool, worktree};
use serde_json::Value;

use super::change;

/// What a call of a tool is to do, by what the tool itself says of its parameters.
pub(super) fn tool(tool: &Tool, params: &Value) -> Summary {
    let Names { paths, command, facts } = (tool.names)(params);
    let summary = Summary { command, facts, change: Some(change::of), ..Summary::default() };
    paths.into_iter().fold(summary, |summary, touch| summary.path(touch.path, reach(touch.reach)))
}

/// How far a call goes from a path.
pub(super) fn reach(reach: worktree::Reach) -> Reach {
    match reach {
        worktree::Reach::This => Reach::This,
        worktree::Reach::Tree => Reach::Tree,
    }
}
