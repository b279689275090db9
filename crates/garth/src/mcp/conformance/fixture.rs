//! The tools that the kit calls, as rows of a table like that of any dialect.

use std::time::Duration;

use bytes::Bytes;
use garth_contract::{BoxFuture, Code, Error, Result};
use garth_ops::{Attachment, Failure, Needs, Reply, Run, Tool};
use garth_redact::Clean;
use schemars::{Schema, json_schema};
use serde_json::Map;

/// The smallest PNG: one pixel.
const PIXEL: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";
/// The head of a sound without a sample.
const SILENCE: &[u8] = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x44\xac\0\0";

/// All of them.
pub(crate) static TOOLS: &[Tool] = &[
    row("test_simple_text", |_, _| {
        answer(reply(Clean::fixed("This is a simple text response for testing."), None))
    }),
    row("test_image_content", |_, _| answer(media("image/png", PIXEL))),
    row("test_audio_content", |_, _| answer(media("audio/wav", SILENCE))),
    row("test_embedded_resource", |_, _| answer(media("application/octet-stream", b"bytes"))),
    row("test_error_handling", |_, _| {
        let error = Error::new(Code::InvalidRequest, "the tool fails on purpose");
        Box::pin(async { Err(error.into()) })
    }),
    row("test_tool_with_progress", |_, _| {
        Box::pin(async {
            // A client hears of a call twice a second, and the kit wants to hear three times.
            tokio::time::sleep(Duration::from_millis(1_750)).await;
            Ok(reply(Clean::fixed("done"), None))
        })
    }),
];

const fn row(name: &'static str, run: Run) -> Tool {
    Tool {
        name,
        title: name,
        summary: "A tool that the conformance kit calls.",
        needs: Needs::Read,
        params: nothing,
        payload: nothing,
        repeats: &[],
        names: |_| garth_ops::Names::default(),
        run,
    }
}

fn nothing() -> Schema {
    json_schema!({ "type": "object", "properties": {} })
}

fn answer<'a>(reply: Reply) -> BoxFuture<'a, Result<Reply, Failure>> {
    Box::pin(async { Ok(reply) })
}

fn media(media_type: &'static str, bytes: &'static [u8]) -> Reply {
    reply(
        Clean::default(),
        Some(Attachment { media_type, bytes: Bytes::from_static(bytes), uri: None }),
    )
}

fn reply(text: Clean, attachment: Option<Attachment>) -> Reply {
    Reply { text, payload: Map::new(), attachment, record: None }
}
