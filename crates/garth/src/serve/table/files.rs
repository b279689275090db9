//! Whole files as bytes, which come along with the call and its answer.

use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, stream::Fuse};
use garth_contract::{Code, Content, Detail, Error, Links, Parents, Result, Span, WsPath};
use garth_gateway::{Access, At, Family, Operation, Run, Shows, Summary, Takes, approvals::Reach};
use garth_ops::worktree::{
    Recall,
    transfer::{self, Download, Held, MOST_WHOLE, Secrets, Upload, Uploaded},
};
use garth_workspace::Kept;
use serde_json::{Map, Value};

use crate::serve::{
    answer::{Along, Answer, Coming},
    memory::Memory,
    outflow::Outflow,
    recalls::Recalls,
    table::shows,
    transfer::{Leaving, Sent, Transfer, Wanted},
};

/// How many times its size a file needs while it is made fit to be sent: as it was
/// read, and as it leaves.
const COPIES: u64 = 2;
/// How much of a file that comes is written at once, while as much more comes in.
const BATCH: usize = 1 << 20;
/// The largest file that is taken, in bytes: no workspace has such, and a client that
/// says so is told before it sends.
pub(super) const MOST: u64 = 64 << 30;
/// What a file that comes has in memory: what is written, what comes, and some room.
const WINDOW: u64 = 4 << 20;

/// The rows.
pub(super) fn rows(recalls: &Arc<Recalls>) -> [Operation<Answer>; 3] {
    [
        row(("files.get", Access::Read, Takes::Read), recalls),
        row(("files.put", Access::Write, Takes::Nothing), recalls),
        row(("files.delete", Access::Write, Takes::Nothing), recalls),
    ]
}

