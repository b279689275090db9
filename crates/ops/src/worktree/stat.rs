//! `worktree.stat`: looks at one entry without reading it.

use garth_contract::{Links, Result};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Ask, Json, Method, Reach, Recall,
    wire::{agent::Agent, entry::Listed, named},
};
use crate::{Needs, params::parse_strictly, schema::schema_of};

pub(super) const METHOD: Method = Method {
    name: "worktree.stat",
    title: "Look at one entry",
    summary: "Says what stands at a path: its kind, size, time of change and permissions. A \
              symbolic link is told by what it leads to.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Listed>,
    names: |params| named::path(params, "path", Reach::This).into_iter().collect(),
    at_once: Some(at_once),
    run: |workspace, ask| Box::pin(run(workspace, ask)),
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// The agent whose workspace is meant.
    #[serde(rename = "agentId")]
    _agent: Agent,
    /// What to look at, from the root.
    path: String,
}

fn at_once(workspace: &Workspace, params: &Value, _: &Recall) -> Option<Json> {
    let path = workspace.path(named::path_alone(params)?).ok()?;
    let entry = workspace.fs().stat_now(&path, Links::Keep)?;
    Json::of(&Listed::of_no_link(&entry)?).ok()
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let params: Params = parse_strictly(ask.params)?;
    let path = workspace.path(params.path)?;
    let entry = workspace.fs().stat(&path, Links::Keep).await?;
    Json::of(&Listed::of(workspace, &entry).await)
}
