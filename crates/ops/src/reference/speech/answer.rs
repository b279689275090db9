//! The reply of almost every tool: a text, and the same text as `content`.

use garth_contract::Result;
use garth_redact::Clean;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Reply;

/// The payload: clients of this dialect look for the text there too.
#[derive(Serialize, JsonSchema)]
pub(in crate::reference) struct Payload {
    /// The text of the reply.
    #[schemars(with = "String")]
    content: Clean,
}

/// A reply of a text.
pub(in crate::reference) fn answer(text: Clean) -> Result<Reply> {
    // The text may be large, so it is copied once and not by way of a payload.
    let content = Value::String(text.clone().into_string());
    Ok(Reply {
        text,
        payload: Map::from_iter([("content".to_owned(), content)]),
        attachment: None,
        record: None,
    })
}
