//! `worktree.delete`: removes a file, a link or a directory.

use garth_contract::{Depth, Kind, Removed, Result};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Ask, Json, Method,
    wire::{
        agent::Agent,
        entry::{FileOrDir, shown, special},
        named,
    },
};
use crate::{Needs, params::parse_strictly, schema::schema_of};

pub(super) const METHOD: Method = Method {
    name: "worktree.delete",
    title: "Delete",
    summary: "Deletes a file, a symbolic link (never its target) or a directory.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    names: |params| named::path(params, "path", named::recursive(params)).into_iter().collect(),
    at_once: None,
    run: |workspace, ask| Box::pin(run(workspace, ask)),
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// The agent whose workspace is meant.
    #[serde(rename = "agentId")]
    _agent: Agent,
    /// What to delete, from the root.
    path: String,
    /// Deletes a directory with everything in it; false if absent, and then it must be empty.
    recursive: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Payload {
    /// What was deleted, from the root.
    path: String,
    /// Whether it was a directory.
    kind: FileOrDir,
    /// What it was, where it was neither file nor directory: symlink, fifo, socket or device.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    special: Option<&'static str>,
    /// For a directory, how many entries are gone, itself included.
    #[serde(skip_serializing_if = "Option::is_none")]
    items_deleted: Option<u64>,
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let params: Params = parse_strictly(ask.params)?;
    let path = workspace.path(params.path)?;
    let depth = if params.recursive == Some(true) { Depth::All } else { Depth::One };
    let Removed { kind, count } = workspace.fs().remove(&path, depth).await?;
    ask.shown.forget(&path);
    Json::of(&Payload {
        path: shown(&path),
        kind: FileOrDir::of(kind),
        special: special(kind),
        items_deleted: (kind == Kind::Dir).then_some(count),
    })
}
