//! Files as they are: their bytes as the body, their version as the tag.

mod conditions;

use std::{convert::Infallible, sync::Arc};

use axum::{
    Json,
    body::Body,
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::stream;
use garth_contract::{Code, Error, Result};
use garth_gateway::{Call, Credential, Moment, Role, approvals::Hears};
use garth_ops::worktree::transfer::Download;
use serde_json::{Map, Value};

use super::{
    asked::{Asked, Named},
    body,
    caller::{Known, known},
    query::{self, Field, Kind},
    said,
    tools::{Prepared, answered, request_id},
};
use crate::serve::{
    answer::{Along, Answer, Coming},
    app::App,
    memory::Taken,
    spool::Spooled,
    transfer::{Leaving, Sent, Transfer, Wanted},
};
use conditions::Conditions;

/// Says which secrets placeholders stand for.
const REDACTED: HeaderName = HeaderName::from_static("x-garth-redacted");
/// What a file that a browser shows may do: nothing.
const HARMLESS: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";
/// How much of a file is handed on at once, so that what is sent is let go.
const PIECE: usize = 1 << 20;
/// How a file is asked for.
const ASKED: &[Field] = &[Field { name: "redact", kind: Kind::Switch }];

/// Sends a file, or a part of it.
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Named((id, path)): Named<(String, String)>,
    RawQuery(query): RawQuery,
    asked: Asked,
) -> Response {
    let conditions = Conditions::read(&asked);
    let wanted = asked.header("range").and_then(Wanted::read);
    let answer = async {
        let known = known(&app, &asked).await?;
        let credential = known.credential.clone();
        let mut params = query::read(query.as_deref(), ASKED)?;
        params.insert("path".to_owned(), path.clone().into());
        let transfer = Transfer::Down { memory: app.memory.clone(), wanted };
        let answer = call(&app, known, ("files.get", id), (params, transfer, None)).await?;
        Ok((answer, credential))
    };
    match answer.await {
        Ok((Answer::File(sent), credential)) => {
            respond(&path, *sent, (wanted, &conditions), credential)
        }
        other => answered(other.map(|(answer, _)| answer)),
    }
}

/// Takes a file.
pub(super) async fn put(
    State(app): State<Arc<App>>,
    Named((id, path)): Named<(String, String)>,
    asked: Asked,
    body: Body,
) -> Response {
    let conditions = Conditions::read(&asked);
    let answer = async {
        let known = known(&app, &asked).await?;
        if asked.headers.contains_key(header::CONTENT_RANGE) {
            let message = "a file is taken whole, not in parts";
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let held = conditions.held()?;
        // Who may not write here need not send all of it to hear so.
        let body = if may_write(&known.credential, &id) { body } else { Body::empty() };
        let paid = body::length(&body).unwrap_or(0);
        let mut coming: Coming = Box::pin(body::pieces(body));
        let named = request_id(&asked)?;
        let mut params = Map::from_iter([("path".to_owned(), Value::from(path))]);
        if named.is_some() {
            // What tells two calls of one name apart.
            let Spooled { version, again } = app.spool.take(coming).await?;
            params.insert("content".to_owned(), version.to_string().into());
            params.insert("held".to_owned(), format!("{held:?}").into());
            coming = again;
        }
        let transfer = Transfer::Up { coming, paid, held, memory: app.memory.clone() };
        call(&app, known, ("files.put", id), (params, transfer, named)).await
    };
    match answer.await {
        Ok(Answer::Facts(facts) | Answer::Stored { facts, .. }) => {
            let created = facts.get("created") == Some(&Value::Bool(true));
            let status = if created { StatusCode::CREATED } else { StatusCode::OK };
            let tag = facts.get("version").and_then(Value::as_str).and_then(tag);
            let mut response = (status, Json(facts)).into_response();
            response.headers_mut().extend(tag.map(|tag| (header::ETAG, tag)));
            response
        }
        Err(error) => conditions.refused(&error),
        other => answered(other),
    }
}

/// Removes a file.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    Named((id, path)): Named<(String, String)>,
    asked: Asked,
) -> Response {
    let conditions = Conditions::read(&asked);
    let answer = async {
        let known = known(&app, &asked).await?;
        let held = conditions.held()?;
        let named = request_id(&asked)?;
        let mut params = Map::from_iter([("path".to_owned(), Value::from(path))]);
        params.extend(named.as_ref().map(|_| ("held".to_owned(), format!("{held:?}").into())));
        let transfer = Transfer::Away { held };
        call(&app, known, ("files.delete", id), (params, transfer, named)).await
    };
    match answer.await {
        Err(error) => conditions.refused(&error),
        other => answered(other),
    }
}

