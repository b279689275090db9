//! `bash`: runs a command, to its end or in the background.

use garth_contract::{Announce, Program, Report, Stdin, Timeout};
use garth_redact::{Clean, clean};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Failure, Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{Env, parse},
    running::{self, Outcome, REPEATS, Told, With},
    schema::schema_of,
    words::Ours,
};

pub(super) const TOOL: Tool = Tool {
    name: "bash",
    title: "Run a command",
    summary: "Runs a command with bash in the workspace, and gives what it prints and its exit \
              code; one that is not 0 is no error. Each call starts anew in workdir. At most 2 \
              minutes unless timeout_ms says otherwise; background starts what is to go on.",
    needs: Needs::Run,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: REPEATS,
    names: names_of::<Params>,
    run: |workspace, call| {
        Box::pin(async move { run(workspace, parse(call.params)?, call.announce).await })
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// What bash runs: one command or many, on one line or several.
    command: String,
    /// The directory to run it in, relative to the workspace's root; the root without one.
    workdir: Option<String>,
    /// How long it may run, in milliseconds: 120,000 unless said otherwise, 3,600,000 at most,
    /// which is also what a command in the background gets.
    timeout_ms: Option<u64>,
    /// Variables for its environment, by their names.
    env: Option<Env>,
    /// What it reads from standard input, and then the end; nothing without it.
    stdin: Option<String>,
    /// Starts it and does not wait: the reply is its id, for output, input and kill.
    background: Option<bool>,
    /// What other tools want a command to be explained with; it changes nothing.
    #[schemars(skip)]
    #[allow(dead_code, reason = "it is taken so that a call with it is no mistake")]
    description: Option<String>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::run(self.command, self.workdir)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The id of the process, by which output finds everything that it printed, for an hour.
    id: String,
    #[serde(flatten)]
    outcome: Option<Outcome>,
}

async fn run(workspace: &Workspace, params: Params, announce: Announce) -> Result<Reply, Failure> {
    let Params { command, workdir, timeout_ms, env, stdin, background, .. } = params;
    let in_background = background == Some(true);
    let with = With { workdir, timeout_ms, env, stdin };
    let (no_time, no_input) = (with.timeout_ms.is_none(), with.stdin.is_none());
    let mut command = running::command(workspace, Program::script(command)?, with).await?;
    if !in_background {
        let (report, told) = running::run(workspace, command, announce, elsewhere).await?;
        return reply(&report, told);
    }
    if no_time {
        command.timeout = Timeout::MOST;
    }
    if no_input {
        // Whoever starts it can write to it later; many servers stop at the end of input.
        command.stdin = Stdin::Open;
    }
    let id = workspace.shell()?.start(command).await?;
    let shown = Ours(id.to_string());
    let text = clean![
        "Started in the background as ",
        shown.clone(),
        "; output with id \"",
        shown,
        "\" shows what it prints, input writes to it, kill ends it."
    ];
    Ok(Reply::new(text, &Payload { id: id.to_string(), outcome: None })?)
}

fn reply(report: &Report, told: Told) -> Result<Reply, Failure> {
    let Told { text, outcome, late } = told;
    let payload = Payload { id: report.id.to_string(), outcome: Some(outcome) };
    let reply = Reply::new(text, &payload)?;
    match late {
        None => Ok(reply),
        Some(error) => {
            let hint = "Allow more time with timeout_ms, or start it in the background.";
            Err(Failure::after(error.hint(hint), reply))
        }
    }
}

/// Where what is left out can be found.
fn elsewhere(report: &Report) -> Clean {
    clean!["output with id \"", Ours(report.id.to_string()), "\" shows all"]
}
