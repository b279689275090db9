//! `worktree.download`: a large file in chunks of bytes, all of one state of the file.
//!
//! A chunk is what `worktree.read` gives in base64, redaction included. A mark says of
//! which state it is, so that whoever asks on with it never joins two states.

use std::sync::Arc;

use garth_contract::{Code, Error, Links, Result};
use garth_gateway::{Access, At, Family, Operation, Run, Shows, Summary, Takes, approvals::Reach};
use garth_ops::worktree::{self, Recall};
use serde::Deserialize;
use serde_json::{Value, json};

use super::row::read;
use crate::serve::{
    answer::{Along, Answer},
    recalls::Recalls,
};

/// The bytes of a chunk when nothing is said.
const USUAL: u64 = 4 << 20;
/// The most bytes of a chunk, which in base64 fit into a frame.
const MOST: u64 = 16 << 20;

/// The rows.
pub(super) fn rows(recalls: &Arc<Recalls>) -> Vec<Operation<Answer>> {
    let recalls = Arc::clone(recalls);
    vec![Operation {
        name: "worktree.download",
        access: Access::Read,
        family: Family::Worktree,
        takes: Takes::Read,
        describe: Arc::new(described),
        run: Run::on_workspace(move |at, params, _: Along| {
            let shown = recalls.of(at.caller, at.agent);
            Box::pin(chunk(shown, at, params))
        }),
    }]
}

fn described(params: &Value) -> Summary {
    let shows = match params.get("redact") {
        Some(Value::Bool(false)) => Shows::Raw,
        Some(_) | None => Shows::Clean,
    };
    let summary = Summary { shows, ..Summary::default() };
    match params.get("path").and_then(Value::as_str) {
        Some(path) => summary.path(path, Reach::This),
        None => summary,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Chunk {
    agent_id: String,
    path: String,
    #[serde(default)]
    offset: u64,
    length: Option<u64>,
    redact: Option<bool>,
    /// What an earlier chunk gave as `state`; another state is a `CONFLICT`.
    state: Option<String>,
}

async fn chunk(shown: Arc<Recall>, at: At<'_>, params: Value) -> Result<Answer> {
    let params: Chunk = read(params)?;
    let path = at.workspace.path(params.path.clone())?;
    let state = state(at, &path).await?;
    if params.state.is_some_and(|expected| expected != state) {
        return Err(Error::at(Code::Conflict, &path).hint("The file has changed; begin anew."));
    }
    let length = params.length.unwrap_or(USUAL).clamp(1, MOST);
    let method = worktree::method("worktree.read").ok_or_else(|| Error::of(Code::Unsupported))?;
    let ask = json!({
        "agentId": params.agent_id,
        "path": params.path,
        "encoding": "base64",
        "offset": params.offset,
        "length": length,
        "maxBytes": length,
        "redact": params.redact,
    });
    let ask = worktree::Ask { params: ask, permit: at.permit, shown: &shown };
    let facts = (method.run)(at.workspace, ask).await?;
    if self::state(at, &path).await? != state {
        return Err(Error::at(Code::Conflict, &path).hint("The file has changed; begin anew."));
    }
    Ok(Answer::Written(facts.with("state", &state.into())))
}

/// What changes whenever the file does: its size, and when it was written.
async fn state(at: At<'_>, path: &garth_contract::WsPath) -> Result<String> {
    let entry = at.workspace.fs().stat(path, Links::Follow).await?;
    let since = entry.modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let nanos = since.map_or(0, |since| since.as_nanos());
    Ok(format!("{:x}-{nanos:x}", entry.size))
}
