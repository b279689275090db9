//! `worktree.watch` and `worktree.unwatch`: changes of files, told as they happen.
//!
//! The backend gathers what it tells and says when it lost something, so nothing here
//! keeps events: who cannot tell one more waits with the next, and what was lost
//! meanwhile becomes one `worktree.resync`.

use std::sync::Arc;

use futures::StreamExt;
use garth_contract::{
    Change, Code, Error, Event, Hidden, Ignored, Reach, Result, WatchSpec, WsPath,
};
use garth_gateway::{Access, AgentId, At, Family, Held, Operation, Run, Summary, Takes, approvals};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use super::row::{linked, read, recorded_of};
use crate::serve::{
    answer::{Along, Answer},
    ws::{Link, Task, Thing},
};

/// The rows.
pub(super) fn rows() -> Vec<Operation<Answer>> {
    let watch = Operation {
        name: "worktree.watch",
        access: Access::Read,
        family: Family::Worktree,
        takes: Takes::Watch,
        describe: Arc::new(described),
        run: Run::on_workspace(|at, params, along| Box::pin(begin(at, params, along))),
    };
    let unwatch = Operation {
        name: "worktree.unwatch",
        access: Access::Read,
        family: Family::Worktree,
        takes: Takes::Nothing,
        describe: Arc::new(|params| recorded_of(params, &["watchId"])),
        run: Run::on_workspace(|at, params, along| Box::pin(end(at, params, along))),
    };
    vec![watch, unwatch]
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Begin {
    #[serde(rename = "agentId")]
    _agent: String,
    /// What is watched; the root without it.
    path: Option<String>,
    /// Everything below it too; its own entries alone without it.
    recursive: Option<bool>,
    /// Dotfiles too, as for a listing.
    include_hidden: Option<bool>,
    /// Ignored files too, which a listing shows; true without it.
    include_ignored: Option<bool>,
}

fn described(params: &Value) -> Summary {
    let path = params.get("path").and_then(Value::as_str).unwrap_or("/");
    let reach = match params.get("recursive") {
        Some(Value::Bool(true)) => approvals::Reach::Tree,
        Some(_) | None => approvals::Reach::This,
    };
    Summary::default().path(path, reach)
}

async fn begin(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Begin = read(params)?;
    let link = linked(along.link)?;
    let path = at.workspace.path(params.path.unwrap_or_default())?;
    let recursive = params.recursive.unwrap_or(false);
    let hidden = params.include_hidden.unwrap_or(false);
    let spec = WatchSpec {
        path: path.clone(),
        reach: if recursive { Reach::Tree } else { Reach::Entries },
        hidden: if hidden { Hidden::Include } else { Hidden::Skip },
        ignored: match params.include_ignored {
            Some(false) => Ignored::Skip,
            Some(true) | None if hidden => Ignored::Include,
            Some(true) | None => Ignored::IncludeNoGit,
        },
    };
    let changes = at.workspace.fs().watch(&spec).await?;
    let id = link.name('w');
    let watching = Watching { agent: at.agent.clone(), id: id.clone(), seq: 0, link };
    along.left.put(move |held| watching.open(changes, held));
    let mut facts = Map::new();
    facts.insert("watchId".to_owned(), id.into());
    facts.insert("path".to_owned(), shown(&path).into());
    facts.insert("recursive".to_owned(), recursive.into());
    Ok(Answer::Facts(facts))
}

/// A watch of a client.
struct Watching {
    agent: AgentId,
    id: String,
    seq: u64,
    link: Arc<Link>,
}

impl Watching {
    /// Begins to tell, once what this gives is dropped.
    fn open(self, changes: garth_contract::Watch, held: Option<Held>) -> oneshot::Sender<()> {
        let (told, answered) = oneshot::channel();
        let (link, id, agent) = (Arc::clone(&self.link), self.id.clone(), self.agent.clone());
        // The connection keeps the work, so the work must not keep the connection.
        let weak = Arc::downgrade(&self.link);
        let outbox = self.link.outbox.clone();
        let Self { mut seq, agent: of, id: name, link: _ } = self;
        let task = Task::spawn(async move {
            let _held = held;
            let _ = answered.await;
            let mut changes = changes;
            while let Some(event) = changes.next().await {
                seq += 1;
                let (event, payload) = told_of(&event, &of, &name, seq);
                if outbox.event(event, &payload).await.is_err() {
                    return;
                }
            }
            // The directory is gone, or the workspace is.
            let ended = json!({ "agentId": of.as_str(), "watchId": name, "seq": seq + 1 });
            let _ = outbox.event("worktree.unwatched", &ended).await;
            if let Some(link) = weak.upgrade() {
                link.end(&name);
            }
        });
        link.keep(id, agent, Thing::Watch, task);
        told
    }
}

fn told_of(event: &Event, agent: &AgentId, watch: &str, seq: u64) -> (&'static str, Value) {
    match event {
        Event::Changed { path, change } => {
            let change = match change {
                Change::Created => "created",
                Change::Modified => "modified",
                Change::Deleted => "deleted",
            };
            let payload = json!({
                "agentId": agent.as_str(),
                "path": shown(path),
                "changeType": change,
                "watchId": watch,
                "seq": seq,
            });
            ("worktree.changed", payload)
        }
        Event::Overflow => {
            let payload = json!({ "agentId": agent.as_str(), "watchId": watch, "seq": seq });
            ("worktree.resync", payload)
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct End {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    watch_id: String,
}

async fn end(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let End { watch_id, .. } = read(params)?;
    let link = linked(along.link)?;
    link.find(&watch_id, at.agent, |thing| match thing {
        Thing::Watch => Some(()),
        Thing::Terminal(_) | Thing::Upload(_) | Thing::Archive => None,
    })?;
    if !link.end(&watch_id) {
        return Err(Error::new(Code::InvalidParams, "the watch has ended"));
    }
    let mut facts = Map::new();
    facts.insert("watchId".to_owned(), watch_id.into());
    facts.insert("ended".to_owned(), true.into());
    Ok(Answer::Facts(facts))
}

/// A path from the root, as every method shows it.
fn shown(path: &WsPath) -> String {
    if path.is_root() { "/".to_owned() } else { path.to_string() }
}
