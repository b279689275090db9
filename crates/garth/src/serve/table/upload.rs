//! `worktree.upload.*`: a large file in chunks, which lands whole or not at all.
//!
//! Chunks are kept where the workspace has its files, out of sight, until they are
//! committed; one to which nothing comes is dropped. What has to be in memory all the
//! same, since a backend takes files whole alone or a text is looked at for
//! placeholders, has a bound for all uploads together.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use futures::stream;
use garth_contract::{Code, Detail, Error, Parents, Result, Version};
use garth_gateway::{
    Access, AgentId, At, Family, Operation, Run, Summary, Takes, approvals::Reach,
};
use garth_ops::worktree::{
    Recall,
    transfer::{self, Held},
};
use garth_workspace::Kept;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::Instant,
};

use super::{
    files::{MOST, uploaded},
    row::{facts, linked, read, recorded_of},
};
use crate::serve::{
    answer::{Along, Answer, Coming},
    recalls::Recalls,
    ws::{Link, Task, Thing},
};

/// What all uploads together have in memory.
const MOST_TOGETHER: usize = 512 << 20;
/// How much of an upload is read at once.
const STEP: u64 = 1 << 20;
/// Uploads of one connection.
const MOST_OPEN: usize = 4;
/// How long an upload waits for the next chunk.
const IDLE_MS: u64 = 60_000;
/// What to wait for when all uploads together are too large.
const FULL: Duration = Duration::from_secs(1);

/// The rows.
pub(super) fn rows(recalls: &Arc<Recalls>) -> Vec<Operation<Answer>> {
    let room = Arc::new(Semaphore::new(MOST_TOGETHER));
    let (recalls, looked) = (Arc::clone(recalls), Arc::clone(&room));
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
                Box::pin(commit((Arc::clone(&looked), shown), at, params, along))
            })
        }),
        row("worktree.upload.abort", named, {
            Run::on_workspace(|at, params, along| Box::pin(abort(at, params, along)))
        }),
    ]
}

/// A file on its way.
pub(crate) struct Upload {
    held: Held,
    parents: Parents,
    /// `None` once it was taken.
    came: tokio::sync::Mutex<Option<Came>>,
    last: Mutex<Instant>,
}

struct Came {
    upload: transfer::Upload,
    room: Vec<OwnedSemaphorePermit>,
}

impl Upload {
    /// Takes what came, as a stream; the upload is over with it.
    ///
    /// # Errors
    /// `CONFLICT` where it was taken before.
    pub(super) async fn take(&self) -> Result<Coming> {
        let came = self.came.lock().await.take().ok_or_else(taken)?;
        Ok(Box::pin(stream::try_unfold((came, 0), |(mut came, at)| async move {
            let piece: Bytes = came.upload.read_back(at, STEP).await?;
            let next = at + piece.len() as u64;
            Ok((!piece.is_empty()).then_some((piece, (came, next))))
        })))
    }

    fn last(&self) -> MutexGuard<'_, Instant> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn taken() -> Error {
    Error::new(Code::Conflict, "the upload is over")
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
    let held = match (params.overwrite, params.expected_version) {
        (Some(false), Some(_)) => {
            return Err(wrong("expectedVersion makes no sense with overwrite: false"));
        }
        (Some(false), None) => Held::Absent,
        (Some(true) | None, Some(version)) => Held::OneOf(vec![version_of(&version)?]),
        (Some(true) | None, None) => Held::Any,
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
    let upload = transfer::Upload::open(at.workspace, &path).await?;
    let came = tokio::sync::Mutex::new(Some(Came { upload, room: Vec::new() }));
    let upload = Upload { held, parents, came, last: Mutex::new(Instant::now()) };
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
            let until = *upload.last() + Duration::from_millis(IDLE_MS);
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
    let mut held = upload.came.lock().await;
    let came = held.as_mut().ok_or_else(taken)?;
    let have = came.upload.length();
    if params.offset != have {
        let message = format!("{have} bytes came so far, and this chunk does not follow them");
        return Err(Error::new(Code::Conflict, message).with(Detail::Position(have)));
    }
    let size = have + bytes.len() as u64;
    if size > MOST {
        let limit = Detail::Limit { limit: MOST, actual: size };
        return Err(Error::of(Code::FileTooLarge).with(limit));
    }
    if came.upload.kept() == Kept::InMemory {
        came.room.push(place(&room, bytes.len() as u64)?);
    }
    came.upload.add(vec![bytes.into()]).await?;
    drop(held);
    *upload.last() = Instant::now();
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

async fn commit(
    (room, shown): (Arc<Semaphore>, Arc<Recall>),
    at: At<'_>,
    params: Value,
    along: Along,
) -> Result<Answer> {
    let params: Commit = read(params)?;
    let link = linked(along.link)?;
    let upload = find(&link, &params.upload_id, at.agent)?;
    let wanted = params.version.as_deref().map(version_of).transpose()?;
    // What came is the write's from here on; it can be committed once.
    link.end(&params.upload_id);
    let Came { upload: mut came, room: _room } =
        upload.came.lock().await.take().ok_or_else(taken)?;
    if let Some(wanted) = wanted
        && wanted != came.version().await?
    {
        let message = "the bytes that came do not have the version that they should";
        return Err(Error::new(Code::Conflict, message).hint("Upload the file again."));
    }
    let _looked = place(&room, came.weight(at.workspace))?;
    let landed = came.land(at.workspace, (&upload.held, upload.parents), &shown).await?;
    Ok(Answer::Facts(uploaded(landed)))
}

/// Memory for so many bytes.
///
/// # Errors
/// `RATE_LIMIT_EXCEEDED` while others have it.
fn place(room: &Arc<Semaphore>, bytes: u64) -> Result<OwnedSemaphorePermit> {
    let needed = u32::try_from(bytes).unwrap_or(u32::MAX);
    Arc::clone(room).try_acquire_many_owned(needed).map_err(|_| {
        Error::new(Code::RateLimitExceeded, "all uploads together are too large")
            .with(Detail::RetryAfter(FULL))
    })
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

fn version_of(text: &str) -> Result<Version> {
    text.parse().map_err(|_| wrong("not a version, as a read gives it"))
}

fn wrong(message: &'static str) -> Error {
    Error::new(Code::InvalidParams, message)
}
