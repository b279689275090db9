//! An answer that says its text twice, as those of the reference server do, made JSON once.

use rmcp::{
    RoleServer,
    model::{
        CallToolResult, ContentBlock, JsonRpcMessage, JsonRpcResponse, RequestId, ServerResult,
    },
    service::TxJsonRpcMessage,
};
use serde_json::{Result, to_writer};

/// The shortest text for which it is worth the way.
const SHORTEST: usize = 1 << 10;

/// Writes such an answer as it would be written itself; `false` for any other message.
pub(super) fn write(message: &TxJsonRpcMessage<RoleServer>, line: &mut Vec<u8>) -> Result<bool> {
    let Some((id, result, text)) = said(message) else { return Ok(false) };
    line.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    to_writer(&mut *line, id)?;
    line.extend_from_slice(br#","result":{"#);
    if let Some(kind) = &result.result_type {
        line.extend_from_slice(br#""resultType":"#);
        to_writer(&mut *line, kind)?;
        line.push(b',');
    }
    line.extend_from_slice(br#""content":[{"type":"text","text":"#);
    let start = line.len();
    to_writer(&mut *line, text)?;
    let end = line.len();
    line.extend_from_slice(br#"}],"structuredContent":{"content":"#);
    line.extend_from_within(start..end);
    line.push(b'}');
    if let Some(is_error) = result.is_error {
        line.extend_from_slice(br#","isError":"#);
        to_writer(&mut *line, &is_error)?;
    }
    if let Some(meta) = &result.meta {
        line.extend_from_slice(br#","_meta":"#);
        to_writer(&mut *line, meta)?;
    }
    line.extend_from_slice(b"}}");
    Ok(true)
}

/// What a message says twice, and what else there is to it.
fn said(message: &TxJsonRpcMessage<RoleServer>) -> Option<(&RequestId, &CallToolResult, &str)> {
    let (id, result) = called(message)?;
    let [ContentBlock::Text(block)] = &*result.content else { return None };
    let facts = result.structured_content.as_ref()?.as_object()?;
    let same = facts.len() == 1
        && facts.get("content").and_then(|content| content.as_str()) == Some(&block.text);
    let bare = block.meta.is_none() && block.annotations.is_none();
    let worth_it = same && bare && block.text.len() >= SHORTEST;
    worth_it.then_some((id, result, &*block.text))
}

/// The parts of an answer to a call of a tool.
fn called(message: &TxJsonRpcMessage<RoleServer>) -> Option<(&RequestId, &CallToolResult)> {
    let JsonRpcMessage::Response(JsonRpcResponse { id, result, .. }) = message else { return None };
    let ServerResult::CallToolResult(result) = result else { return None };
    Some((id, result))
}

#[cfg(test)]
mod tests {
    use rmcp::model::MetaObject;
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
            let mut line = Vec::new();
            assert!(write(&message, &mut line).unwrap());
            let whole = serde_json::to_string(&message).unwrap();
            assert_eq!(String::from_utf8(line).unwrap(), whole);
            let JsonRpcMessage::Response(response) = &mut message else { unreachable!() };
            let ServerResult::CallToolResult(result) = &mut response.result else { unreachable!() };
            result.meta = Some(MetaObject::from(json!({"k": 1}).as_object().unwrap().clone()));
            result.result_type = None;
        }
    }

    #[test]
    fn other_answers_are_not() {
        let wrote = |message| {
            let mut line = Vec::new();
            let wrote = write(&message, &mut line).unwrap();
            assert_eq!(wrote, !line.is_empty());
            wrote
        };
        let long = "x".repeat(SHORTEST);
        assert!(wrote(answer(&long, json!({"content": long}))));
        for facts in [
            json!({}),
            json!({"content": "y"}),
            json!({"content": long, "more": 1}),
            json!({"text": long}),
            json!(long),
        ] {
            assert!(!wrote(answer(&long, facts)));
        }
        assert!(!wrote(answer("short", json!({"content": "short"}))));
        let mut more = answer(&long, json!({"content": long}));
        let JsonRpcMessage::Response(response) = &mut more else { unreachable!() };
        let ServerResult::CallToolResult(result) = &mut response.result else { unreachable!() };
        result.content.push(ContentBlock::text("more"));
        assert!(!wrote(more));
    }
}
