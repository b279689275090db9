//! A tool's reply, or its error, as a result of MCP.

use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::WsPath;
use garth_ops::{Attachment, Failure, Refusals, Reply, Tool};
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde_json::{Map, Value};

use super::uri;

/// The result of a call that was answered: the text once, the facts beside it.
pub(crate) fn answered(tool: &Tool, reply: Reply) -> CallToolResult {
    let Reply { text, mut payload, attachment, .. } = reply;
    let mut content = Vec::new();
    if !text.is_empty() || attachment.is_none() {
        content.push(ContentBlock::text(text.into_string()));
    }
    content.extend(attachment.map(attached));
    content.extend(link(&payload));
    for key in tool.repeats {
        payload.shift_remove(*key);
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(Value::Object(payload));
    result
}

/// The result of a call that was refused or failed: its code, a sentence, what to
/// do, and how far it came where that can be told.
pub(crate) fn refused(tool: &Tool, failure: &Failure, refusals: Refusals) -> CallToolResult {
    let Failure { error, partial } = failure;
    let mut text = match (refusals, error.advice()) {
        (Refusals::Plain, _) => error.message().to_owned(),
        (Refusals::Coded, "") => format!("{}: {}", error.code().row().name, error.message()),
        (Refusals::Coded, advice) => {
            format!("{}: {}\n{advice}", error.code().row().name, error.message())
        }
    };
    if let Some(partial) = partial.as_ref().filter(|partial| !partial.text.is_empty()) {
        text.push_str("\n\n");
        text.push_str(&partial.text);
    }
    let mut body = failure.body();
    if let (Some(Value::Object(details)), Some(_)) = (body.get_mut("details"), partial) {
        tool.repeats.iter().for_each(|key| drop(details.shift_remove(*key)));
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(Value::Object(body));
    result
}

fn attached(attachment: Attachment) -> ContentBlock {
    let Attachment { media_type, bytes, uri } = attachment;
    let data = STANDARD.encode(&bytes);
    match media_type.split('/').next() {
        Some("image") => ContentBlock::image(data, media_type),
        Some("audio") => ContentBlock::audio(data, media_type),
        Some(_) | None => {
            let uri = uri.unwrap_or_else(|| "workspace:///".to_owned());
            let contents = ResourceContents::blob(data, uri).with_mime_type(media_type);
            ContentBlock::resource(contents)
        }
    }
}

/// A link to a file of which only a part is in the reply.
fn link(payload: &Map<String, Value>) -> Option<ContentBlock> {
    let is = |key: &str, value: &str| payload.get(key).and_then(Value::as_str) == Some(value);
    let partial = payload.get("truncated").and_then(Value::as_bool) == Some(true);
    let (text, binary) = (is("kind", "text"), is("kind", "binary"));
    if !(binary || text && partial) {
        return None;
    }
    let path = payload.get("path").and_then(Value::as_str)?;
    let path = WsPath::from_bytes(path.as_bytes()).ok()?;
    let mut resource = Resource::new(uri::of(&path), path.to_string());
    if let Some(size) = payload.get("size_bytes").and_then(Value::as_u64) {
        resource = resource.with_size(size);
    }
    if let Some(media_type) = payload.get("media_type").and_then(Value::as_str) {
        resource = resource.with_mime_type(media_type);
    }
    Some(ContentBlock::resource_link(resource))
}
