//! The body of a request, bounded in bytes, in time, and together with all others in
//! memory.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use futures::{Stream, stream};
use garth_contract::{Code, Detail, Error, Result};
use http_body::Body as _;
use http_body_util::BodyExt;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::serve::memory::{Memory, Taken};

/// How long nothing may come.
const PAUSE: Duration = Duration::from_secs(30);
/// How long a body may take, whatever its length.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many bytes a second must come of a longer one, on the whole: less than any line
/// has, and more than somebody sends who only wants to be waited for.
const PACE: u64 = 16 << 10;
/// How much is passed over of a body that nobody wants any more. A client that still
/// sends hears the answer only when it is read on; with more, the connection is closed.
const PASSED_OVER: u64 = 64 << 20;
/// How long that may take.
const PASSING: Duration = Duration::from_secs(10);
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
    let said = length(&body);
    if said.is_some_and(|said| said > most) {
        return Err(too_large(most, said.unwrap_or(most)));
    }
    let mut body = Flow::of(body);
    let mut room = said.unwrap_or(STEP.min(most));
    let mut taken = memory.take(room).await?;
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    loop {
        let Some(piece) = body.next().await? else { break };
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

/// How long a body says that it is.
pub(crate) fn length(body: &Body) -> Option<u64> {
    http_body::Body::size_hint(body).exact()
}

/// The body of a request as it comes.
///
/// It ends with an error where it breaks off or takes too long.
pub(crate) fn pieces(body: Body) -> impl Stream<Item = Result<Bytes>> + Send {
    stream::unfold(Some(Flow::of(body)), |flow| async {
        let mut flow = flow?;
        match flow.next().await {
            Ok(None) => None,
            Ok(Some(bytes)) => Some((Ok(bytes), Some(flow))),
            Err(error) => Some((Err(error), None)),
        }
    })
}

/// A body that is read. What nobody read of it is passed over, so that its sender gets
/// to read the answer.
struct Flow {
    body: Option<Body>,
    began: Instant,
    came: u64,
}

impl Flow {
    fn of(body: Body) -> Self {
        Self { body: Some(body), began: Instant::now(), came: 0 }
    }

    /// The next piece; `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            let Some(body) = &mut self.body else { return Ok(None) };
            let spent = Duration::from_secs(self.came / PACE);
            let until = self.began + PATIENCE + spent;
            let until = until.min(Instant::now() + PAUSE);
            let frame = match tokio::time::timeout_at(until, body.frame()).await {
                Ok(frame) => frame,
                Err(_) => return Err(wrong("the body of the request took too long")),
            };
            match frame {
                None => self.body = None,
                Some(Err(_)) => {
                    self.body = None;
                    return Err(wrong("the body of the request broke off"));
                }
                Some(Ok(frame)) => {
                    if let Ok(piece) = frame.into_data() {
                        self.came += piece.len() as u64;
                        return Ok(Some(piece));
                    }
                }
            }
        }
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        let Some(mut body) = self.body.take().filter(|body| !body.is_end_stream()) else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(tokio::time::timeout(PASSING, async move {
                let mut passed = 0;
                while let Some(Ok(frame)) = body.frame().await {
                    passed += frame.data_ref().map_or(0, |piece| piece.len() as u64);
                    if passed > PASSED_OVER {
                        return;
                    }
                }
            }));
        }
    }
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