async fn call(
    app: &App,
    Known { caller, credential }: Known,
    (operation, agent): (&str, String),
    (params, transfer, request_id): (Map<String, Value>, Transfer, Option<String>),
) -> Result<Answer> {
    let bytes = match &transfer {
        Transfer::Up { paid, .. } => *paid,
        Transfer::Down { .. } | Transfer::Away { .. } => 0,
    };
    let call = Call {
        caller,
        operation: operation.to_owned(),
        agent: Some(agent),
        params: Value::Object(params),
        bytes,
        request_id,
        hears: Hears::Waits,
        arrived: Moment::now(),
        along: Along::carrying(transfer),
    };
    Prepared { call, credential, taken: None }.run(app).await
}

fn may_write(credential: &Credential, id: &str) -> bool {
    match credential.role() {
        Role::Operator => true,
        Role::Agent(own) => own.as_str() == id,
        Role::User => false,
    }
}

fn respond(
    path: &str,
    Sent { file, body, .. }: Sent,
    (wanted, conditions): (Option<Wanted>, &Conditions),
    credential: Credential,
) -> Response {
    if let Some(status) = conditions.judge(Some(file.version)) {
        let mut response = status.into_response();
        describe(response.headers_mut(), path, &file);
        if status == StatusCode::PRECONDITION_FAILED {
            let error = Error::new(Code::Conflict, "the file is not what If-Match says");
            response = said(Code::Conflict, &garth_ops::failure(&error));
            *response.status_mut() = status;
        }
        return response;
    }
    // Where placeholders stand, a place in what is sent is none in the file.
    let wanted =
        wanted.filter(|_| file.redacted.is_empty() && conditions.allows_part(Some(file.version)));
    let part = match wanted.map(|wanted| wanted.within(file.size)) {
        None => None,
        Some(Some(part)) => Some(part),
        Some(None) => return outside(file.size),
    };
    let (start, length) = part.unwrap_or((0, file.size));
    let body = match body {
        Leaving::Whole(bytes, taken) => {
            let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
            let end = place(start.saturating_add(length));
            pieces(bytes.slice(place(start).min(end)..end), taken)
        }
        Leaving::Pieces(outflow) => Body::from_stream(outflow.sent((start, length), credential)),
    };
    let mut response = Response::new(body);
    if part.is_some() {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let last = (start + length).saturating_sub(1);
        let range = format!("bytes {start}-{last}/{}", file.size);
        response.headers_mut().extend(value(&range).map(|value| (header::CONTENT_RANGE, value)));
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    describe(headers, path, &file);
    response
}

/// What is asked for lies behind the end.
fn outside(size: u64) -> Response {
    let error = Error::new(Code::InvalidParams, "the file has no such part");
    let mut response = said(Code::InvalidParams, &garth_ops::failure(&error));
    *response.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
    let range = value(&format!("bytes */{size}"));
    response.headers_mut().extend(range.map(|value| (header::CONTENT_RANGE, value)));
    response
}

/// A body in pieces, which has its memory until the last one is sent.
fn pieces(bytes: Bytes, taken: Taken) -> Body {
    Body::from_stream(stream::unfold((bytes, taken), |(mut bytes, taken)| async move {
        if bytes.is_empty() {
            return None;
        }
        let piece = bytes.split_to(PIECE.min(bytes.len()));
        Some((Ok::<_, Infallible>(piece), (bytes, taken)))
    }))
}

/// The headers that say what a file is.
fn describe(headers: &mut HeaderMap, path: &str, file: &Download) {
    headers.extend(tag(&file.version.to_string()).map(|tag| (header::ETAG, tag)));
    let modified = file.modified.as_deref().and_then(value);
    headers.extend(modified.map(|modified| (header::LAST_MODIFIED, modified)));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.media_type));
    let redacted = file.redacted.join(", ");
    let ranges = if redacted.is_empty() { "bytes" } else { "none" };
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static(ranges));
    if !redacted.is_empty() {
        headers.extend(value(&redacted).map(|names| (REDACTED, names)));
    }
    let shown = if file.harmless { "inline" } else { "attachment" };
    let name = path.rsplit('/').next().unwrap_or_default();
    let name = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    let disposition = value(&format!("{shown}; filename*=UTF-8''{name}"));
    headers.extend(disposition.map(|value| (header::CONTENT_DISPOSITION, value)));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(HARMLESS));
    // It may be kept, and is asked about each time.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
}

fn tag(version: &str) -> Option<HeaderValue> {
    value(&format!("\"{version}\""))
}

fn value(text: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(text).ok()
}
