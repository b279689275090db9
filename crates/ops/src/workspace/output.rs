//! `output`: what a process printed, from a position on.

use std::time::Duration;

use garth_contract::{Ask, Ended, ProcessId, Result, Stream};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::{Stretch, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{at_least_one, invalid, parse},
    running::{ending, signal_name},
    schema::schema_of,
    words::{Counted, Ours},
};

pub(super) const TOOL: Tool = Tool {
    name: "output",
    title: "Read what a process prints",
    summary: "Shows what a process of bash printed, both streams in order, from a position on or \
              at the end; while there is nothing new it waits a little. What ended can be read \
              for an hour.",
    needs: Needs::Follow,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["output"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

/// How long is waited when nothing is said.
const USUAL_WAIT: u64 = 1_000;
/// The most bytes that can be asked for at once: what a client takes as one message.
const MOST: u64 = 512 << 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The process, such as p7: the id in the reply of bash.
    id: String,
    /// The position to read from, in bytes: 0, the beginning, or what a reply named as next.
    position: Option<u64>,
    /// Reads so many bytes at the end instead.
    tail: Option<u64>,
    /// How long to wait while there is nothing new, in milliseconds: 1,000 unless said otherwise,
    /// 60,000 at most. A line that is not finished comes when the wait is over.
    wait_ms: Option<u64>,
    /// The most bytes: 51,200 unless said otherwise, 524,288 at most.
    limit: Option<u64>,
    /// Shows one stream only.
    stream: Option<Which>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::process(self.id)
    }
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Which {
    Stdout,
    Stderr,
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The process.
    id: String,
    /// What it printed.
    #[schemars(with = "String")]
    output: Clean,
    /// The position of the first byte given.
    position: u64,
    /// The position to read on from.
    next: u64,
    /// How many bytes it printed so far.
    total_bytes: u64,
    /// How many bytes before these were asked for and are no longer kept.
    #[serde(skip_serializing_if = "is_none")]
    missing_bytes: u64,
    /// Whether it still runs.
    running: bool,
    /// Its exit code, if it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that it ended by.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    /// How long it ran, if it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let shell = workspace.shell()?;
    let id = ProcessId::parse(&params.id)?;
    let limits = workspace.limits();
    let usual = (limits.stream_head + limits.stream_tail) as u64;
    let most = at_least_one("limit", params.limit)?.unwrap_or(usual).min(MOST);
    let from = match (params.position, at_least_one("tail", params.tail)?) {
        (Some(_), Some(_)) => return Err(invalid("send position or tail, not both")),
        (position, None) => position.unwrap_or(0),
        (None, Some(tail)) => {
            let ask = Ask { from: 0, most: 1, wait: Duration::ZERO };
            shell.output(id, ask).await?.total.saturating_sub(tail.min(most))
        }
    };
    let wait = Duration::from_millis(params.wait_ms.unwrap_or(USUAL_WAIT)).min(Ask::LONGEST);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let stretch = workspace.follow(id, Ask { from, most, wait }).await?;
    reply(id, &stretch, params.stream)
}

fn reply(id: ProcessId, stretch: &Stretch, which: Option<Which>) -> Result<Reply> {
    let wanted = |stream: Stream| match (which, stream) {
        (None, _)
        | (Some(Which::Stdout), Stream::Stdout)
        | (Some(Which::Stderr), Stream::Stderr) => true,
        (Some(Which::Stdout), Stream::Stderr) | (Some(Which::Stderr), Stream::Stdout) => false,
    };
    let told = stretch.told.iter().filter(|told| wanted(told.stream));
    let output = Clean::join(told.map(|told| &told.text), "");
    let text = text(id, stretch, &output);
    let Stretch { start, next, missing, total, ended, .. } = *stretch;
    let millis = |ended: Ended| u64::try_from(ended.ran.as_millis()).unwrap_or(u64::MAX);
    let payload = Payload {
        id: id.to_string(),
        output,
        position: start,
        next,
        total_bytes: total,
        missing_bytes: missing,
        running: ended.is_none(),
        exit_code: ended.map(|ended| ended.exit.code()),
        signal: ended.and_then(|ended| signal_name(ended.exit)),
        duration_ms: ended.map(millis),
    };
    Reply::new(text, &payload)
}

/// What was printed, between notes on what is missing before it and what comes after.
fn text(id: ProcessId, stretch: &Stretch, output: &Clean) -> Clean {
    let Stretch { next, missing, total, ended, .. } = stretch;
    let mut text = CleanWriter::new();
    if *missing > 0 {
        text.put("[").put(Counted(*missing, "byte")).put(" before this are no longer kept]\n");
    }
    text.put(output);
    if !output.is_empty() && !output.ends_with('\n') {
        text.put("\n");
    }
    let id = Ours(id.to_string());
    text.put(match ended {
        _ if next < total => {
            clean!["[", Counted(total - next, "byte"), " more; go on with position ", *next, "]"]
        }
        Some(ended) => clean!["[", id, " has ended: ", ending(ended.exit), "]"],
        None => clean!["[", id, " runs; go on with position ", *next, "]"],
    });
    text.finish()
}
