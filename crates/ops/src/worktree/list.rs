//! `worktree.list`: the entries of a directory, or of everything below it, by name.

use garth_contract::{
    Entry, Facts, Hidden, Ignored, Kinds, Order, Page as Range, Query, Reach as Deep, Result,
    Total, WsPath,
};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Ask, Method,
    wire::{
        agent::Agent,
        cursor,
        entry::{Listed, shown},
        named,
    },
};
use crate::{
    Needs,
    page::{Page, Place},
    params::parse_strictly,
    reply::object,
    schema::schema_of,
    tree::{directory, entries, hidden},
};

pub(super) const METHOD: Method = Method {
    name: "worktree.list",
    title: "List a directory",
    summary: "Lists a directory by name, or everything below it. Dotfiles are left out unless \
              asked for; nothing else is.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    names: |params| named::path_or_root(params, named::recursive(params)).into_iter().collect(),
    run: |workspace, ask| Box::pin(run(workspace, ask)),
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// The agent whose workspace is meant.
    #[serde(rename = "agentId")]
    _agent: Agent,
    /// The directory, from the root; the root itself (/) if absent.
    path: Option<String>,
    /// Lists everything below it, not only its own entries; false if absent.
    recursive: Option<bool>,
    /// Lists names that begin with a dot too; false if absent.
    include_hidden: Option<bool>,
    /// The most entries to give; 10,000 if absent, and at most.
    limit: Option<u64>,
    /// Goes on where an earlier reply ended: what it gave as nextCursor.
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Payload {
    /// The directory, from the root.
    path: String,
    /// The entries, by name; below each directory, what is in it.
    entries: Vec<Listed>,
    /// How many entries there are in all, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// Whether there are more entries than these.
    truncated: bool,
    /// What to send as cursor to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Map<String, Value>> {
    let params: Params = parse_strictly(ask.params)?;
    // Who knows of no pages gets as much as one reply may hold.
    let most = workspace.limits().most_results;
    let page = cursor::page((params.limit, params.cursor.as_deref()), (most, most))?;
    let path = workspace.path(params.path.unwrap_or_default())?;
    let deep = if params.recursive == Some(true) { Deep::Tree } else { Deep::Entries };
    let (found, place) =
        look(workspace, &path, (deep, hidden(params.include_hidden)), page).await?;
    let mut entries = Vec::with_capacity(found.len());
    for entry in &found {
        entries.push(Listed::of(workspace, entry).await);
    }
    object(&Payload {
        path: shown(&path),
        entries,
        total: place.total(),
        truncated: place.next().is_some(),
        next_cursor: cursor::next(place),
    })
}

async fn look(
    workspace: &Workspace,
    path: &WsPath,
    (reach, hidden): (Deep, Hidden),
    Page { skip, take }: Page,
) -> Result<(Vec<Entry>, Place)> {
    if (reach, hidden) == (Deep::Entries, Hidden::Include) {
        let listing = workspace.fs().list(path, Range { skip, take }).await?;
        let given = listing.entries.len() as u64;
        return Ok((listing.entries, Place { skip, given, total: Total::Exact(listing.total) }));
    }
    // A walk may begin at a file too, which a listing may not.
    directory(workspace, path).await?;
    let query = Query {
        base: path.clone(),
        reach,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::All,
        hidden,
        ignored: Ignored::Include,
        grep: None,
        facts: Facts::All,
        order: Order::Path,
        skip,
        take,
    };
    entries(workspace, &query).await
}
