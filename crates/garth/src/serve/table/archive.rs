//! `worktree.archive` and `worktree.restore`: a tree as one stream of bytes, both ways.
//!
//! Text goes into an archive as it may be shown, without its secrets, unless an operator
//! asks for it as it is.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use garth_archive::{Bounds, Format, Pack, Packing, Restore, Restored, Sieve, Sifted, Unfit};
use garth_contract::{Clobber, Code, Error, Result, WsPath};
use garth_gateway::{
    Access, AgentId, At, Family, Held, Operation, Run, Shows, Summary, Takes, approvals::Reach,
};
use garth_redact::Raw;
use garth_text::encoding::{Encoding, decode, encode};
use garth_workspace::Workspace;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use super::{row::read, upload::Upload};
use crate::serve::{
    answer::{Along, Answer, Archive, Coming},
    ws::{Link, Task, Thing},
};

/// The bytes of one event that carries a piece of an archive.
const PIECE: usize = 192 << 10;

/// The rows.
pub(super) fn rows() -> Vec<Operation<Answer>> {
    vec![
        Operation {
            name: "worktree.archive",
            access: Access::Read,
            family: Family::Worktree,
            takes: Takes::Read,
            describe: Arc::new(describe),
            run: Run::on_workspace(|at, params, along| Box::pin(archive(at, params, along))),
        },
        Operation {
            name: "worktree.restore",
            access: Access::Write,
            family: Family::Worktree,
            takes: Takes::Nothing,
            describe: Arc::new(describe),
            run: Run::on_workspace(|at, params, along| Box::pin(restore(at, params, along))),
        },
    ]
}

fn describe(params: &Value) -> Summary {
    let text = |name: &str| params.get(name).and_then(Value::as_str);
    let shows = match params.get("redact") {
        Some(Value::Bool(false)) => Shows::Raw,
        Some(_) | None => Shows::Clean,
    };
    let summary = Summary { shows, ..Summary::default() };
    let summary = summary.path(text("path").unwrap_or("/"), Reach::Tree);
    match text("format") {
        Some(format) => summary.fact("format", format),
        None => summary,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Packed {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    path: Option<String>,
    format: Option<String>,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(rename = "redact")]
    _redact: Option<bool>,
}

async fn archive(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Packed = read(params)?;
    let from = at.workspace.path(params.path.unwrap_or_else(|| "/".to_owned()))?;
    let format = form(params.format.as_deref().unwrap_or("tar"))?;
    let sieve: Option<Arc<dyn Sieve>> = match at.permit {
        Some(_) => None,
        None => Some(Arc::new(Shown(Arc::clone(at.workspace)))),
    };
    let how = Pack { format, exclude: params.exclude, sieve };
    let files = match at.permit {
        Some(permit) => at.workspace.raw_fs(permit),
        None => at.workspace.shared_fs(),
    };
    let packing = garth_archive::pack(files, &from, &how).await?;
    let name = from.name().map_or_else(|| at.agent.to_string(), garth_contract::escape);
    let name = format!("{name}.{}", format.extension());
    let Some(link) = along.link else {
        return Ok(Answer::Archive(Box::new(Archive { format, name, packing })));
    };
    let sending = Sending { agent: at.agent.clone(), id: link.name('a'), link };
    let mut facts = Map::new();
    facts.insert("archiveId".to_owned(), sending.id.clone().into());
    facts.insert("format".to_owned(), format.extension().into());
    facts.insert("name".to_owned(), name.into());
    along.left.put(move |held| sending.open(packing, held));
    Ok(Answer::Facts(facts))
}

/// An archive that goes over a connection, piece by piece.
struct Sending {
    agent: AgentId,
    id: String,
    link: Arc<Link>,
}

impl Sending {
    /// Begins to send, once what this gives is dropped.
    fn open(self, packing: Packing, held: Option<Held>) -> oneshot::Sender<()> {
        let (told, answered) = oneshot::channel();
        let Self { agent, id, link } = self;
        // The connection keeps the work, so the work must not keep the connection.
        let (weak, outbox) = (Arc::downgrade(&link), link.outbox.clone());
        let name = id.clone();
        let task = Task::spawn(async move {
            let _held = held;
            let _ = answered.await;
            let mut packing = packing;
            let mut seq = 0;
            let ended = loop {
                match packing.next().await {
                    Some(Ok(bytes)) => {
                        for piece in bytes.chunks(PIECE) {
                            seq += 1;
                            let content = STANDARD.encode(piece);
                            let told = json!({"archiveId": name, "seq": seq, "content": content});
                            if outbox.event("worktree.archive.chunk", &told).await.is_err() {
                                return;
                            }
                        }
                    }
                    Some(Err(error)) => break Err(error),
                    None => break Ok(packing.packed().map(summary).unwrap_or_default()),
                }
            };
            let told = match ended {
                Ok(summary) => {
                    json!({"archiveId": name, "seq": seq + 1, "ok": true, "summary": summary})
                }
                Err(error) => {
                    let error = garth_ops::method_failure(&error);
                    json!({"archiveId": name, "seq": seq + 1, "ok": false, "error": error})
                }
            };
            let _ = outbox.event("worktree.archive.end", &told).await;
            if let Some(link) = weak.upgrade() {
                link.end(&name);
            }
        });
        link.keep(id, agent, Thing::Archive, task);
        told
    }
}

/// What went into an archive.
pub(crate) fn summary(packed: &garth_archive::Packed) -> Map<String, Value> {
    let facts = [
        ("files", packed.files),
        ("dirs", packed.dirs),
        ("links", packed.links),
        ("sizeBytes", packed.bytes),
        ("special", packed.special),
        ("unreadable", packed.unreadable),
        ("changed", packed.changed),
        ("withheld", packed.withheld),
        ("redacted", packed.sifted),
    ];
    facts.into_iter().map(|(name, count)| (name.to_owned(), json!(count))).collect()
}

/// The form of an archive by its name.
fn form(name: &str) -> Result<Format> {
    let all = [Format::Tar, Format::TarZst, Format::Zip];
    let found = all.into_iter().find(|format| format.extension() == name);
    found.ok_or_else(|| {
        Error::new(Code::InvalidParams, "format is tar, tar.zst or zip")
            .hint("Leave it out for tar.")
    })
}

/// Lets text into an archive as it may be shown.
#[derive(Clone)]
struct Shown(Arc<Workspace>);

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shown")
    }
}

