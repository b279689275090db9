//! `write_file`: creates a file or replaces the whole of one, with the bytes sent.

use bytes::Bytes;
use garth_contract::{Guard, Parents, Put, Result};
use garth_redact::clean;
use garth_workspace::{Plan, Workspace};
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
    placeholders,
    schema::schema_of,
    text_file::TextFile,
};

pub(super) const TOOL: Tool = Tool {
    name: "write_file",
    title: "Write File",
    summary: "Creates a file, or replaces the whole of one without asking, with exactly the text sent.",
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
    /// The file, inside an allowed directory.
    path: String,
    /// The whole new content.
    content: String,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = resolve(workspace, &params.path)?;
    let parents = Parents::Require;
    if workspace.redacts(&path) && placeholders::may_have(&params.content) {
        // Whether a placeholder would destroy a secret, only the file itself can tell.
        let plan = |current: Option<&garth_contract::Content>| {
            let bytes = current.map_or(&b""[..], |content| &content.bytes);
            let old = TextFile::of(&path, bytes, None).map(|file| file.text).unwrap_or_default();
            placeholders::check(workspace, &path, &old, &params.content)?;
            let content = Some(Bytes::from(params.content.clone()));
            Ok(Plan { content, parents, facts: () })
        };
        workspace.update(&path, plan).await?;
    } else {
        let _held = workspace.hold(&[&path]).await;
        let put = Put { guard: Guard::Any, parents, mode: None };
        workspace.fs().write(&path, Bytes::from(params.content), put).await?;
    }
    answer(clean!["Successfully wrote to ", Sent(&params.path)])
}
