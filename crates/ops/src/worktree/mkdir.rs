//! `worktree.mkdir`: makes a directory.

use garth_contract::{Made, Parents, Result};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Ask, Json, Method, Reach,
    wire::{agent::Agent, entry::shown, named},
};
use crate::{Needs, params::parse_strictly, schema::schema_of};

pub(super) const METHOD: Method = Method {
    name: "worktree.mkdir",
    title: "Make a directory",
    summary: "Makes a directory, with its parents. One that exists is left as it is.",
    needs: Needs::Add,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    names: |params| named::path(params, "path", Reach::This).into_iter().collect(),
    at_once: None,
    run: |workspace, ask| Box::pin(run(workspace, ask)),
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// The agent whose workspace is meant.
    #[serde(rename = "agentId")]
    _agent: Agent,
    /// The directory to make, from the root.
    path: String,
    /// Whether missing parents are made too; true if absent.
    recursive: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Payload {
    /// The directory, from the root.
    path: String,
    /// Whether it is new.
    created: bool,
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let params: Params = parse_strictly(ask.params)?;
    let path = workspace.path(params.path)?;
    let parents = if params.recursive == Some(false) { Parents::Require } else { Parents::Create };
    let made = workspace.fs().make_dir(&path, parents).await?;
    Json::of(&Payload { path: shown(&path), created: made == Made::Created })
}
