//! `list_directory`: the names in a directory, each marked as file or directory.

use garth_contract::{Reach, Result};
use garth_redact::CleanWriter;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use super::speech::{
    answer::{Payload, answer},
    names::{Walk, cut, most},
    paths::resolve,
    refusal::told,
};
use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    tree::directory,
    words::Ours,
};

pub(super) const TOOL: Tool = Tool {
    name: "list_directory",
    title: "List Directory",
    summary: "Lists a directory by name, one entry a line, marked [FILE] or [DIR].",
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
struct Params {
    /// The directory, inside an allowed one.
    path: String,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let base = resolve(workspace, &params.path)?;
    directory(workspace, &base).await?;
    let walk = Walk { base, reach: Reach::Entries, include: Vec::new(), exclude: Vec::new() };
    let lines = walk.lines(workspace).await?;
    let mut text = CleanWriter::new();
    text.put(Ours(lines.text));
    if lines.more {
        text.put(cut(most(workspace), "entry"));
    }
    answer(text.finish())
}
