//! `kill`: ends a process, or sends it a signal.

use garth_contract::{ProcessId, Result, Signal};
use garth_redact::clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    running::{ending, signal_name},
    schema::schema_of,
    words::Ours,
};

pub(super) const TOOL: Tool = Tool {
    name: "kill",
    title: "End a process",
    summary: "Ends a process and everything that it started: SIGTERM, after five seconds SIGKILL. \
              With signal it sends that one and does not wait.",
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
    /// A signal to send instead, by name or number, such as INT, HUP or USR1.
    signal: Option<SignalName>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::process(self.id)
    }
}

/// A signal as a caller sends it; its number may come as one.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct SignalName(#[serde(deserialize_with = "crate::params::text")] String);

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The process.
    id: String,
    /// The signal that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<String>,
    /// The exit code of one that has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that it ended by.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let shell = workspace.shell()?;
    let id = ProcessId::parse(&params.id)?;
    let shown = Ours(id.to_string());
    if let Some(SignalName(name)) = params.signal {
        let signal = Signal::parse(&name)?;
        shell.signal(id, signal).await?;
        let sent = Some(signal.to_string());
        let text = clean!["Sent ", Ours(signal.to_string()), " to ", shown, "."];
        let payload = Payload { id: id.to_string(), sent, exit_code: None, signal: None };
        return Reply::new(text, &payload);
    }
    let exit = shell.end(id).await?.exit;
    let payload = Payload {
        id: id.to_string(),
        sent: None,
        exit_code: Some(exit.code()),
        signal: signal_name(exit),
    };
    Reply::new(clean![shown, " has ended: ", ending(exit), "."], &payload)
}
