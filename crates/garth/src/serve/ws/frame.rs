//! What goes over the WebSocket: requests in, replies and events out.

use std::borrow::Cow;

use garth_contract::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The longest id of a request, in bytes.
const MOST_ID: usize = 256;

/// A request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) method: String,
    pub(crate) params: Value,
    /// What trace it is a part of.
    pub(crate) traceparent: Option<String>,
}

/// A frame that is no request, and the id it had, if any.
#[derive(Debug)]
pub(crate) struct Bad {
    pub(crate) id: Option<String>,
    pub(crate) error: Error,
}

impl Request {
    /// Reads a frame.
    ///
    /// # Errors
    /// `INVALID_REQUEST` for anything else than a request.
    pub(crate) fn read(text: &str) -> Result<Self, Bad> {
        #[derive(Deserialize)]
        struct Sent<'a> {
            #[serde(rename = "type", borrow)]
            kind: Cow<'a, str>,
            id: String,
            method: String,
            #[serde(default)]
            params: Value,
            // Whatever it is: what is no such text counts as none.
            #[serde(default)]
            traceparent: Value,
        }
        match serde_json::from_str::<Sent<'_>>(text) {
            Ok(sent) if sent.kind != "req" => {
                let message = "a client sends frames of the type \"req\"";
                let error = Error::new(Code::InvalidRequest, message);
                Err(Bad { id: Some(sent.id), error })
            }
            Ok(sent) if sent.id.is_empty() || sent.id.len() > MOST_ID => {
                let message = format!("the id of a request has 1 to {MOST_ID} bytes");
                Err(Bad { id: None, error: Error::new(Code::InvalidRequest, message) })
            }
            Ok(Sent { id, method, params, traceparent, .. }) => {
                let traceparent = traceparent.as_str().map(ToOwned::to_owned);
                Ok(Self { id, method, params, traceparent })
            }
            Err(error) => Err(Bad { id: id_of(text), error: wrong(&error) }),
        }
    }
}

/// The id of a frame that is no request, so that its sender knows which one it was.
fn id_of(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        id: String,
    }
    let named: Named = serde_json::from_str(text).ok()?;
    Some(named.id).filter(|id| !id.is_empty() && id.len() <= MOST_ID)
}

/// What is wrong with a frame, in words that repeat nothing of it.
fn wrong(error: &serde_json::Error) -> Error {
    let message = if error.is_data() {
        "a request is {type:\"req\", id, method, params?}".to_owned()
    } else {
        format!("the frame is no JSON, at its byte {}", error.column())
    };
    Error::new(Code::InvalidRequest, message)
}

/// A reply, or an event.
#[derive(Serialize)]
#[serde(tag = "type")]
pub(crate) enum Out<'a> {
    #[serde(rename = "res")]
    Reply {
        id: Option<&'a str>,
        ok: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        payload: Option<&'a Map<String, Value>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a Map<String, Value>>,
    },
    #[serde(rename = "event")]
    Event {
        event: &'a str,
        payload: &'a Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        seq: Option<u64>,
    },
}

impl Out<'_> {
    /// The frame as text.
    pub(crate) fn text(&self) -> String {
        // Maps of text and numbers always can be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A reply as text.
pub(crate) fn reply(
    id: Option<&str>,
    result: &Result<Map<String, Value>, Map<String, Value>>,
) -> String {
    let (payload, error) = match result {
        Ok(payload) => (Some(payload), None),
        Err(error) => (None, Some(error)),
    };
    Out::Reply { id, ok: result.is_ok(), payload, error }.text()
}

/// The same of facts that are written already, as a JSON object.
pub(crate) fn written(id: &str, payload: &str) -> String {
    const AROUND: usize = r#"{"type":"res","id":"","ok":true,"payload":}"#.len();
    let mut text = String::with_capacity(AROUND + id.len() + payload.len());
    text.push_str(r#"{"type":"res","id":"#);
    // Most are words that stand for themselves.
    if id.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')) {
        text.push('"');
        text.push_str(id);
        text.push('"');
    } else {
        text.push_str(&Value::from(id).to_string());
    }
    text.push_str(r#","ok":true,"payload":"#);
    text.push_str(payload);
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_read() {
        let text = r#"{"type":"req","id":"1","method":"worktree.list","traceparent":"x"}"#;
        let request = Request::read(text).unwrap();
        assert_eq!((&*request.id, &*request.method), ("1", "worktree.list"));
        assert_eq!(request.params, Value::Null);
    }

    #[test]
    fn what_is_no_request_keeps_its_id_where_it_has_one() {
        for (text, id) in [
            ("", None),
            ("{", None),
            ("[]", None),
            (r#"{"id":"7"}"#, Some("7")),
            (r#"{"type":"res","id":"7","method":"x"}"#, Some("7")),
            (r#"{"type":"req","id":7,"method":"x"}"#, None),
            (r#"{"type":"req","id":"","method":"x"}"#, None),
            (r#"{"type":"req","id":"7","method":1}"#, Some("7")),
        ] {
            let bad = Request::read(text).unwrap_err();
            assert_eq!(bad.id.as_deref(), id, "{text}");
            assert_eq!(bad.error.code(), Code::InvalidRequest, "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(Request::read(&deep).unwrap_err().error.code(), Code::InvalidRequest);
    }

    #[test]
    fn replies_and_events_are_written_as_clients_expect() {
        let facts = json!({"a": 1});
        let facts = facts.as_object().unwrap().clone();
        assert_eq!(
            reply(Some("1"), &Ok(facts.clone())),
            r#"{"type":"res","id":"1","ok":true,"payload":{"a":1}}"#
        );
        assert_eq!(
            reply(None, &Err(facts)),
            r#"{"type":"res","id":null,"ok":false,"error":{"a":1}}"#
        );
        for id in ["1", "a \"b\" \\ \u{1}", "\u{e9}"] {
            let facts = json!({"path": "/", "created": false});
            let same = reply(Some(id), &Ok(facts.as_object().unwrap().clone()));
            assert_eq!(written(id, &facts.to_string()), same);
        }
        let event = Out::Event { event: "tick", payload: &json!({"ts": 5}), seq: Some(2) };
        assert_eq!(event.text(), r#"{"type":"event","event":"tick","payload":{"ts":5},"seq":2}"#);
    }
}
