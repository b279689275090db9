//! `worktree.list`: the entries of a directory, or of everything below it, by name.

use garth_contract::{
    Entry, Facts, Hidden, Ignored, Kinds, Order, Page as Range, Query, Reach as Deep, Result,
    Total, WsPath,
};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Ask, Json, Method,
    wire::{
        agent::Agent,
        cursor::Behind,
        entry::{Listed, shown},
        named,
    },
};
use crate::{
    Needs,
    page::Place,
    params::{at_least_one, parse_strictly},
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
    at_once: None,
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

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let params: Params = parse_strictly(ask.params)?;
    // Who knows of no pages gets as much as one reply may hold.
    let most = workspace.limits().most_results;
    let take = at_least_one("limit", params.limit)?.unwrap_or(most).min(most);
    let behind = Behind::read(params.cursor.as_deref())?;
    let path = workspace.path(params.path.unwrap_or_default())?;
    let deep = if params.recursive == Some(true) { Deep::Tree } else { Deep::Entries };
    let scope = (deep, hidden(params.include_hidden));
    let (found, place) = match scope {
        (Deep::Entries, Hidden::Include) => entries_of(workspace, &path, &behind, take).await?,
        (Deep::Tree, _) | (_, Hidden::Skip) => {
            walked(workspace, &path, scope, (&behind, take)).await?
        }
    };
    let mut entries = Vec::with_capacity(found.len());
    for entry in &found {
        entries.push(Listed::of(workspace, entry).await);
    }
    let last = found.last().map(|entry| entry.path.clone()).or(behind.path);
    let next = place.next().and_then(|count| Behind { count, path: last }.written());
    Json::of(&Payload {
        path: shown(&path),
        entries,
        total: place.total(),
        truncated: next.is_some(),
        next_cursor: next,
    })
}

/// A directory's own entries behind the last that was told.
///
/// A listing counts, so it is asked where that one stands now: where it stood, unless
/// others came or went before it.
async fn entries_of(
    workspace: &Workspace,
    path: &WsPath,
    behind: &Behind,
    take: u64,
) -> Result<(Vec<Entry>, Place)> {
    let list = async |skip, take| workspace.fs().list(path, Range { skip, take }).await;
    let is_told = |entry: &Entry| behind.path.as_ref().is_some_and(|last| entry.path <= *last);
    let before = behind.count.saturating_sub(1);
    let mut listing = list(before, take.saturating_add(behind.count.min(1))).await?;
    let mut skip = behind.count;
    let stands =
        listing.entries.first().map(|entry| Some(&entry.path)) == Some(behind.path.as_ref());
    if behind.count > 0 && stands {
        listing.entries.remove(0);
    } else if behind.count > 0 {
        let (mut low, mut high) = (0, listing.total);
        while low < high {
            let middle = low + (high - low) / 2;
            match list(middle, 1).await?.entries.first() {
                Some(entry) if is_told(entry) => low = middle + 1,
                Some(_) | None => high = middle,
            }
        }
        (listing, skip) = (list(low, take).await?, low);
        // Something may have come while it was looked for.
        listing.entries.retain(|entry| !is_told(entry));
    }
    let (given, total) = (listing.entries.len() as u64, Total::Exact(listing.total));
    Ok((listing.entries, Place { skip, given, total }))
}

/// What a walk finds behind the last that was told.
async fn walked(
    workspace: &Workspace,
    path: &WsPath,
    (reach, hidden): (Deep, Hidden),
    (behind, take): (&Behind, u64),
) -> Result<(Vec<Entry>, Place)> {
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
        skip: 0,
        take,
        after: behind.path.clone(),
    };
    let (found, Place { given, total, .. }) = entries(workspace, &query).await?;
    let skip = behind.count;
    let total = match total {
        Total::Exact(rest) => Total::Exact(skip.saturating_add(rest)),
        Total::AtLeast(rest) => Total::AtLeast(skip.saturating_add(rest)),
    };
    Ok((found, Place { skip, given, total }))
}