fn row(
    (name, access, takes): (&'static str, Access, Takes),
    recalls: &Arc<Recalls>,
) -> Operation<Answer> {
    let recalls = Arc::clone(recalls);
    let run = Run::on_workspace(move |at, params, along: Along| {
        let recall = recalls.of(at.caller, at.agent);
        Box::pin(async move { perform(at, &params, along.transfer, recall).await })
    });
    let describe = |params: &Value| {
        let summary = Summary { shows: shows(params), ..Summary::default() };
        match params.get("path").and_then(Value::as_str) {
            Some(path) => summary.path(path, Reach::This),
            None => summary,
        }
    };
    let describe = Arc::new(describe);
    Operation { name, access, family: Family::Tool, takes, describe, run }
}

async fn perform(
    at: At<'_>,
    params: &Value,
    transfer: Option<Transfer>,
    recall: Arc<Recall>,
) -> Result<Answer> {
    let path = params.get("path").and_then(Value::as_str).unwrap_or_default();
    let path = at.workspace.path(path)?;
    match transfer {
        Some(Transfer::Down { memory, wanted }) => {
            let secrets = match (shows(params), at.permit) {
                (Shows::Raw, Some(_)) => Secrets::Shown,
                (Shows::Raw | Shows::Clean, _) => Secrets::Redacted,
            };
            down(at, path, (memory, wanted, secrets), recall).await
        }
        Some(Transfer::Up { coming, paid, held, memory }) => {
            up(at, &path, (coming, paid, held, memory), &recall).await
        }
        Some(Transfer::Away { held }) => {
            transfer::erase(at.workspace, &path, held, &recall).await?;
            let mut facts = Map::new();
            facts.insert("path".to_owned(), path.to_string().into());
            facts.insert("deleted".to_owned(), true.into());
            Ok(Answer::Facts(facts))
        }
        None => {
            let message = "the bytes of a file come and go over HTTP";
            Err(Error::new(Code::Unsupported, message)
                .hint("Use worktree.read and worktree.write."))
        }
    }
}

async fn down(
    at: At<'_>,
    path: WsPath,
    (memory, wanted, secrets): (Memory, Option<Wanted>, Secrets),
    recall: Arc<Recall>,
) -> Result<Answer> {
    let size = transfer::size(at.workspace, &path).await?;
    if size > MOST_WHOLE {
        let (file, outflow) = Outflow::plan(at.workspace, path, (memory, secrets), recall).await?;
        let count = count(&file, wanted);
        return Ok(Answer::File(Box::new(Sent {
            file,
            body: Leaving::Pieces(Box::new(outflow)),
            count,
        })));
    }
    let taken = memory.take(size * COPIES).await?;
    let content = at.workspace.fs().read(&path, Span::Whole { at_most: MOST_WHOLE }).await?;
    let (file, bytes) = given(at, path, (content, secrets), recall).await?;
    let count = count(&file, wanted);
    Ok(Answer::File(Box::new(Sent { file, body: Leaving::Whole(bytes, taken), count })))
}

/// How many bytes are to be sent.
fn count(file: &Download, wanted: Option<Wanted>) -> u64 {
    // Where placeholders stand, a place in what is sent is none in the file.
    let part = wanted.filter(|_| file.redacted.is_empty());
    let part = part.and_then(|wanted| wanted.within(file.size));
    part.map_or(file.size, |(_, length)| length)
}

/// Takes a file as it comes, and lets it land.
///
/// Cancel: nothing is left of what came.
async fn up(
    at: At<'_>,
    path: &WsPath,
    (coming, paid, held, memory): (Coming, u64, Held, Memory),
    recall: &Recall,
) -> Result<Answer> {
    // Who would be refused need not send all of it to hear so.
    check(paid)?;
    if held == Held::Absent && at.workspace.fs().stat(path, Links::Follow).await.is_ok() {
        return Err(Error::at(Code::FileExists, path));
    }
    let mut taken = memory.take(WINDOW).await?;
    let mut upload = Upload::open(at.workspace, path).await?;
    // A stream that has ended may not be asked once more.
    let mut coming = coming.fuse();
    let mut batch = gather(&mut coming).await?;
    while !batch.is_empty() {
        let length: usize = batch.iter().map(Bytes::len).sum();
        if upload.kept() == Kept::InMemory {
            taken.join(memory.take(length as u64).await?);
        }
        check(upload.length().saturating_add(length as u64))?;
        let (added, next) = tokio::join!(upload.add(batch), gather(&mut coming));
        added?;
        batch = next?;
    }
    drop(coming);
    let length = upload.length();
    let _looked = memory.take(upload.weight(at.workspace)).await?;
    let landed = upload.land(at.workspace, (&held, Parents::Create), recall).await?;
    Ok(Answer::Stored { facts: uploaded(landed), unpaid: length.saturating_sub(paid) })
}

fn check(actual: u64) -> Result<()> {
    if actual > MOST {
        let limit = Detail::Limit { limit: MOST, actual };
        return Err(Error::of(Code::FileTooLarge).with(limit));
    }
    Ok(())
}

/// What comes next, about as much as is worth a write; nothing at the end.
async fn gather(coming: &mut Fuse<Coming>) -> Result<Vec<Bytes>> {
    let mut batch = Vec::new();
    let mut length = 0;
    while length < BATCH
        && let Some(piece) = coming.next().await
    {
        let piece = piece?;
        length += piece.len();
        batch.push(piece);
    }
    Ok(batch)
}

/// A long file is looked through where nobody else waits for it.
async fn given(
    at: At<'_>,
    path: WsPath,
    (content, secrets): (Content, Secrets),
    recall: Arc<Recall>,
) -> Result<(Download, Bytes)> {
    const SHORT: usize = 64 << 10;
    if content.bytes.len() <= SHORT {
        return transfer::given(at.workspace, &path, (content, secrets), &recall);
    }
    let workspace = Arc::clone(at.workspace);
    let looked = tokio::task::spawn_blocking(move || {
        transfer::given(&workspace, &path, (content, secrets), &recall)
    });
    looked.await.unwrap_or_else(|_| Err(Error::of(Code::Internal)))
}

pub(super) fn uploaded(up: Uploaded) -> Map<String, Value> {
    let Uploaded { path, size, created, version, modified } = up;
    let mut facts = Map::new();
    facts.insert("path".to_owned(), path.into());
    facts.insert("sizeBytes".to_owned(), size.into());
    facts.insert("created".to_owned(), created.into());
    facts.insert("version".to_owned(), version.to_string().into());
    facts.extend(modified.map(|modified| ("modifiedAt".to_owned(), modified.into())));
    facts
}
