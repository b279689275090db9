//! Changes below a directory: as a stream, or asked for from time to time.
//!
//! The sandbox gathers what it tells and says when it lost something. On this wire there
//! is no word for that, so it is an event about the watched directory itself, which
//! tells its watcher to look again.

use std::{sync::Arc, time::Duration};

use axum::response::Response;
use futures::StreamExt;
use garth_contract::{
    Change, Code, DynFilesystem, Error, Event, Hidden, Ignored, Kind as Seen, Links, Reach,
    WatchSpec, WsPath,
};
use garth_gateway::Held;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{
    connect::{self, outlet},
    door::{path, shown},
    entry,
    envd::{Inside, timeout},
    line,
    poll::Queue,
    refuse::{Kind, Result, Wrong},
    sandbox::Sandbox,
};

/// How often something is said where nothing changes.
const SIGN: Duration = Duration::from_secs(50);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Begin {
    #[serde(default)]
    path: String,
    #[serde(default)]
    recursive: bool,
    #[serde(default)]
    include_entry: bool,
}

/// A watch that has begun.
struct Watching {
    base: WsPath,
    changes: garth_contract::Watch,
    files: Arc<dyn DynFilesystem>,
    with_entry: bool,
    sandbox: Arc<Sandbox>,
    /// Its place among the watches that there may be.
    _held: oneshot::Receiver<Option<Held>>,
}

async fn begin(inside: &Inside, asked: Begin) -> Result<Watching> {
    let base = path(&asked.path, inside.user)?;
    let reach = if asked.recursive { Reach::Tree } else { Reach::Entries };
    let spec =
        WatchSpec { path: base.clone(), reach, hidden: Hidden::Include, ignored: Ignored::Include };
    let call = inside.asked(line::FILE_WATCH, json!({ "path": shown(&base) }));
    let at = base.clone();
    let (hold, held) = oneshot::channel();
    let begun = line::inside(&inside.app, (call, inside.id()), move |workspace, left| async move {
        let files = Arc::clone(&workspace.inside()?.files);
        if files.stat(&at, Links::Follow).await?.kind != Seen::Dir {
            return Err(Error::at(Code::NotADirectory, &at));
        }
        let changes = files.watch(&spec).await?;
        left.put(move |held| {
            // It lies there until the watch is dropped.
            let _ = hold.send(held);
            oneshot::channel().0
        });
        Ok(((changes, files), 0))
    });
    let (changes, files) = begun.await?;
    let sandbox = Arc::clone(&inside.entered.sandbox);
    Ok(Watching { base, changes, files, with_entry: asked.include_entry, sandbox, _held: held })
}

impl Watching {
    /// The next change; `None` when there will be none any more.
    async fn next(&mut self) -> Option<Value> {
        let event = self.changes.next().await?;
        let (path, change) = match event {
            Event::Overflow => return Some(lost()),
            Event::Changed { path, change } => (path, change),
        };
        let kind = match change {
            Change::Created => "EVENT_TYPE_CREATE",
            Change::Modified => "EVENT_TYPE_WRITE",
            Change::Deleted => "EVENT_TYPE_REMOVE",
        };
        let name = path.below(&self.base).map(garth_contract::escape).unwrap_or_default();
        let mut told = json!({ "name": name, "type": kind });
        if self.with_entry && change != Change::Deleted {
            // One that is gone by now has none.
            if let Ok(entry) = entry::look(&*self.files, &path).await
                && let Some(told) = told.as_object_mut()
            {
                told.insert("entry".to_owned(), entry.message(&self.sandbox.metadata));
            }
        }
        Some(told)
    }
}

/// That events were lost: look at the directory again.
fn lost() -> Value {
    json!({ "name": ".", "type": "EVENT_TYPE_WRITE" })
}

/// Tells of changes until nobody listens.
pub(super) async fn stream(inside: Inside, bytes: &[u8]) -> Response {
    let begun = async {
        let asked: Begin = connect::enveloped(&inside.parts.headers, bytes)?;
        begin(&inside, asked).await
    };
    let mut watching = match begun.await {
        Ok(watching) => watching,
        Err(wrong) => return connect::ended(Err(wrong)),
    };
    let (outlet, response) = outlet();
    let within = timeout(&inside.parts);
    tokio::spawn(async move {
        let sandbox = Arc::clone(&watching.sandbox);
        let gone = outlet.clone();
        let telling = async {
            if outlet.send(&json!({ "start": {} })).await.is_err() {
                return Ok(());
            }
            loop {
                let told = match tokio::time::timeout(SIGN, watching.next()).await {
                    Ok(Some(event)) => json!({ "filesystem": event }),
                    Ok(None) => return Ok(()),
                    Err(_) => json!({ "keepalive": {} }),
                };
                if outlet.send(&told).await.is_err() {
                    return Ok(());
                }
            }
        };
        let over = async {
            match within {
                Some(within) => tokio::time::sleep(within).await,
                None => std::future::pending().await,
            }
        };
        let late = || Wrong::new(Kind::DeadlineExceeded, "the time that was given is over");
        let end = tokio::select! {
            end = telling => end,
            () = gone.gone() => return,
            () = over => Err(late()),
            _ = sandbox.stopped() => {
                Err(Wrong::new(Kind::Unavailable, "the sandbox ended before the stream did"))
            }
        };
        drop(gone);
        outlet.end(end).await;
    });
    response
}

/// Begins a watch that is asked from time to time.
pub(super) async fn create(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let asked: Begin = connect::message(&inside.parts.headers, bytes)?;
    let mut watching = begin(inside, asked).await?;
    let queue = Arc::new(Queue::default());
    let filled = Arc::clone(&queue);
    let sandbox = Arc::clone(&watching.sandbox);
    let task = tokio::spawn(async move {
        let filling = async {
            while let Some(event) = watching.next().await {
                filled.put(event);
            }
        };
        tokio::select! {
            () = filling => {}
            _ = sandbox.stopped() => {}
        }
    });
    let name = inside.entered.sandbox.watchers.keep(queue, task.abort_handle());
    let name = name.ok_or_else(|| {
        Wrong::new(Kind::ResourceExhausted, "there are as many watches as there may be")
    })?;
    Ok(json!({ "watcherId": name }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    #[serde(default)]
    watcher_id: String,
}

/// What has changed since this was last asked.
pub(super) async fn events(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let Named { watcher_id } = connect::message(&inside.parts.headers, bytes)?;
    let queue =
        inside.entered.sandbox.watchers.ask(&watcher_id).ok_or_else(|| none(&watcher_id))?;
    let asked = inside.asked(line::FILE_EVENTS, json!({}));
    let taken = line::inside(&inside.app, (asked, inside.id()), move |_, _| async move {
        Ok((queue.take(lost), 0))
    });
    Ok(json!({ "events": taken.await? }))
}

/// Ends a watch.
pub(super) async fn remove(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let Named { watcher_id } = connect::message(&inside.parts.headers, bytes)?;
    if !inside.entered.sandbox.watchers.end(&watcher_id) {
        return Err(none(&watcher_id));
    }
    Ok(json!({}))
}

fn none(name: &str) -> Wrong {
    Wrong::new(Kind::NotFound, format!("watcher with id {name} not found"))
}
