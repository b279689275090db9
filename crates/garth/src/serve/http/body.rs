//! The body of a request, bounded in bytes, in time, and together with all others in
//! memory.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use garth_contract::{Code, Detail, Error, Result};
use http_body_util::BodyExt;
use serde_json::{Map, Value};

use crate::serve::memory::{Memory, Taken};

/// The largest body of JSON, in bytes: as for a frame of the WebSocket.
pub(crate) const MOST: u64 = 26_214_400;
/// How long nothing may come.
const PAUSE: Duration = Duration::from_secs(30);
/// How long a body may take that is as long as one of JSON may be; a longer one longer.
const PATIENCE: Duration = Duration::from_secs(60);
/// How much memory is taken for a body whose length is not said, and then again.
const STEP: u64 = 256 << 10;

/// A body, and the memory that it has.
pub(crate) struct Whole {
    pub(crate) bytes: Bytes,
    pub(crate) taken: Taken,
}

/// Reads a whole body of at most so many bytes.
///
/// # Errors
/// `FILE_TOO_LARGE`; `INVALID_REQUEST` for one that breaks off or takes too long;
/// `RATE_LIMIT_EXCEEDED` while there is no memory for it.
pub(crate) async fn whole(memory: &Memory, body: Body, most: u64) -> Result<Whole> {
    let patience = PATIENCE * u32::try_from(most.div_ceil(MOST)).unwrap_or(1);
    match tokio::time::timeout(patience, read(memory, body, most)).await {
        Ok(read) => read,
        Err(_) => Err(wrong("the body of the request took too long")),
    }
}

async fn read(memory: &Memory, mut body: Body, most: u64) -> Result<Whole> {
    let said = http_body::Body::size_hint(&body).exact();
    if said.is_some_and(|said| said > most) {
        return Err(too_large(most, said.unwrap_or(most)));
    }
    let mut room = said.unwrap_or(STEP.min(most));
    let mut taken = memory.take(room).await?;
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    loop {
        let frame = match tokio::time::timeout(PAUSE, body.frame()).await {
            Ok(None) => break,
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(_))) => return Err(wrong("the body of the request broke off")),
            Err(_) => return Err(wrong("the body of the request took too long")),
        };
        let Ok(piece) = frame.into_data() else { continue };
        let length = (first.len() + all.len() + piece.len()) as u64;
        if length > most {
            return Err(too_large(most, length));
        }
        if length > room {
            let more = (length - room).max(STEP);
            taken.join(memory.take(more).await?);
            room += more;
        }
        // A body that comes in one piece is not copied.
        if first.is_empty() && all.is_empty() {
            first = piece;
            continue;
        }
        if all.is_empty() {
            all.reserve(usize::try_from(said.unwrap_or(0)).unwrap_or(0));
            all.extend_from_slice(&std::mem::take(&mut first));
        }
        all.extend_from_slice(&piece);
    }
    let bytes = if all.is_empty() { first } else { all.freeze() };
    Ok(Whole { bytes, taken })
}

/// Reads a body that is one JSON object; nothing at all is an empty one.
///
/// # Errors
/// `INVALID_REQUEST` for what is no object, gives a name twice or does not say that it
/// is JSON.
pub(crate) fn object(headers: &HeaderMap, bytes: &[u8]) -> Result<Map<String, Value>> {
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    if !is_json(headers) {
        let error = wrong("the body of the request does not say that it is JSON");
        return Err(error.hint("Send the header Content-Type: application/json."));
    }
    let object = serde_json::from_slice(bytes).map_err(|error| {
        wrong_because(format!("the body of the request is no JSON object: {error}"))
    })?;
    match garth_ops::repeated(bytes) {
        None => Ok(object),
        Some(name) => Err(wrong_because(format!("{name:?} is given twice"))),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let said = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let said = said.and_then(|said| said.split(';').next()).unwrap_or_default().trim();
    said.eq_ignore_ascii_case("application/json")
}

fn wrong(message: &'static str) -> Error {
    Error::new(Code::InvalidRequest, message)
}

fn wrong_because(message: String) -> Error {
    Error::new(Code::InvalidRequest, message)
}

fn too_large(limit: u64, actual: u64) -> Error {
    let limit = Detail::Limit { limit, actual };
    Error::new(Code::FileTooLarge, "the body of the request is too large").with(limit)
}
