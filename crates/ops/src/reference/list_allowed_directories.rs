//! `list_allowed_directories`: where the caller may work.

use garth_contract::{Result, WsPath, escape};
use garth_redact::CleanWriter;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use super::speech::{
    answer::{Payload, answer},
    paths::Told,
    refusal::told,
};
use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    words::Ours,
};

pub(super) const TOOL: Tool = Tool {
    name: "list_allowed_directories",
    title: "List Allowed Directories",
    summary: "Names the directories that can be worked in; everything below them is included.",
    needs: Needs::Read,
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
struct Params {}

impl Naming for Params {
    fn names(self) -> Names {
        Names::default()
    }
}

async fn run(workspace: &Workspace, Params {}: Params) -> Result<Reply> {
    let mut text = CleanWriter::new();
    text.put("Allowed directories:");
    for (root, _) in workspace.roots() {
        text.put("\n").put(Ours(escape(root)));
    }
    if workspace.roots().is_empty() {
        text.put("\n").put(Told::of(workspace, &WsPath::root()));
    }
    answer(text.finish())
}
