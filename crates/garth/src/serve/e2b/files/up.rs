//! Files that come: one as the body, or several in it.

use std::io::Read;

use axum::{
    Json,
    body::Body,
    http::header,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use garth_contract::WsPath;
use serde_json::{Value, json};

use super::{MOST_FILE, Query, put, told, too_large};
use crate::serve::{
    e2b::{
        door::{path, shown},
        envd::Inside,
        life::blocking,
        line,
        metadata::said,
        multipart,
        refuse::{Result, Wrong},
        user::User,
    },
    http::body,
};

/// Takes files.
pub(super) async fn take(inside: &Inside, query: &Query, body: Body) -> Result<Response> {
    let headers = &inside.parts.headers;
    let metadata = said(headers)?;
    let whole = body::whole(&inside.app.memory, body, MOST_FILE).await.map_err(too_large)?;
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let bytes = match text(header::CONTENT_ENCODING).trim() {
        "" | "identity" => whole.bytes.clone(),
        "gzip" => unpacked(inside, whole.bytes.clone()).await?,
        other => return Err(Wrong::invalid(format!("the encoding {other:?} is not known"))),
    };
    let named = query.get("path").filter(|path| !path.is_empty());
    let files = match multipart::boundary(headers) {
        Some(boundary) => several(inside.user, (&bytes, &boundary), named)?,
        None => {
            let named = named.ok_or_else(|| Wrong::invalid("path is required"))?;
            vec![(path(named, inside.user)?, bytes)]
        }
    };
    let mut stored: Vec<Value> = Vec::new();
    for (path, content) in files {
        store(inside, &path, content).await?;
        inside.entered.sandbox.metadata.put(&path, metadata.clone());
        stored.push(told(&path, &metadata));
    }
    Ok(Json(stored).into_response())
}

/// The files of a body of several, each with its place.
fn several(
    user: User,
    (body, boundary): (&Bytes, &str),
    named: Option<&str>,
) -> Result<Vec<(WsPath, Bytes)>> {
    let parts = multipart::parts(body, boundary)?;
    if named.is_some() && parts.len() > 1 {
        return Err(Wrong::invalid("path names one file, and there are several"));
    }
    let placed = parts.into_iter().map(|part| {
        let name = named.or(part.filename.as_deref()).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| Wrong::invalid("a file has neither path nor filename"))?;
        Ok((path(name, user)?, part.content))
    });
    placed.collect()
}

async fn store(inside: &Inside, path: &WsPath, content: Bytes) -> Result<()> {
    let mut asked = inside.asked(line::FILE_WRITE, json!({ "path": shown(path) }));
    asked.bytes = content.len() as u64;
    let path = path.clone();
    let done = line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
        workspace.inside()?.files.write(&path, content, put()).await?;
        Ok(((), 0))
    });
    done.await.map_err(too_large)
}

/// What was packed, bounded.
async fn unpacked(inside: &Inside, packed: Bytes) -> Result<Bytes> {
    // Memory for what may come of it is taken before, in proportion and no more than all.
    let room = (packed.len() as u64).saturating_mul(8).min(MOST_FILE);
    let _taken = inside.app.memory.take(room).await?;
    let bytes = blocking(move || {
        let mut all = Vec::new();
        let mut reader = MultiGzDecoder::new(&packed[..]).take(MOST_FILE + 1);
        Ok(reader.read_to_end(&mut all).map(|_| all).ok())
    });
    let bytes = bytes.await?.ok_or_else(|| Wrong::invalid("the body is not gzip"))?;
    if bytes.len() as u64 > MOST_FILE {
        return Err(Wrong::invalid(format!("a file has at most {MOST_FILE} bytes")));
    }
    Ok(Bytes::from(bytes))
}
