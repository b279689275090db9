//! `mkdir`: makes a directory.

use garth_contract::{Made, Parents, Result};
use garth_redact::clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    words::Shown,
};

pub(super) const TOOL: Tool = Tool {
    name: "mkdir",
    title: "Make a directory",
    summary: "Makes a directory, with its parents. One that exists is left as it is.",
    needs: Needs::Add,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &[],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The directory to make, relative to the workspace's root.
    path: String,
    /// Makes missing parents too; true unless said otherwise.
    parents: Option<bool>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The directory, from the root.
    path: String,
    /// Whether it is new.
    created: bool,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path)?;
    let parents = if params.parents == Some(false) { Parents::Require } else { Parents::Create };
    let made = workspace.fs().make_dir(&path, parents).await?;
    let text = match made {
        Made::Created => clean!["Made ", Shown(&path), "/"],
        Made::Existed => clean![Shown(&path), "/ was there before."],
    };
    Reply::new(text, &Payload { path: path.to_string(), created: made == Made::Created })
}
