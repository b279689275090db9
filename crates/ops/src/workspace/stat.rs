//! `stat`: looks at one entry without reading it.

use garth_contract::{Entry, Kind, Links, Result};
use garth_redact::{Clean, CleanWriter};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    listing::Listed,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    words::{Counted, Ours, Shown, kind_name},
};

pub(super) const TOOL: Tool = Tool {
    name: "stat",
    title: "Look at one entry",
    summary: "Says what stands at a path: its kind, size, time of change and permissions.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &[],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// What to look at, relative to the workspace's root.
    path: String,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    #[serde(flatten)]
    entry: Listed,
    /// For a symbolic link, what it leads to; absent when that is nothing inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Listed>,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = workspace.path(params.path)?;
    let entry = workspace.fs().stat(&path, Links::Keep).await?;
    // A link that leads nowhere, or out, is still an entry of its own.
    let target = match entry.kind {
        Kind::Symlink => workspace.fs().stat(&path, Links::Follow).await.ok(),
        Kind::File | Kind::Dir | Kind::Fifo | Kind::Socket | Kind::Device => None,
    };
    let text = describe(&entry, target.as_ref());
    let payload =
        Payload { entry: Listed::from(&entry), target: target.as_ref().map(Listed::from) };
    Reply::new(text, &payload)
}

fn describe(entry: &Entry, target: Option<&Entry>) -> Clean {
    let mut text = CleanWriter::new();
    text.put(Shown(&entry.path)).put(": ").put(kind_name(entry.kind));
    match (entry.kind, target) {
        (Kind::Symlink, Some(target)) => {
            text.put(" to ").put(kind_name(target.kind));
            facts(&mut text, target);
        }
        (Kind::Symlink, None) => {
            text.put(" that leads nowhere inside the workspace");
        }
        (Kind::File | Kind::Dir | Kind::Fifo | Kind::Socket | Kind::Device, _) => {
            facts(&mut text, entry);
        }
    }
    text.finish()
}

fn facts(text: &mut CleanWriter, entry: &Entry) {
    let listed = Listed::from(entry);
    if let Some(size) = listed.size_bytes {
        text.put(", ").put(Counted(size, "byte"));
    }
    if let Some(mode) = listed.mode {
        text.put(", mode ").put(Ours(mode));
    }
    if let Some(modified) = listed.modified_at {
        text.put(", modified ").put(Ours(modified));
    }
}
