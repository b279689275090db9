//! `worktree.upload.*`: a large file in chunks, which lands whole or not at all.
//!
//! Chunks are kept in memory until they are committed, since a file is written at once:
//! so all uploads together have a bound, and one to which nothing comes is dropped.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use garth_contract::{Code, Detail, Error, Guard, Parents, Put, Result, Version, WsPath};
use garth_gateway::{
    Access, AgentId, At, Family, Operation, Run, Summary, Takes, approvals::Reach,
};
use garth_ops::worktree::{self, Recall};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::Instant,
};

use super::row::{facts, linked, read, recorded_of};
use crate::serve::{
    answer::{Along, Answer},
    recalls::Recalls,
    ws::{Link, Task, Thing},
};

/// The largest upload, in bytes.
const MOST: usize = 256 << 20;
/// All uploads together.
const MOST_TOGETHER: usize = 512 << 20;
/// Uploads of one connection.
const MOST_OPEN: usize = 4;
/// How long an upload waits for the next chunk.
const IDLE_MS: u64 = 60_000;
/// What to wait for when all uploads together are too large.
const FULL: Duration = Duration::from_secs(1);
/// What every placeholder of a secret begins with.
const MARK: &[u8] = b"[REDACTED";

/// The rows.
pub(super) fn rows(recalls: &Arc<Recalls>) -> Vec<Operation<Answer>> {
    let room = Arc::new(Semaphore::new(MOST_TOGETHER));
    let recalls = Arc::clone(recalls);
    let row = |name, describe: fn(&Value) -> Summary, run| Operation {
        name,
        access: Access::Write,
        family: Family::Worktree,
        takes: Takes::Nothing,
        describe: Arc::new(describe),
        run,
    };
    let named = |params: &Value| recorded_of(params, &["uploadId"]);
    vec![
        row("worktree.upload.begin", described, {
            Run::on_workspace(|at, params, along| Box::pin(begin(at, params, along)))
        }),
        row("worktree.upload.chunk", named, {
            Run::on_workspace(move |at, params, along| {
                Box::pin(chunk(Arc::clone(&room), at, params, along))
            })
        }),
        row("worktree.upload.commit", named, {
            Run::on_workspace(move |at, params, along| {
                let shown = recalls.of(at.caller, at.agent);
                Box::pin(commit(shown, at, params, along))
            })
        }),
        row("worktree.upload.abort", named, {
            Run::on_workspace(|at, params, along| Box::pin(abort(at, params, along)))
        }),
    ]
}

/// A file on its way.
pub(crate) struct Upload {
    path: WsPath,
    guard: Guard,
    parents: Parents,
    came: Mutex<Came>,
}

struct Came {
    bytes: Vec<u8>,
    room: Vec<OwnedSemaphorePermit>,
    last: Instant,
}

impl Upload {
    /// Takes what came; the next chunk would be the first.
    pub(super) fn take(&self) -> Bytes {
        std::mem::take(&mut self.lock().bytes).into()
    }

