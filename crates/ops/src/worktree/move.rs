//! `worktree.move`: renames or moves a file, a link or a directory.

use garth_contract::{Clobber, Move, Parents, Renamed, Result};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Ask, Json, Method, Reach,
    wire::{
        agent::Agent,
        entry::{FileOrDir, shown, special},
        named,
    },
};
use crate::{Needs, params::parse_strictly, schema::schema_of};

pub(super) const METHOD: Method = Method {
    name: "worktree.move",
    title: "Move or rename",
    summary: "Moves or renames a file, a symbolic link (never its target) or a directory.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    names: |params| {
        let path = |name| named::path(params, name, Reach::Tree);
        path("fromPath").into_iter().chain(path("toPath")).collect()
    },
    at_once: None,
    run: |workspace, ask| Box::pin(run(workspace, ask)),
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// The agent whose workspace is meant.
    #[serde(rename = "agentId")]
    _agent: Agent,
    /// What to move, from the root.
    from_path: String,
    /// Its new path, name included.
    to_path: String,
    /// Replaces a file, or an empty directory, at the destination; false if absent.
    overwrite: Option<bool>,
    /// Whether missing directories of the destination are made; true if absent.
    create_dirs: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Payload {
    /// Where it was, from the root.
    from_path: String,
    /// Where it is.
    to_path: String,
    /// Whether it is a directory.
    kind: FileOrDir,
    /// What it is, where it is neither file nor directory: symlink, fifo, socket or device.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    special: Option<&'static str>,
    /// Whether something at the destination was replaced.
    overwritten: bool,
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let params: Params = parse_strictly(ask.params)?;
    let (from, to) = (workspace.path(params.from_path)?, workspace.path(params.to_path)?);
    let how = Move {
        clobber: if params.overwrite == Some(true) { Clobber::Replace } else { Clobber::Refuse },
        parents: if params.create_dirs == Some(false) { Parents::Require } else { Parents::Create },
    };
    let Renamed { kind, replaced } = workspace.fs().rename(&from, &to, how).await?;
    ask.shown.moved(&from, &to);
    Json::of(&Payload {
        from_path: shown(&from),
        to_path: shown(&to),
        kind: FileOrDir::of(kind),
        special: special(kind),
        overwritten: replaced,
    })
}
