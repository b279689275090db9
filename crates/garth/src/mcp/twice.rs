//! An answer that says its text twice, as those of the reference server do, made JSON once.

use rmcp::{
    RoleServer,
    model::{
        CallToolResult, ContentBlock, JsonRpcMessage, JsonRpcResponse, JsonRpcVersion2_0,
        MetaObject, RequestId, ResultType, ServerResult,
    },
    service::TxJsonRpcMessage,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// The shortest text for which it is worth the way.
const SHORTEST: usize = 1 << 10;

/// Such an answer; it is written as the message itself would be.
#[derive(Serialize)]
pub(super) struct Twice<'a> {
    jsonrpc: &'a JsonRpcVersion2_0,
    id: &'a RequestId,
    result: Said<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Said<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'a ResultType>,
    content: [Block<'a>; 1],
    structured_content: Facts<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a MetaObject>,
}

#[derive(Serialize)]
struct Block<'a> {
    r#type: &'static str,
    text: &'a RawValue,
}

#[derive(Serialize)]
struct Facts<'a> {
    content: &'a RawValue,
}

/// The text that a message says twice, as JSON.
pub(super) fn text(message: &TxJsonRpcMessage<RoleServer>) -> Option<Box<RawValue>> {
    let (_, _, result) = called(message)?;
    let [ContentBlock::Text(block)] = &*result.content else { return None };
    let facts = result.structured_content.as_ref()?.as_object()?;
    let same = facts.len() == 1
        && facts.get("content").and_then(|content| content.as_str()) == Some(&block.text);
    let bare = block.meta.is_none() && block.annotations.is_none();
    if !same || !bare || block.text.len() < SHORTEST {
        return None;
    }
    to_raw_value(&block.text).ok()
}

impl<'a> Twice<'a> {
    /// The message that says a text twice.
    pub(super) fn of(
        message: &'a TxJsonRpcMessage<RoleServer>,
        text: &'a RawValue,
    ) -> Option<Self> {
        let (jsonrpc, id, result) = called(message)?;
        let result = Said {
            result_type: result.result_type.as_ref(),
            content: [Block { r#type: "text", text }],
            structured_content: Facts { content: text },
            is_error: result.is_error,
            meta: result.meta.as_ref(),
        };
        Some(Self { jsonrpc, id, result })
    }
}

/// The parts of an answer to a call of a tool.
fn called(
    message: &TxJsonRpcMessage<RoleServer>,
) -> Option<(&JsonRpcVersion2_0, &RequestId, &CallToolResult)> {
    match message {
        JsonRpcMessage::Response(JsonRpcResponse {
            jsonrpc,
            id,
            result: ServerResult::CallToolResult(result),
        }) => Some((jsonrpc, id, result)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(text: &str, facts: serde_json::Value) -> TxJsonRpcMessage<RoleServer> {
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = Some(facts);
        let result = ServerResult::CallToolResult(result);
        TxJsonRpcMessage::<RoleServer>::response(result, RequestId::String("a \"b\"".into()))
    }

    #[test]
    fn it_is_written_as_the_message_itself() {
        let long = "a \"line\" \\ with\ttabs, \u{1} and \u{e9}\n".repeat(100);
        let mut message = answer(&long, json!({"content": long}));
        for _ in 0..2 {
            let text = text(&message).unwrap();
            let twice = Twice::of(&message, &text).unwrap();
            let whole = serde_json::to_string(&message).unwrap();
            assert_eq!(serde_json::to_string(&twice).unwrap(), whole);
            let JsonRpcMessage::Response(response) = &mut message else { unreachable!() };
            let ServerResult::CallToolResult(result) = &mut response.result else { unreachable!() };
            result.meta = Some(MetaObject::from(json!({"k": 1}).as_object().unwrap().clone()));
            result.result_type = None;
        }
    }

    #[test]
    fn other_answers_are_not() {
        let long = "x".repeat(SHORTEST);
        assert!(text(&answer(&long, json!({"content": long}))).is_some());
        for facts in [
            json!({}),
            json!({"content": "y"}),
            json!({"content": long, "more": 1}),
            json!({"text": long}),
            json!(long),
        ] {
            assert!(text(&answer(&long, facts)).is_none());
        }
        assert!(text(&answer("short", json!({"content": "short"}))).is_none());
        let mut noted = answer(&long, json!({"content": long}));
        let JsonRpcMessage::Response(response) = &mut noted else { unreachable!() };
        let ServerResult::CallToolResult(result) = &mut response.result else { unreachable!() };
        result.content.push(ContentBlock::text("more"));
        assert!(text(&noted).is_none());
    }
}