impl Sieve for Shown {
    fn covers(&self, path: &WsPath, begins: &[u8]) -> bool {
        let marked = Encoding::from_bom(begins).is_some();
        self.0.redacts(path) && (marked || !begins.contains(&0))
    }

    fn sift(&self, path: &WsPath, content: &Bytes) -> Sifted {
        let encoding = Encoding::of_file(content, None);
        // What is no text has no secrets that a rule could find.
        let Ok(text) = decode(content, encoding) else { return Sifted::Same };
        let Ok(clean) = self.0.clean(path, Raw::from(&*text)) else { return Sifted::Nothing };
        if *clean == *text {
            return Sifted::Same;
        }
        encode(&clean, encoding).map_or(Sifted::Nothing, |bytes| Sifted::Instead(bytes.into()))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Unpack {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    path: Option<String>,
    format: Option<String>,
    overwrite: Option<bool>,
    #[serde(default)]
    strip: usize,
    skip_unfit: Option<bool>,
    upload_id: Option<String>,
}

/// The archive: what comes along with the call, or what was uploaded before.
async fn coming(at: At<'_>, along: Along, upload: Option<&str>) -> Result<Coming> {
    if let (Some(link), Some(upload)) = (&along.link, upload) {
        let of_uploads = |thing: &Thing| match thing {
            Thing::Upload(upload) => Some(Arc::clone(upload)),
            Thing::Watch | Thing::Terminal(_) | Thing::Archive => None,
        };
        let found: Arc<Upload> = link.find(upload, at.agent, of_uploads)?;
        let came = found.take().await;
        link.end(upload);
        return came;
    }
    along.coming.ok_or_else(|| {
        Error::new(Code::InvalidParams, "no archive came with the call").hint(
            "Send it as the body of POST /v1/workspaces/{id}/restore, or upload it first and send \
             uploadId.",
        )
    })
}

async fn restore(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Unpack = read(params)?;
    let to = at.workspace.path(params.path.unwrap_or_else(|| "/".to_owned()))?;
    // Whoever is refused for what it asks can ask again: the upload is still there.
    let named = params.format.as_deref().map(form).transpose()?;
    let mut body = coming(at, along, params.upload_id.as_deref()).await?;
    let mut first = Bytes::new();
    while first.is_empty() {
        first = body.next().await.ok_or_else(empty)??;
    }
    let format = match named {
        Some(format) => format,
        None => Format::of(&first).ok_or_else(|| {
            Error::new(Code::InvalidParams, "this is no archive of a form that is known here")
                .hint("Send tar, tar.zst or zip.")
        })?,
    };
    let how = Restore {
        format,
        clobber: if params.overwrite == Some(true) { Clobber::Replace } else { Clobber::Refuse },
        strip: params.strip,
        unfit: if params.skip_unfit == Some(true) { Unfit::LeaveOut } else { Unfit::Refuse },
        bounds: Bounds::usual(),
    };
    let archive = Box::pin(futures::stream::once(async { Ok(first) }).chain(body));
    let restored = garth_archive::restore(at.workspace.fs(), &to, archive, &how).await?;
    Ok(Answer::Facts(facts(&restored)))
}

fn empty() -> Error {
    Error::new(Code::InvalidParams, "the archive is empty")
}

fn facts(restored: &Restored) -> Map<String, Value> {
    let Restored { entries, files, dirs, links, bytes, left_out, replaced } = *restored;
    Map::from_iter([
        ("entries".to_owned(), json!(entries)),
        ("files".to_owned(), json!(files)),
        ("dirs".to_owned(), json!(dirs)),
        ("links".to_owned(), json!(links)),
        ("sizeBytes".to_owned(), json!(bytes)),
        ("leftOut".to_owned(), json!(left_out)),
        ("replaced".to_owned(), json!(replaced)),
    ])
}

/// The bytes of an archive, for whoever sends them on.
impl Stream for Archive {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let packing: &mut Packing = &mut self.packing;
        Pin::new(packing).poll_next(context)
    }
}
