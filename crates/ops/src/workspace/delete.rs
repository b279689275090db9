//! `delete`: removes a file, a link or a directory.

use garth_contract::{Depth, Kind, Removed, Result};
use garth_redact::clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    words::{Counted, Shown, kind_name},
};

pub(super) const TOOL: Tool = Tool {
    name: "delete",
    title: "Delete",
    summary: "Deletes a file, a symbolic link (never its target) or a directory.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &[],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// What to delete, relative to the workspace's root.
    path: String,
    /// Deletes a directory with everything in it; without it, it must be empty.
    recursive: Option<bool>,
}

impl Naming for Params {
    fn names(self) -> Names {
        if self.recursive == Some(true) { Names::tree(self.path) } else { Names::this(self.path) }
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// What was deleted, from the root.
    path: String,
    /// What it was: file, dir, symlink, fifo, socket or device.
    kind: &'static str,
    /// How many entries are gone, itself included.
    deleted: u64,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path)?;
    let depth = if params.recursive == Some(true) { Depth::All } else { Depth::One };
    let Removed { kind, count } = workspace.fs().remove(&path, depth).await?;
    let text = match kind {
        Kind::Dir if count > 1 => {
            clean!["Deleted ", Shown(&path), "/ with ", Counted(count - 1, "entry"), " in it"]
        }
        Kind::Dir => clean!["Deleted ", Shown(&path), "/"],
        Kind::File | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
            clean!["Deleted ", Shown(&path)]
        }
    };
    Reply::new(text, &Payload { path: path.to_string(), kind: kind_name(kind), deleted: count })
}
