//! `rm`: deletes a file, a link, or a directory with everything in it.

use garth_contract::{Code, Depth, Kind, Removed, Result};
use garth_redact::clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    words::{Counted, Shown},
};

pub(super) const TOOL: Tool = Tool {
    name: "rm",
    title: "Delete",
    summary: "Deletes a file, a symbolic link (never its target) or a directory with everything \
              in it.",
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
    /// What to delete, relative to the root.
    path: String,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::tree(self.path)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// What was deleted, from the root.
    path: String,
    /// How many entries are gone: one for a file, those in it for a directory, none for nothing.
    deleted: u64,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path)?;
    let (text, deleted) = match workspace.fs().remove(&path, Depth::All).await {
        // The directory itself is not counted: it is where the entries were.
        Ok(Removed { kind: Kind::Dir, count }) => {
            let inside = count.saturating_sub(1);
            (clean!["Deleted ", Shown(&path), "/ with ", Counted(inside, "entry")], inside)
        }
        Ok(Removed { count, .. }) => (clean!["Deleted ", Shown(&path)], count),
        Err(error) if error.code() == Code::FileNotFound => {
            (clean!["[there is nothing at ", Shown(&path), ", so nothing was deleted]"], 0)
        }
        Err(error) => return Err(error),
    };
    Reply::new(text, &Payload { path: path.to_string(), deleted })
}
