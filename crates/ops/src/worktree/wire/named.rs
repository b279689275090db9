//! The paths that parameters name, before anybody has checked the parameters.

use serde_json::Value;

use super::super::{Reach, Touch};

/// The path under a name, where there is one.
pub(in crate::worktree) fn path(params: &Value, name: &str, reach: Reach) -> Option<Touch> {
    let path = params.get(name)?.as_str()?.to_owned();
    Some(Touch { path, reach })
}

/// The path of parameters that have an agent and a path, and nothing else.
pub(in crate::worktree) fn path_alone(params: &Value) -> Option<&str> {
    let params = params.as_object().filter(|params| params.len() == 2)?;
    params.get("agentId").filter(|agent| agent.is_string())?;
    params.get("path")?.as_str()
}

/// The path under `path`, or the root where none is sent.
pub(in crate::worktree) fn path_or_root(params: &Value, reach: Reach) -> Option<Touch> {
    match params.get("path") {
        None | Some(Value::Null) => Some(Touch { path: "/".to_owned(), reach }),
        Some(_) => path(params, "path", reach),
    }
}

/// How far a call goes that takes `recursive`.
///
/// What is no boolean is refused later; until then it is taken for the worse.
pub(in crate::worktree) fn recursive(params: &Value) -> Reach {
    match params.get("recursive") {
        None | Some(Value::Null | Value::Bool(false)) => Reach::This,
        Some(_) => Reach::Tree,
    }
}
