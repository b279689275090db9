//! Whole files, as the body of a request or of its answer.

mod down;
mod up;

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json,
    body::Body,
    http::{Method, request::Parts},
    response::{IntoResponse, Response},
};
use bytes::BytesMut;
use garth_contract::{Depth, Guard, Parents, Put, Span};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    door::{Entered, Signed, enter, enter_signed, path, shown},
    entry,
    envd::{Inside, pass_over},
    life::E2b,
    line,
    refuse::{Kind, Result, Wrong},
    user::User,
};
use crate::serve::{app::App, http::body};

/// The largest file that is taken or put together: it goes through memory.
const MOST_FILE: u64 = 512 << 20;
/// The largest request to put files together.
const MOST_REQUEST: u64 = 256 << 10;

/// How a file is asked for.
struct Query(HashMap<String, String>);

impl Query {
    fn read(parts: &Parts) -> Self {
        let query = parts.uri.query().unwrap_or_default();
        let pairs = form_urlencoded::parse(query.as_bytes());
        Self(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// Sends or takes files.
pub(super) async fn serve(
    app: Arc<App>,
    e2b: E2b,
    (parts, id): (Parts, Option<String>),
    body: Body,
) -> Response {
    let answer = async {
        let query = Query::read(&parts);
        let reads = parts.method == Method::GET;
        let entered = entered(&app, &e2b, (&parts, id.as_deref()), (&query, reads)).await;
        let entered = entered.and_then(|entered| {
            let by_head = User::asked(&parts.headers, &entered.sandbox)?;
            let user = match query.get("username") {
                Some(name) => User::named(name, &entered.sandbox)?,
                None => by_head,
            };
            Ok((entered, user))
        });
        let (entered, user) = match entered {
            Ok(entered) => entered,
            Err(wrong) => {
                pass_over(Some(body));
                return Err(wrong);
            }
        };
        let inside = Inside { app, entered, parts, user };
        if reads {
            down::send(&inside, &query).await
        } else {
            up::take(&inside, &query, body).await
        }
    };
    let answer: Result<Response> = answer.await;
    answer.unwrap_or_else(|wrong| wrong.plain())
}

/// Lets a request in by its secret or by the signature of its address.
async fn entered(
    app: &App,
    e2b: &E2b,
    (parts, id): (&Parts, Option<&str>),
    (query, reads): (&Query, bool),
) -> Result<Entered> {
    let signature =
        query.get("signature").filter(|_| !parts.headers.contains_key("x-access-token"));
    let Some(signature) = signature else {
        return enter(app, e2b, (parts, id)).await;
    };
    let signed = Signed {
        path: query.get("path").unwrap_or_default(),
        operation: if reads { "read" } else { "write" },
        user: query.get("username").unwrap_or_default(),
        signature,
        expires: query.get("signature_expiration"),
    };
    enter_signed(app, e2b, (parts, id), &signed).await
}

/// How a file is written: whole or not at all, with the directories above it.
fn put() -> Put {
    Put { guard: Guard::Any, parents: Parents::Create, mode: None }
}

/// A file in the answer to its upload.
fn told(path: &garth_contract::WsPath, metadata: &super::metadata::Said) -> Value {
    let mut told = json!({ "name": entry::name(path), "type": "file", "path": shown(path) });
    if let (false, Some(told)) = (metadata.is_empty(), told.as_object_mut()) {
        told.insert("metadata".to_owned(), json!(metadata));
    }
    told
}

#[derive(Deserialize)]
struct Compose {
    #[serde(default)]
    source_paths: Vec<String>,
    #[serde(default)]
    destination: String,
    #[serde(default)]
    username: String,
}

/// Puts several files together as one, and removes them.
pub(super) async fn compose(inside: &Inside, body: Body) -> Result<Response> {
    let whole = body::whole(&inside.app.memory, body, MOST_REQUEST).await?;
    let asked: Compose = serde_json::from_slice(&whole.bytes)
        .map_err(|error| Wrong::invalid(format!("the body is not what it should be: {error}")))?;
    let user = User::named(&asked.username, &inside.entered.sandbox)?;
    if asked.source_paths.is_empty() || asked.destination.is_empty() {
        return Err(Wrong::invalid("source_paths and destination must not be empty"));
    }
    let sources = asked.source_paths.iter().map(|source| path(source, user));
    let sources = sources.collect::<Result<Vec<_>>>()?;
    let to = path(&asked.destination, user)?;
    let params = json!({ "path": shown(&to) });
    let call = inside.asked(line::FILE_WRITE, params);
    let (target, memory) = (to.clone(), inside.app.memory.clone());
    let done = line::inside(&inside.app, (call, inside.id()), move |workspace, _| async move {
        let files = &workspace.inside()?.files;
        let mut all = BytesMut::new();
        let mut taken = memory.take(0).await?;
        for source in &sources {
            let left = MOST_FILE.saturating_sub(all.len() as u64);
            let content = files.read(source, Span::Whole { at_most: left }).await?;
            taken.join(memory.take(content.bytes.len() as u64).await?);
            all.extend_from_slice(&content.bytes);
        }
        let count = all.len() as u64;
        files.write(&target, all.freeze(), put()).await?;
        for source in sources.iter().filter(|source| **source != target) {
            files.remove(source, Depth::One).await?;
        }
        Ok(((), count))
    });
    done.await.map_err(too_large)?;
    inside.entered.sandbox.metadata.forget(&to);
    Ok(Json(told(&to, &super::metadata::Said::new())).into_response())
}

/// A file that is too large for this wire has no room, to its SDKs.
fn too_large(error: garth_contract::Error) -> Wrong {
    let large = error.code() == garth_contract::Code::FileTooLarge;
    let wrong = Wrong::from(error);
    if large { wrong.into_kind(Kind::InvalidArgument, Kind::NoRoom) } else { wrong }
}
