//! `move`: renames or moves a file, a link or a directory.

use garth_contract::{Clobber, Move, Parents, Renamed, Result};
use garth_redact::clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    words::{Shown, kind_name},
    worktree::Reach,
};

pub(super) const TOOL: Tool = Tool {
    name: "move",
    title: "Move or rename",
    summary: "Moves or renames a file, a symbolic link (never its target) or a directory.",
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
    /// What to move, relative to the workspace's root.
    from: String,
    /// Its new path, name included.
    to: String,
    /// Replaces a file (or an empty directory) at the destination.
    overwrite: Option<bool>,
    /// Makes missing parents of the destination; true unless said otherwise.
    create_dirs: Option<bool>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::tree(self.from).and(self.to, Reach::Tree)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// Where it was, from the root.
    from: String,
    /// Where it is.
    to: String,
    /// What it is: file, dir, symlink, fifo, socket or device.
    kind: &'static str,
    /// Whether something at the destination was replaced.
    overwritten: bool,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let (from, to) = (workspace.path(params.from)?, workspace.path(params.to)?);
    let how = Move {
        clobber: if params.overwrite == Some(true) { Clobber::Replace } else { Clobber::Refuse },
        parents: if params.create_dirs == Some(false) { Parents::Require } else { Parents::Create },
    };
    let Renamed { kind, replaced } = workspace.fs().rename(&from, &to, how).await?;
    let after = if replaced { ", replacing what was there" } else { "" };
    let text = clean!["Moved ", Shown(&from), " to ", Shown(&to), after];
    let payload = Payload {
        from: from.to_string(),
        to: to.to_string(),
        kind: kind_name(kind),
        overwritten: replaced,
    };
    Reply::new(text, &payload)
}
