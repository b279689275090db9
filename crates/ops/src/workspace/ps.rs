//! `ps`: the processes that run, and those whose output is still kept.

use garth_contract::{Process, Result, Total};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    page::{Page, Place},
    params::parse,
    running::{ending, signal_name},
    schema::schema_of,
    words::{Counted, Ours},
};

pub(super) const TOOL: Tool = Tool {
    name: "ps",
    title: "List processes",
    summary: "Lists the processes that bash started: those that run, and those that ended within \
              the hour, oldest first.",
    needs: Needs::Follow,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &[],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Leaves out those that have ended.
    running_only: Option<bool>,
    /// How many are passed over.
    offset: Option<u64>,
    /// How many to list; 1,000 unless said otherwise.
    limit: Option<u64>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::default()
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The processes.
    processes: Vec<Listed>,
    /// How many there are.
    total: u64,
    /// Whether there are more.
    truncated: bool,
    /// The offset to list on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct Listed {
    /// Its id.
    id: String,
    /// What it runs, shortened.
    #[schemars(with = "String")]
    command: Clean,
    /// Whether it still runs.
    running: bool,
    /// Whether it was started in the background.
    background: bool,
    /// How long ago it was started.
    age_ms: u64,
    /// How many bytes it printed.
    printed_bytes: u64,
    /// Its exit code, if it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that it ended by.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let page = Page::of(workspace.limits(), params.offset, params.limit)?;
    let mut all = workspace.shell()?.list().await?;
    if params.running_only == Some(true) {
        all.retain(|process| process.ended.is_none());
    }
    let total = all.len() as u64;
    let index = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let shown: Vec<_> = all.into_iter().skip(index(page.skip)).take(index(page.take)).collect();
    let place = Place { skip: page.skip, given: shown.len() as u64, total: Total::Exact(total) };
    let mut text = CleanWriter::new();
    if total == 0 {
        text.put("There are no processes.");
    }
    let mut processes = Vec::with_capacity(shown.len());
    for process in &shown {
        let command = workspace.clean_command(&process.command);
        text.put(if text.is_empty() { "" } else { "\n" }).put(row(process, &command));
        processes.push(listed(process, command));
    }
    if let Some(footer) = place.footer("process") {
        text.put(if text.is_empty() { "" } else { "\n" }).put(footer);
    }
    let payload =
        Payload { processes, total, truncated: place.next().is_some(), next_offset: place.next() };
    Reply::new(text.finish(), &payload)
}

fn row(process: &Process, command: &Clean) -> Clean {
    let state = match process.ended {
        None => clean!["runs since ", Counted(process.age.as_secs(), "second")],
        Some(ended) => clean!["ended, ", ending(ended.exit)],
    };
    let id = Ours(process.id.to_string());
    clean![id, " ", state, ", ", Counted(process.printed, "byte"), ": ", command]
}

fn listed(process: &Process, command: Clean) -> Listed {
    Listed {
        id: process.id.to_string(),
        command,
        running: process.ended.is_none(),
        background: process.background,
        age_ms: u64::try_from(process.age.as_millis()).unwrap_or(u64::MAX),
        printed_bytes: process.printed,
        exit_code: process.ended.map(|ended| ended.exit.code()),
        signal: process.ended.and_then(|ended| signal_name(ended.exit)),
    }
}