    fn lock(&self) -> MutexGuard<'_, Came> {
        self.came.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Begin {
    #[serde(rename = "agentId")]
    _agent: String,
    path: String,
    create_dirs: Option<bool>,
    overwrite: Option<bool>,
    expected_version: Option<String>,
}

fn described(params: &Value) -> Summary {
    match params.get("path").and_then(Value::as_str) {
        Some(path) => Summary::default().path(path, Reach::This),
        None => Summary::default(),
    }
}

async fn begin(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Begin = read(params)?;
    let link = linked(along.link)?;
    let guard = match (params.overwrite, params.expected_version) {
        (Some(false), Some(_)) => {
            return Err(wrong("expectedVersion makes no sense with overwrite: false"));
        }
        (Some(false), None) => Guard::Absent,
        (Some(true) | None, Some(version)) => Guard::Unchanged(version_of(&version)?),
        (Some(true) | None, None) => Guard::Any,
    };
    let path = at.workspace.path(params.path)?;
    if path.is_root() {
        return Err(Error::at(Code::NotAFile, &path));
    }
    if link.count(|thing| matches!(thing, Thing::Upload(_))) >= MOST_OPEN {
        let message = format!("a connection has at most {MOST_OPEN} uploads");
        return Err(Error::new(Code::QuotaExceeded, message));
    }
    let parents = match params.create_dirs {
        Some(false) => Parents::Require,
        Some(true) | None => Parents::Create,
    };
    let came = Came { bytes: Vec::new(), room: Vec::new(), last: Instant::now() };
    let upload = Upload { path, guard, parents, came: Mutex::new(came) };
    let name = link.name('u');
    let told = json!({ "uploadId": name, "maxBytes": MOST, "idleMs": IDLE_MS });
    let agent = at.agent.clone();
    along.left.put(move |_| keep(&link, name, agent, upload));
    facts(&told).map(Answer::Facts)
}

/// Keeps an upload until nothing comes for too long.
fn keep(link: &Arc<Link>, name: String, agent: AgentId, upload: Upload) -> oneshot::Sender<()> {
    let (told, _) = oneshot::channel();
    let upload = Arc::new(upload);
    let (weak, watched, id) = (Arc::downgrade(link), Arc::downgrade(&upload), name.clone());
    let idle = Task::spawn(async move {
        while let Some(upload) = watched.upgrade() {
            let until = upload.lock().last + Duration::from_millis(IDLE_MS);
            drop(upload);
            if Instant::now() < until {
                tokio::time::sleep_until(until).await;
                continue;
            }
            if let Some(link) = weak.upgrade() {
                link.end(&id);
            }
            return;
        }
    });
    link.keep(name, agent, Thing::Upload(upload), idle);
    told
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Chunk {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    upload_id: String,
    /// Where it belongs, so that a chunk that is sent twice is noticed.
    offset: u64,
    /// The bytes in base64.
    content: String,
}

async fn chunk(room: Arc<Semaphore>, at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Chunk = read(params)?;
    let upload = find(&linked(along.link)?, &params.upload_id, at.agent)?;
    let bytes = STANDARD.decode(&params.content).map_err(|_| Error::of(Code::InvalidEncoding))?;
    let mut came = upload.lock();
    let have = came.bytes.len();
    if params.offset != have as u64 {
        let message = format!("{have} bytes came so far, and this chunk does not follow them");
        return Err(Error::new(Code::Conflict, message).with(Detail::Position(have as u64)));
    }
    let size = have + bytes.len();
    if size > MOST {
        let limit = Detail::Limit { limit: MOST as u64, actual: size as u64 };
        return Err(Error::of(Code::FileTooLarge).with(limit));
    }
    let needed = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let place = room.try_acquire_many_owned(needed).map_err(|_| {
        Error::new(Code::RateLimitExceeded, "all uploads together are too large")
            .with(Detail::RetryAfter(FULL))
    })?;
    came.room.push(place);
    came.bytes.extend_from_slice(&bytes);
    came.last = Instant::now();
    drop(came);
    facts(&json!({ "uploadId": params.upload_id, "receivedBytes": size })).map(Answer::Facts)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Commit {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    upload_id: String,
    /// The version that all bytes together must have, for whoever wants to be sure.
    version: Option<String>,
}

async fn commit(shown: Arc<Recall>, at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Commit = read(params)?;
    let link = linked(along.link)?;
    let upload = find(&link, &params.upload_id, at.agent)?;
    let wanted = params.version.as_deref().map(version_of).transpose()?;
    // What came is the write's from here on; it can be committed once.
    link.end(&params.upload_id);
    let (bytes, _room) = {
        let mut came = upload.lock();
        (Bytes::from(std::mem::take(&mut came.bytes)), std::mem::take(&mut came.room))
    };
    if wanted.is_some_and(|wanted| wanted != Version::of(&bytes)) {
        let message = "the bytes that came do not have the version that they should";
        return Err(Error::new(Code::Conflict, message).hint("Upload the file again."));
    }
    write(&upload, bytes, &shown, at).await.map(Answer::Facts)
}

/// Writes what came, and tells what `worktree.write` tells.
async fn write(
    upload: &Upload,
    bytes: Bytes,
    shown: &Recall,
    at: At<'_>,
) -> Result<Map<String, Value>> {
    if memchr_of(&bytes, MARK) {
        return restored(upload, &bytes, shown, at).await;
    }
    let size = bytes.len();
    let _held = at.workspace.hold(&[&upload.path]).await;
    let put = Put { guard: upload.guard.clone(), parents: upload.parents, mode: None };
    let written = at.workspace.fs().write(&upload.path, bytes, put).await?;
    let mut told = facts(&json!({
        "path": upload.path.to_string(),
        "sizeBytes": size,
        "created": written.created,
        "version": written.version.to_string(),
    }))?;
    let ask = json!({ "agentId": at.agent.as_str(), "path": upload.path.to_string() });
    if let Some(stat) = worktree::method("worktree.stat") {
        let ask = worktree::Ask { params: ask, permit: None, shown };
        // It was written; that it cannot be looked at now is no failure of that.
        let entry = (stat.run)(at.workspace, ask).await.unwrap_or_default();
        told.extend(entry.get("modifiedAt").map(|at| ("modifiedAt".to_owned(), at.clone())));
    }
    Ok(told)
}

/// A text with placeholders of secrets goes the way of every text, which puts them back.
async fn restored(
    upload: &Upload,
    bytes: &Bytes,
    shown: &Recall,
    at: At<'_>,
) -> Result<Map<String, Value>> {
    let method = worktree::method("worktree.write").ok_or_else(|| Error::of(Code::Unsupported))?;
    let mut params = facts(&json!({
        "agentId": at.agent.as_str(),
        "path": upload.path.to_string(),
        "content": STANDARD.encode(bytes),
        "encoding": "base64",
        "createDirs": upload.parents == Parents::Create,
    }))?;
    params.extend(match &upload.guard {
        Guard::Any | Guard::Holding(_) => None,
        Guard::Absent => Some(("overwrite".to_owned(), false.into())),
        Guard::Unchanged(version) => {
            Some(("expectedVersion".to_owned(), version.to_string().into()))
        }
    });
    let ask = worktree::Ask { params: Value::Object(params), permit: None, shown };
    (method.run)(at.workspace, ask).await
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Abort {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    upload_id: String,
}

async fn abort(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Abort = read(params)?;
    let link = linked(along.link)?;
    find(&link, &params.upload_id, at.agent)?;
    link.end(&params.upload_id);
    facts(&json!({ "uploadId": params.upload_id, "aborted": true })).map(Answer::Facts)
}

fn find(link: &Arc<Link>, name: &str, agent: &AgentId) -> Result<Arc<Upload>> {
    link.find(name, agent, |thing| match thing {
        Thing::Upload(upload) => Some(Arc::clone(upload)),
        Thing::Watch | Thing::Terminal(_) | Thing::Archive => None,
    })
}

fn memchr_of(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

fn version_of(text: &str) -> Result<Version> {
    text.parse().map_err(|_| wrong("not a version, as a read gives it"))
}

fn wrong(message: &'static str) -> Error {
    Error::new(Code::InvalidParams, message)
}
