//! The protocol that calls into a sandbox speak: Connect, with JSON.
//!
//! A call with one answer is a body of JSON; a stream is messages of JSON, each behind a
//! byte of flags and four of its length.

use std::convert::Infallible;

use axum::{
    Json,
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::{BufMut, Bytes, BytesMut};
use futures::{Stream, StreamExt, stream};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::refuse::{Result, Wrong};

/// What a stream is made of.
pub(super) const STREAM: &str = "application/connect+json";
/// The last message of a stream.
const END: u8 = 0b10;
/// A message that is compressed, which nobody was told can be read here.
const COMPRESSED: u8 = 0b1;
/// The bytes before a message.
const HEAD: usize = 5;
/// The largest message that is read: a megabyte of input in base64, and what is around it.
pub(super) const MOST_MESSAGE: usize = 4 << 20;
/// Messages that wait for a client to read them.
const MOST_WAITING: usize = 16;

/// Reads the one message of a call with one answer.
///
/// # Errors
/// `invalid_argument` for what is no such message.
pub(super) fn message<T: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Result<T> {
    let said = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let said = said.and_then(|said| said.split(';').next()).unwrap_or_default().trim();
    if !said.eq_ignore_ascii_case("application/json") {
        return Err(Wrong::invalid("this is asked in JSON: Content-Type application/json"));
    }
    let plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if !headers.get(header::CONTENT_ENCODING).is_none_or(plain) {
        return Err(Wrong::invalid("this is asked without compression"));
    }
    parsed(body)
}

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes)
        .map_err(|error| Wrong::invalid(format!("the message is not what it should be: {error}")))
}

/// Reads the one message of a request that is answered with a stream.
///
/// # Errors
/// `invalid_argument` for what is no such message.
pub(super) fn enveloped<T: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Result<T> {
    if !is_stream(headers) {
        return Err(Wrong::invalid(format!("this is asked as a stream: Content-Type {STREAM}")));
    }
    let mut bytes = BytesMut::from(body);
    let first = take(&mut bytes)?.ok_or_else(|| Wrong::invalid("the message is cut off"))?;
    match first {
        Message::One(bytes) => parsed(&bytes),
        Message::End => Err(Wrong::invalid("there is no message")),
    }
}

/// Tells whether a request says that it is a stream.
pub(super) fn is_stream(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|value| value.as_bytes() == STREAM.as_bytes())
}

/// A message of a stream, or its end.
pub(super) enum Message {
    One(Bytes),
    End,
}

/// Takes the next message of what has come, if it is there whole.
///
/// # Errors
/// `invalid_argument` for one that is compressed or too large.
pub(super) fn take(bytes: &mut BytesMut) -> Result<Option<Message>> {
    let Some((&[flags, a, b, c, d], _)) = bytes.split_first_chunk::<HEAD>() else {
        return Ok(None);
    };
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    if length > MOST_MESSAGE {
        return Err(Wrong::invalid(format!("a message has at most {MOST_MESSAGE} bytes")));
    }
    if flags & COMPRESSED != 0 {
        return Err(Wrong::invalid("messages come without compression"));
    }
    if bytes.len() < HEAD + length {
        return Ok(None);
    }
    let mut whole = bytes.split_to(HEAD + length);
    let body = whole.split_off(HEAD).freeze();
    Ok(Some(if flags & END != 0 { Message::End } else { Message::One(body) }))
}

/// Reads one message of a stream.
///
/// # Errors
/// `invalid_argument`.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    parsed(bytes)
}

fn frame(flags: u8, message: &Value) -> Bytes {
    let text = message.to_string();
    let mut bytes = BytesMut::with_capacity(HEAD + text.len());
    bytes.put_u8(flags);
    bytes.put_u32(u32::try_from(text.len()).unwrap_or(u32::MAX));
    bytes.put_slice(text.as_bytes());
    bytes.freeze()
}

/// The answer to a call with one answer.
pub(super) fn answered(result: Result<Value>) -> Response {
    match result {
        Ok(message) => Json(message).into_response(),
        Err(wrong) => wrong.unary(),
    }
}

/// Whoever hears a stream.
#[derive(Clone)]
pub(super) struct Outlet(mpsc::Sender<Bytes>);

/// That nobody hears a stream any more.
#[derive(Debug)]
pub(super) struct Gone;

impl Outlet {
    /// Sends a message, once there is room for it.
    ///
    /// # Errors
    /// [`Gone`].
    pub(super) async fn send(&self, message: &Value) -> std::result::Result<(), Gone> {
        self.0.send(frame(0, message)).await.map_err(|_| Gone)
    }

    /// Ends the stream.
    pub(super) async fn end(self, result: Result<()>) {
        let message = match result {
            Ok(()) => Value::Object(Map::new()),
            Err(wrong) => json!({ "error": wrong.told() }),
        };
        // Whoever went away needs no end.
        let _ = self.0.send(frame(END, &message)).await;
    }

    /// Waits until nobody hears it.
    pub(super) async fn gone(&self) {
        self.0.closed().await;
    }
}

/// A stream, and its other end.
pub(super) fn outlet() -> (Outlet, Response) {
    let (sender, receiver) = mpsc::channel(MOST_WAITING);
    let frames = stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|frame| (frame, receiver))
    });
    (Outlet(sender), streamed(frames))
}

/// A stream that says one thing alone.
pub(super) fn ended(result: Result<Value>) -> Response {
    let frames = match result {
        Ok(message) => vec![frame(0, &message), frame(END, &json!({}))],
        Err(wrong) => vec![frame(END, &json!({ "error": wrong.told() }))],
    };
    streamed(stream::iter(frames))
}

fn streamed(frames: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    let body = Body::from_stream(frames.map(Ok::<_, Infallible>));
    let mut response = (StatusCode::OK, body).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(STREAM));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_taken_one_by_one_and_only_whole() {
        let mut bytes = BytesMut::new();
        bytes.extend_from_slice(&frame(0, &json!({ "a": 1 })));
        bytes.extend_from_slice(&frame(END, &json!({})));
        let cut = bytes.split_off(3);
        assert!(take(&mut bytes).unwrap().is_none());
        bytes.unsplit(cut);
        let Ok(Some(Message::One(first))) = take(&mut bytes) else { panic!("no message") };
        assert_eq!(read::<Value>(&first).unwrap(), json!({ "a": 1 }));
        assert!(matches!(take(&mut bytes), Ok(Some(Message::End))));
        assert!(matches!(take(&mut bytes), Ok(None)));
    }

    #[test]
    fn what_is_compressed_or_too_large_is_refused() {
        assert!(take(&mut BytesMut::from(&[1, 0, 0, 0, 0][..])).is_err());
        assert!(take(&mut BytesMut::from(&[0, 255, 0, 0, 0][..])).is_err());
    }
}
