//! `create_file`: makes a new file, and never touches one that exists.

use garth_contract::{Code, Result};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    workspace::write,
};

pub(super) const TOOL: Tool = Tool {
    name: "create_file",
    title: "Create a file",
    summary: "Creates a new file; missing directories are made. Fails if the file exists: use \
              write_file to overwrite it.",
    needs: Needs::Add,
    params: schema_of::<Params>,
    payload: schema_of::<write::Payload>,
    repeats: &["diff"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The new file, relative to the root.
    path: String,
    /// Its content.
    content: String,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let Params { path, content } = params;
    match write::write(workspace, write::Params::text(path, content).new_file()).await {
        Ok(landed) => landed.reply(),
        Err(error) if error.code() == Code::FileExists => {
            Err(error.hint("Use write_file to overwrite it, or choose another name."))
        }
        Err(error) => Err(error),
    }
}
