//! The body of a request, bounded in bytes and in time.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use garth_contract::{Code, Detail, Error, Result};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::{Map, Value};

/// The largest body of JSON, in bytes: as for a frame of the WebSocket.
pub(crate) const MOST: usize = 26_214_400;
/// How long a body may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads a whole body.
///
/// # Errors
/// `FILE_TOO_LARGE`; `INVALID_REQUEST` for one that breaks off or takes too long.
pub(crate) async fn whole(body: Body) -> Result<Bytes> {
    let broken = || Error::new(Code::InvalidRequest, "the body of the request broke off");
    let read = Limited::new(body, MOST).collect();
    match tokio::time::timeout(PATIENCE, read).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let limit = Detail::Limit { limit: MOST as u64, actual: MOST as u64 + 1 };
            Err(Error::new(Code::FileTooLarge, "the body of the request is too large").with(limit))
        }
        Ok(Err(_)) => Err(broken()),
        Err(_) => Err(Error::new(Code::InvalidRequest, "the body of the request took too long")),
    }
}

/// Reads a body that is one JSON object; nothing at all is an empty one.
///
/// # Errors
/// As for [`whole`], and `INVALID_REQUEST` for what is no object.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>> {
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let message = format!("the body of the request is no JSON object: {error}");
        Error::new(Code::InvalidRequest, message)
    })
}
