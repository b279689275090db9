//! `get_file_info`: what is known of a file or directory without reading it.

use garth_contract::{Kind, Links, Result};
use garth_redact::clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use super::speech::{
    answer::{Payload, answer},
    date::date,
    paths::resolve,
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
    name: "get_file_info",
    title: "Get File Info",
    summary: "Says what stands at a path: its size, times, permissions, and whether it is a file or a \
              directory.",
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
    /// What to look at, inside an allowed directory.
    path: String,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

/// What stands for a fact that the workspace does not keep.
const UNKNOWN: &str = "unknown";

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = resolve(workspace, &params.path)?;
    let entry = workspace.fs().stat(&path, Links::Follow).await?;
    let modified = entry.modified.map_or_else(|| UNKNOWN.to_owned(), date);
    let mode = entry.mode.map(|mode| format!("{:03o}", mode & 0o777));
    answer(clean![
        "size: ",
        entry.size,
        "\ncreated: ",
        UNKNOWN,
        "\nmodified: ",
        Ours(modified),
        "\naccessed: ",
        UNKNOWN,
        "\nisDirectory: ",
        entry.kind == Kind::Dir,
        "\nisFile: ",
        entry.kind == Kind::File,
        "\npermissions: ",
        Ours(mode.unwrap_or_else(|| UNKNOWN.to_owned())),
    ])
}
