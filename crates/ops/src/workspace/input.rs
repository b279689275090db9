//! `input`: writes to a process's standard input.

use garth_contract::{Input, ProcessId, Result};
use garth_redact::clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{invalid, parse},
    running,
    schema::schema_of,
    words::{Counted, Ours},
};

pub(super) const TOOL: Tool = Tool {
    name: "input",
    title: "Write to a process",
    summary: "Writes text to the standard input of a process that bash started in the background, \
              or closes it. A line is read when it is finished: end the text with a line feed.",
    needs: Needs::Run,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &[],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The process, such as p7: the id in the reply of bash.
    id: String,
    /// What to write, exactly as it is.
    text: Option<String>,
    /// Closes the input, after the text: the process reads its end.
    close: Option<bool>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::process(self.id)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The process.
    id: String,
    /// How many bytes are on their way.
    bytes: u64,
    /// Whether its input is closed.
    closed: bool,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let shell = workspace.shell()?;
    let id = ProcessId::parse(&params.id)?;
    let closed = params.close == Some(true);
    if params.text.is_none() && !closed {
        return Err(invalid("there is nothing to do: send text, close, or both"));
    }
    let text = running::input(params.text.unwrap_or_default())?;
    let bytes = text.len() as u64;
    if bytes > 0 {
        shell.input(id, Input::Bytes(text)).await?;
    }
    if closed {
        shell.input(id, Input::Close).await?;
    }
    let shown = Ours(id.to_string());
    let after = if closed { ", and closed its input." } else { "." };
    let text = clean!["Sent ", Counted(bytes, "byte"), " to ", shown, after];
    Reply::new(text, &Payload { id: id.to_string(), bytes, closed })
}
