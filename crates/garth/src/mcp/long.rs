//! An answer with a long text, which is made JSON by itself and once.
//!
//! Those of the reference server say their text twice.

use rmcp::{
    RoleServer,
    model::{
        CallToolResult, ContentBlock, JsonRpcMessage, JsonRpcResponse, RequestId, ServerResult,
    },
    service::TxJsonRpcMessage,
};
use serde_json::{Result, Value, to_writer};

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
    garth_text::quote(text, line);
    let end = line.len();
    line.extend_from_slice(b"}]");
    if let Some(facts) = &result.structured_content {
        line.extend_from_slice(br#","structuredContent":"#);
        if repeat(facts, text) {
            line.extend_from_slice(br#"{"content":"#);
            line.extend_from_within(start..end);
            line.push(b'}');
        } else {
            to_writer(&mut *line, facts)?;
        }
    }
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

/// The long text of a message that has no other, and what else there is to it.
fn said(message: &TxJsonRpcMessage<RoleServer>) -> Option<(&RequestId, &CallToolResult, &str)> {
    let (id, result) = called(message)?;
    let [ContentBlock::Text(block)] = &*result.content else { return None };
    let bare = block.meta.is_none() && block.annotations.is_none();
    (bare && block.text.len() >= SHORTEST).then_some((id, result, &*block.text))
}

/// Tells whether facts are the text once more, and nothing else.
fn repeat(facts: &Value, text: &str) -> bool {
    facts.as_object().is_some_and(|facts| {
        facts.len() == 1 && facts.get("content").and_then(Value::as_str) == Some(text)
    })
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

    fn answer(text: &str, facts: Option<Value>) -> TxJsonRpcMessage<RoleServer> {
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = facts;
        let result = ServerResult::CallToolResult(result);
        TxJsonRpcMessage::<RoleServer>::response(result, RequestId::String("a \"b\"".into()))
    }

    fn result(message: &mut TxJsonRpcMessage<RoleServer>) -> &mut CallToolResult {
        let JsonRpcMessage::Response(response) = message else { unreachable!() };
        let ServerResult::CallToolResult(result) = &mut response.result else { unreachable!() };
        result
    }

    #[test]
    fn it_is_written_as_the_message_itself() {
        let long = "a \"line\" \\ with\ttabs, \u{1} and \u{e9}\n".repeat(100);
        for facts in [
            Some(json!({"content": long})),
            None,
            Some(json!({})),
            Some(json!({"content": "y"})),
            Some(json!({"content": long, "more": 1})),
            Some(json!({"text": long})),
            Some(json!(long)),
        ] {
            let mut message = answer(&long, facts);
            for _ in 0..2 {
                let mut line = Vec::new();
                assert!(write(&message, &mut line).unwrap());
                let whole = serde_json::to_string(&message).unwrap();
                assert_eq!(String::from_utf8(line).unwrap(), whole);
                let result = result(&mut message);
                result.meta = Some(MetaObject::from(json!({"k": 1}).as_object().unwrap().clone()));
                result.result_type = None;
                result.is_error = None;
            }
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
        assert!(wrote(answer(&long, None)));
        assert!(!wrote(answer("short", None)));
        let mut more = answer(&long, None);
        result(&mut more).content.push(ContentBlock::text("more"));
        assert!(!wrote(more));
        let mut marked = answer(&long, None);
        let ContentBlock::Text(block) = &mut result(&mut marked).content[0] else { unreachable!() };
        block.meta = Some(MetaObject::from(json!({"k": 1}).as_object().unwrap().clone()));
        assert!(!wrote(marked));
    }
}
