//! `create_directory`: makes a directory and what is missing above it.

use garth_contract::{Parents, Result};
use garth_redact::clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use super::speech::{
    answer::{Payload, answer},
    paths::{Sent, resolve},
    refusal::told,
};
use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
};

pub(super) const TOOL: Tool = Tool {
    name: "create_directory",
    title: "Create Directory",
    summary: "Makes a directory, missing parents too. One that is there already is left as it is.",
    needs: Needs::Add,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &[],
    names: names_of::<Params>,
    run: |workspace, call| {
        Box::pin(
            async move { Ok(told(workspace, run(workspace, parse(call.params)?).await).await?) },
        )
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The directory to make, inside an allowed one.
    path: String,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = resolve(workspace, &params.path)?;
    workspace.fs().make_dir(&path, Parents::Create).await?;
    answer(clean!["Successfully created directory ", Sent(&params.path)])
}
