//! `move_file`: moves or renames a file, a link or a directory.

use garth_contract::{Clobber, Move, Parents, Result};
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
    worktree::Reach,
};

pub(super) const TOOL: Tool = Tool {
    name: "move_file",
    title: "Move File",
    summary: "Moves or renames a file or directory. Fails where something stands at the destination.",
    needs: Needs::Replace,
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
    /// What to move, inside an allowed directory.
    source: String,
    /// Its new path, name included, inside an allowed directory.
    destination: String,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::tree(self.source).and(self.destination, Reach::Tree)
    }
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let Params { source, destination } = params;
    let (from, to) = (resolve(workspace, &source)?, resolve(workspace, &destination)?);
    let how = Move { clobber: Clobber::Refuse, parents: Parents::Require };
    workspace.fs().rename(&from, &to, how).await?;
    answer(clean!["Successfully moved ", Sent(&source), " to ", Sent(&destination)])
}
