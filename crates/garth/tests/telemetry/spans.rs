//! What is in a span, whose trace it is a part of, and what is in none.

use std::collections::BTreeSet;

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    trace::v1::{Span, span::SpanKind, status::StatusCode},
};
use prost::Message;
use serde_json::json;

use crate::{
    collector::{Answers, Collector, says},
    scene::{gateway, post},
};

/// A `traceparent`: a trace of this number, kept or not.
fn parent(trace: u128, flags: &str) -> String {
    format!("00-{trace:032x}-00f067aa0ba902b7-{flags}")
}

fn is_of(span: &Span, trace: u128) -> bool {
    span.trace_id == trace.to_be_bytes()
}

#[test]
fn an_operation_is_a_span_in_the_trace_of_its_caller_over_every_interface() {
    let collector = Collector::start(Answers::Well);
    let server = gateway(&collector.address, "service = \"the-gateway\"");
    std::fs::write(server.files("default").join("a.txt"), "text").unwrap();
    let mut client = server.operator();
    client.send(&json!({
        "type": "req", "id": "t", "method": "worktree.read", "traceparent": parent(1, "01"),
        "params": {"agentId": "default", "path": "a.txt"},
    }));
    assert_eq!(client.reply("t")["ok"], true);
    let two = parent(2, "01");
    let body = json!({"path": "missing.txt"});
    post(&server, "/v1/workspaces/default/read", &[("traceparent", &two)], &body);
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "read", "arguments": {"path": "a.txt"},
            "_meta": {"traceparent": parent(3, "01")},
        },
    });
    let told = post(&server, "/mcp/default", &[], &call);
    assert!(told.starts_with("HTTP/1.1 200"), "{told}");

    let read = collector.span("over RPC", |span| is_of(span, 1));
    assert_eq!(read.parent_span_id, 0x00f0_67aa_0ba9_02b7_u64.to_be_bytes());
    assert_eq!((&*read.name, read.kind), ("worktree.read", SpanKind::Server.into()));
    assert!(read.start_time_unix_nano > 0);
    assert!(read.end_time_unix_nano >= read.start_time_unix_nano);
    assert_eq!(read.status, None);
    let said = |key: &str| says(&read.attributes, key);
    assert_eq!(said("garth.workspace").as_deref(), Some("default"));
    assert_eq!(said("garth.provider").as_deref(), Some("local"));
    assert_eq!(said("garth.outcome").as_deref(), Some("OK"));
    assert_eq!(said("garth.role").as_deref(), Some("operator"));
    assert!(said("garth.bytes_out").unwrap().parse::<u64>().unwrap() > 0);

    let missing = collector.span("over HTTP", |span| is_of(span, 2));
    assert_eq!(says(&missing.attributes, "garth.outcome").as_deref(), Some("FILE_NOT_FOUND"));
    assert_eq!(missing.status.unwrap().code, StatusCode::Error as i32);

    let tool = collector.span("over MCP", |span| is_of(span, 3));
    assert_eq!(&*tool.name, "read");

    let first = ExportTraceServiceRequest::decode(&collector.bodies()[0][..]).unwrap();
    let resource = first.resource_spans[0].resource.clone().unwrap();
    assert_eq!(says(&resource.attributes, "service.name").as_deref(), Some("the-gateway"));
}

#[test]
fn a_trace_that_is_not_kept_has_no_spans_and_without_one_each_call_begins_its_own() {
    let collector = Collector::start(Answers::Well);
    let server = gateway(&collector.address, "");
    let mut client = server.operator();
    for (id, traceparent) in
        [("a", json!(parent(7, "00"))), ("b", json!("no parent")), ("c", json!(12))]
    {
        client.send(&json!({
            "type": "req", "id": id, "method": "worktree.stat", "traceparent": traceparent,
            "params": {"agentId": "default", "path": "/"},
        }));
        assert_eq!(client.reply(id)["ok"], true);
    }
    client.ok("worktree.list", json!({"agentId": "default"}));
    assert_eq!(server.stop(), Some(0));
    let spans = collector.spans();
    let of = |name: &str| spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
    assert_eq!((of("worktree.stat").len(), of("worktree.list").len()), (2, 1));
    assert!(!spans.iter().any(|span| is_of(span, 7)), "its caller keeps nothing");
    assert!(spans.iter().all(|span| span.parent_span_id.is_empty() && span.span_id.len() == 8));
    let traces: BTreeSet<_> = spans.iter().map(|span| &span.trace_id).collect();
    assert_eq!(traces.len(), spans.len(), "each begins its own");
}

#[test]
fn nothing_of_a_path_a_content_or_a_command_is_in_what_is_sent() {
    const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let collector = Collector::start(Answers::Well);
    let server = gateway(&collector.address, "");
    let mut client = server.operator();
    let at = |more: serde_json::Value| {
        let mut params = json!({"agentId": "default"});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let path = format!("private-{SECRET}/notes-of-ada.txt");
    client.ok("worktree.write", at(json!({"path": path, "content": format!("key {SECRET}\n")})));
    client.call("worktree.read", at(json!({"path": path})));
    client.call("worktree.search", at(json!({"query": SECRET})));
    client.call("bash", at(json!({"command": format!("echo {SECRET} of-ada")})));
    client.call("bash", at(json!({"command": format!("exit 3 # {SECRET}")})));
    client.refused(&format!("made-up-{SECRET}"), json!({}));
    client.refused("worktree.read", at(json!({"path": format!("../{SECRET}")})));
    let body = json!({"path": path});
    post(&server, "/v1/workspaces/default/read", &[("x-agent-session-id", SECRET)], &body);
    assert_eq!(server.stop(), Some(0));
    let names: BTreeSet<_> = collector.spans().into_iter().map(|span| span.name).collect();
    for name in ["worktree.write", "worktree.read", "worktree.search", "bash", "unknown"] {
        assert!(names.contains(name), "{name} is not in {names:?}");
    }
    for body in collector.bodies() {
        for planted in [SECRET, "private-", "notes", "of-ada", "made-up"] {
            let found = body.windows(planted.len()).any(|part| part == planted.as_bytes());
            assert!(!found, "{planted} is in what was sent");
        }
    }
}
