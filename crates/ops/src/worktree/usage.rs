//! `worktree.usage`: how many files there are below a path, and how large they are together.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use garth_contract::{
    Facts, Flow, Found, Hidden, Ignored, Kind, Kinds, Order, Query, Reach as Deep, Result, Sink,
    Total,
};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Ask, Json, Method, Reach,
    wire::{agent::Agent, entry::shown, named},
};
use crate::{Needs, params::parse_strictly, schema::schema_of};

/// The most entries that are counted: several checkouts of a kernel, within seconds.
const MOST: u64 = 1_000_000;

pub(super) const METHOD: Method = Method {
    name: "worktree.usage",
    title: "Count what is there",
    summary: "Says how many files and directories are below a path, dotfiles and ignored ones \
              too, and how large the files are together.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    names: |params| named::path_or_root(params, Reach::Tree).into_iter().collect(),
    at_once: None,
    run: |workspace, ask| Box::pin(run(workspace, ask)),
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// The agent whose workspace is meant.
    #[serde(rename = "agentId")]
    _agent: Agent,
    /// A file, or a directory with everything below it; the root itself (/) if absent.
    path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Payload {
    /// What was counted, from the root.
    path: String,
    /// How many files there are; links and what is neither file nor directory count here.
    files: u64,
    /// How many directories there are below it.
    directories: u64,
    /// The sizes of the files, together.
    size_bytes: u64,
    /// Whether there are more than were counted, which is a million entries at most.
    truncated: bool,
}

/// Counts entries as they are found, and keeps none.
#[derive(Default)]
struct Tally {
    files: AtomicU64,
    directories: AtomicU64,
    bytes: AtomicU64,
}

impl Sink for Tally {
    fn accept(&self, found: Found<'_>) -> Flow {
        if let Found::Entry(entry) = found {
            let counted = match entry.kind {
                Kind::Dir => &self.directories,
                Kind::File => {
                    self.bytes.fetch_add(entry.size, Ordering::Relaxed);
                    &self.files
                }
                Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => &self.files,
            };
            counted.fetch_add(1, Ordering::Relaxed);
        }
        Flow::Continue
    }
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let params: Params = parse_strictly(ask.params)?;
    let path = workspace.path(params.path.unwrap_or_default())?;
    let query = Query {
        base: path.clone(),
        reach: Deep::Tree,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::All,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
        grep: None,
        facts: Facts::All,
        order: Order::Path,
        skip: 0,
        take: MOST,
        after: None,
    };
    let tally = Arc::new(Tally::default());
    let told = workspace.fs().find(&query, Arc::<Tally>::clone(&tally)).await?;
    let [files, directories, size_bytes] =
        [&tally.files, &tally.directories, &tally.bytes].map(|n| n.load(Ordering::Relaxed));
    let counted = files.saturating_add(directories);
    let truncated = match told.total {
        Total::Exact(total) => total > counted,
        Total::AtLeast(_) => true,
    };
    Json::of(&Payload { path: shown(&path), files, directories, size_bytes, truncated })
}
