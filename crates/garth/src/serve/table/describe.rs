//! What a call of a tool is to do, as the audit and whoever approves it read it.

use garth_gateway::{Summary, approvals::Reach};
use garth_ops::worktree;
use serde_json::Value;

/// The parameters that name a path, in every spelling that tools take.
const PATHS: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "filename",
    "file",
    "directory",
    "dir",
    "workdir",
    "from",
    "to",
    "source",
    "destination",
    "from_path",
    "to_path",
    "other",
];

/// What a call of a tool is to do.
pub(super) fn tool(name: &str, params: &Value) -> Summary {
    let Value::Object(params) = params else { return Summary::default() };
    let mut summary = Summary::default();
    for (key, value) in params {
        let Value::String(text) = value else { continue };
        if PATHS.contains(&key.as_str()) {
            summary = summary.path(text.clone(), Reach::Tree);
        } else if key == "pattern" || key == "id" {
            summary = summary.fact(if key == "id" { "id" } else { "pattern" }, text.clone());
        } else if key == "command" || key == "cmd" || (name == "eval" && key == "code") {
            summary.command = Some(text.clone());
        }
    }
    summary
}

/// How far a call goes from a path.
pub(super) fn reach(reach: worktree::Reach) -> Reach {
    match reach {
        worktree::Reach::This => Reach::This,
        worktree::Reach::Tree => Reach::Tree,
    }
}
