//! Whole files as bytes, which come along with the call and its answer.

use std::sync::Arc;

use garth_contract::{Code, Content, Error, Result, Span, WsPath};
use garth_gateway::{Access, At, Family, Operation, Run, Shows, Summary, Takes, approvals::Reach};
use garth_ops::worktree::{
    Recall,
    transfer::{self, Download, MOST_WHOLE, Secrets, Uploaded},
};
use serde_json::{Map, Value};

use crate::serve::{
    answer::{Along, Answer},
    memory::Memory,
    recalls::Recalls,
    table::shows,
    transfer::{Sent, Transfer, Wanted},
};

/// How many times its size a file needs while it is made fit to be sent: as it was
/// read, and as it leaves.
const COPIES: u64 = 2;

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
        Some(Transfer::Up { bytes, held }) => {
            let up = transfer::upload(at.workspace, &path, (bytes, held), &recall).await?;
            Ok(Answer::Facts(uploaded(up)))
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
        // What is outside the file is said so by whoever answers.
        let part = wanted.and_then(|wanted| wanted.within(size)).unwrap_or((0, size));
        let taken = memory.take(part.1.min(MOST_WHOLE)).await?;
        let file = transfer::part(at.workspace, &path, part, secrets).await?;
        let count = file.bytes.len() as u64;
        return Ok(Answer::File(Box::new(Sent { file, taken, count })));
    }
    let taken = memory.take(size * COPIES).await?;
    let content = at.workspace.fs().read(&path, Span::Whole { at_most: MOST_WHOLE }).await?;
    let file = given(at, path, (content, secrets), recall).await?;
    let part = wanted.filter(|_| file.redacted.is_empty());
    let part = part.and_then(|wanted| wanted.within(file.size));
    let count = part.map_or(file.size, |(_, length)| length);
    Ok(Answer::File(Box::new(Sent { file, taken, count })))
}

/// A long file is looked through where nobody else waits for it.
async fn given(
    at: At<'_>,
    path: WsPath,
    (content, secrets): (Content, Secrets),
    recall: Arc<Recall>,
) -> Result<Download> {
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

fn uploaded(up: Uploaded) -> Map<String, Value> {
    let Uploaded { path, size, created, version, modified } = up;
    let mut facts = Map::new();
    facts.insert("path".to_owned(), path.into());
    facts.insert("sizeBytes".to_owned(), size.into());
    facts.insert("created".to_owned(), created.into());
    facts.insert("version".to_owned(), version.to_string().into());
    facts.extend(modified.map(|modified| ("modifiedAt".to_owned(), modified.into())));
    facts
}
