//! Answers that come as events while a command runs.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use crate::{
    client::Request,
    gateway::{Gateway, eventually},
};

fn streamed<'a>(gateway: &'a Gateway, tool: &str, params: &Value) -> Request<'a> {
    let request = gateway.ask("POST", &format!("/v1/workspaces/default/{tool}")).json(params);
    request.header("accept", "text/event-stream")
}

/// The events of a stream, by name.
fn events(text: &str) -> Vec<(String, Value)> {
    let blocks = text.split("\n\n").filter(|block| !block.is_empty() && *block != ":");
    let event = |block: &str| {
        let (name, data) = block.split_once('\n').unwrap();
        let data = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        (name.strip_prefix("event: ").unwrap().to_owned(), data)
    };
    blocks.map(event).collect()
}

#[test]
fn what_a_command_prints_comes_before_its_result() {
    let gateway = Gateway::start();
    if !gateway.runs_commands() {
        return;
    }
    let command = "echo one; echo two >&2; echo key = AKIAIOSFODNN7EXAMPLE; exit 4";
    let reply = streamed(&gateway, "bash", &json!({ "command": command })).send();
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let mut events = events(&reply.text());
    let (name, result) = events.pop().unwrap();
    assert_eq!((name.as_str(), &result["exit_code"]), ("result", &json!(4)));
    let printed = |stream: &str| -> String {
        let of =
            events.iter().filter(|(name, event)| name == "output" && event["stream"] == stream);
        of.map(|(_, event)| event["text"].as_str().unwrap()).collect()
    };
    assert_eq!(printed("stdout"), result["stdout"].as_str().unwrap());
    assert_eq!(printed("stderr"), "two\n");
    assert!(printed("stdout").starts_with("one\n"), "{events:?}");
    assert!(!reply.text().contains("IOSFODNN7"), "{}", reply.text());
    assert_eq!(events[0].1["position"], 0);
}

#[test]
fn a_line_comes_while_the_command_still_runs_and_who_goes_away_ends_it() {
    let gateway = Gateway::start();
    if !gateway.runs_commands() {
        return;
    }
    let command = "echo begun; sleep 600; touch never";
    let stream = streamed(&gateway, "bash", &json!({ "command": command })).open();
    let mut lines = BufReader::new(stream).lines();
    let line = lines.find(|line| line.as_ref().unwrap().starts_with("data: ")).unwrap().unwrap();
    assert!(line.contains("begun\\n"), "{line}");
    let runs = || gateway.told("ps", &json!({})).to_string().contains("\"running\":true");
    eventually("the command is seen to run", runs);
    drop(lines);
    eventually("the command has ended", || !runs());
}

#[test]
fn what_is_refused_before_it_begins_has_its_status() {
    let gateway = Gateway::start();
    let refused = streamed(&gateway, "nothing", &json!({})).send();
    assert_eq!(refused.refusal(), (404, "UNKNOWN_METHOD".to_owned()));
    let anybody = gateway.anybody("POST", "/v1/workspaces/default/read");
    let anybody = anybody.header("accept", "text/event-stream").send();
    assert_eq!(anybody.refusal(), (401, "UNAUTHENTICATED".to_owned()));
}

#[test]
fn other_tools_end_with_one_event_too() {
    let gateway = Gateway::start();
    let wrong = events(&streamed(&gateway, "read", &json!({"file_path": "gone"})).send().text());
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert_eq!(
        (wrong[0].0.as_str(), &wrong[0].1["error"]["code"]),
        ("error", &json!("FILE_NOT_FOUND"))
    );
    let listed = events(&streamed(&gateway, "list", &json!({})).send().text());
    assert_eq!((listed.len(), listed[0].0.as_str()), (1, "result"));
}
