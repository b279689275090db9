//! `shell`: runs a command with bash, to its end.

use garth_contract::{Announce, Program};
use garth_redact::Clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Failure, Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{Env, parse},
    running::{self, Outcome, REPEATS, Told, With},
    schema::schema_of,
};

pub(super) const TOOL: Tool = Tool {
    name: "shell",
    title: "Run a command",
    summary: "Runs a command with bash, and gives what it prints and its exit code; one that is \
              not 0 is no error. Each call starts anew in workdir. At most 2 minutes unless \
              timeout_ms says otherwise.",
    needs: Needs::Run,
    params: schema_of::<Params>,
    payload: schema_of::<Outcome>,
    repeats: REPEATS,
    names: names_of::<Params>,
    run: |workspace, call| {
        Box::pin(async move {
            let Params { command, workdir, timeout_ms, env, stdin } = parse(call.params)?;
            let with = With { workdir, timeout_ms, env, stdin };
            run(workspace, Program::script(command)?, with, call.announce).await
        })
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// What bash runs: one command or many, on one line or several.
    command: String,
    /// The directory to run it in, relative to the root; the root without one.
    workdir: Option<String>,
    /// How long it may run, in milliseconds: 120,000 unless said otherwise, 3,600,000 at most.
    timeout_ms: Option<u64>,
    /// Variables for its environment, by their names.
    env: Option<Env>,
    /// What it reads from standard input, and then the end; nothing without it.
    stdin: Option<String>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::run(self.command, self.workdir)
    }
}

/// Runs a program to its end.
pub(super) async fn run(
    workspace: &Workspace,
    program: Program,
    with: With,
    announce: Announce,
) -> Result<Reply, Failure> {
    let command = running::command(workspace, program, with).await?;
    let elsewhere = Clean::fixed("send it to a file to read all of it");
    let (_, told) = running::run(workspace, command, announce, |_| elsewhere).await?;
    let Told { text, outcome, late } = told;
    let reply = Reply::new(text, &outcome)?;
    match late {
        None => Ok(reply),
        Some(error) => Err(Failure::after(error.hint("Allow more time with timeout_ms."), reply)),
    }
}
