//! What one side can make us keep, and for how long: all of it has a bound, and whoever
//! passes it hears so.

use serde_json::{Value, json};

use crate::between::Between;

/// A request as a line.
fn asks(id: u64, method: &str, params: &Value) -> String {
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

/// What the agent is answered.
fn answered(between: &mut Between, method: &str, params: &Value) -> Value {
    between.agent_says(asks(7, method, params));
    let answer = between.agent_hears_json();
    assert_eq!(answer["id"], 7, "{answer}");
    answer
}

#[test]
fn a_client_cannot_have_endless_requests_wait() {
    let mut between = Between::start(&[]);
    between.begin(true);
    let most = 1_024;
    for id in 1..=most {
        between.client_says(asks(id, "_vendor/ask", &json!({})));
        assert_eq!(between.agent_hears_json()["id"], id);
    }
    for id in (most + 1..most + 20).chain([5]) {
        between.client_says(asks(id, "_vendor/ask", &json!({})));
        let answer = between.client_hears_json();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(id), &json!(-32_600)));
    }
    between.agent_heard_nothing_else();
}

#[test]
fn a_name_waits_once_for_its_answer() {
    let mut between = Between::start(&[]);
    between.begin(true);
    between.agent_says(asks(5, "_vendor/ask", &json!({ "first": true })));
    assert_eq!(between.client_hears_json()["params"]["first"], true);
    between.agent_says("{\"id\":5.0,\"method\":\"_vendor/ask\"}\n");
    let refused = between.agent_hears_json();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5.0), &json!(-32_600)));
    between.client_says(asks(5, "_vendor/ask", &json!({ "first": true })));
    assert_eq!(between.agent_hears_json()["params"]["first"], true);
    between.client_says(asks(5, "_vendor/ask", &json!({})));
    let refused = between.client_hears_json();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5), &json!(-32_600)));
    // The first of each is answered all the same.
    between.client_says("{\"id\":5,\"result\":{\"to\":\"agent\"}}\n");
    assert_eq!(between.agent_hears_json()["result"]["to"], "agent");
    between.agent_says("{\"id\":5,\"result\":{\"to\":\"client\"}}\n");
    assert_eq!(between.client_hears_json()["result"]["to"], "client");
}

#[test]
fn terminals_have_a_number_and_are_given_back() {
    let mut between = Between::start(&[]);
    between.begin(false);
    let params = json!({ "sessionId": "s", "command": "true" });
    let mut last = Value::Null;
    for number in 0..64 {
        let made = answered(&mut between, "terminal/create", &params);
        last = made["result"]["terminalId"].clone();
        assert!(last.is_string(), "{number}: {made}");
    }
    let refused = answered(&mut between, "terminal/create", &params);
    assert_eq!(refused["error"]["message"], "there are too many terminals", "{refused}");
    let released = json!({ "sessionId": "s", "terminalId": last });
    assert!(answered(&mut between, "terminal/release", &released)["result"].is_object());
    assert!(answered(&mut between, "terminal/create", &params)["result"].is_object());
}

#[test]
fn waits_for_a_command_have_a_number_and_end_with_it() {
    let mut between = Between::start(&[]);
    between.begin(false);
    let params = json!({ "sessionId": "s", "command": "sleep", "args": ["1000"] });
    let made = answered(&mut between, "terminal/create", &params);
    let terminal = json!({ "sessionId": "s", "terminalId": made["result"]["terminalId"] });
    let (most, more) = (64, 10);
    for id in 1_000..1_000 + most + more {
        between.agent_says(asks(id, "terminal/wait_for_exit", &terminal));
    }
    for _ in 0..more {
        let refused = between.agent_hears_json();
        let code = &refused["error"]["data"]["code"];
        assert_eq!(*code, "RATE_LIMIT_EXCEEDED", "{refused}");
    }
    between.agent_says(asks(8, "terminal/kill", &terminal));
    let answers: Vec<_> = (0..=most).map(|_| between.agent_hears_json()).collect();
    let ended = answers.iter().filter(|answer| answer["result"]["signal"].is_string());
    assert_eq!(ended.count() as u64, most, "{answers:#?}");
}

#[test]
fn questions_that_nobody_answers_are_not_kept_with_all_their_words() {
    let mut between = Between::start(&[]);
    between.begin(true);
    let long = "x".repeat(8 << 20);
    let option = json!({ "optionId": long, "name": "Yes", "kind": "allow_once" });
    let call = json!({ "toolCallId": "1", "kind": "edit" });
    let params = json!({ "sessionId": "s", "options": [option], "toolCall": call });
    let questions = 20;
    let mut mouth = between.agent_mouth();
    let said = std::thread::spawn(move || {
        for id in 0..questions {
            let asked = asks(id, "session/request_permission", &params);
            std::io::Write::write_all(&mut mouth, asked.as_bytes()).unwrap();
        }
    });
    for _ in 0..questions {
        assert!(between.client_hears().len() > 8 << 20);
    }
    said.join().unwrap();
    let most = between.most_memory();
    assert!(most < 150 << 20, "{most} bytes");
    // One of them is answered with what was offered, and one with what was not.
    let chosen = |option: &str| json!({ "outcome": { "outcome": "selected", "optionId": option } });
    for (id, option) in [(0, &*long), (1, "no")] {
        between.client_says(format!("{}\n", json!({ "id": id, "result": chosen(option) })));
        assert_eq!(between.agent_hears_json()["id"], id);
    }
    between.client_leaves();
    between.agent_leaves();
    between.ends();
    let records = between.scene.recorded();
    let has = |end: &str| records.iter().any(|(_, _, summary)| summary.ends_with(end));
    assert!(has("(allow_once)") && has("selected: no (not offered)"), "no such record");
}

#[test]
fn names_that_are_kept_have_a_length() {
    let mut between = Between::start(&[]);
    between.begin(false);
    let long = "x".repeat(2_000);
    let path = between.scene.at("a.txt");
    let asked = json!({ "sessionId": long, "path": path });
    let refused = answered(&mut between, "fs/read_text_file", &asked);
    assert_eq!(refused["error"]["data"]["code"], "INVALID_PARAMS", "{refused}");
    let asked = json!({ "sessionId": long, "command": "true" });
    let refused = answered(&mut between, "terminal/create", &asked);
    assert_eq!(refused["error"]["data"]["code"], "INVALID_PARAMS", "{refused}");
    // A request whose own name is too long is none.
    between.agent_says(format!("{{\"id\":\"{long}\",\"method\":\"_vendor/ask\"}}\n"));
    between.client_heard_nothing_else();
}

#[test]
fn records_have_a_length() {
    let mut between = Between::start(&[]);
    between.begin(false);
    let long = "x".repeat(1 << 20);
    let path = between.scene.at(&long);
    let asked = json!({ "sessionId": "s", "path": path });
    assert!(answered(&mut between, "fs/read_text_file", &asked)["error"].is_object());
    let asked = json!({ "sessionId": "s", "command": format!("true {long}"), "cwd": path });
    assert!(answered(&mut between, "terminal/create", &asked)["error"].is_object());
    let call = json!({ "sessionUpdate": "tool_call", "toolCallId": long, "kind": long });
    let told = json!({ "method": "session/update", "params": { "update": call } });
    between.agent_says(format!("{told}\n"));
    between.client_hears();
    between.client_leaves();
    between.agent_leaves();
    between.ends();
    let records = between.scene.recorded();
    assert_eq!(records.len(), 3);
    for (name, _, summary) in records {
        assert!((2_000..20_000).contains(&summary.len()), "{name}: {} bytes", summary.len());
    }
}

#[test]
fn in_another_version_files_and_commands_are_held_all_the_same() {
    let mut between = Between::start(&[]);
    let begin = json!({ "protocolVersion": 2, "capabilities": {} });
    between.client_says(asks(0, "initialize", &begin));
    assert_eq!(between.agent_hears_json()["params"], begin);
    for (method, params) in [
        ("fs/read_text_file", json!({ "sessionId": "s", "path": "/etc/passwd" })),
        ("fs/write_text_file", json!({ "sessionId": "s", "path": "/etc/x", "content": "x" })),
        ("terminal/create", json!({ "sessionId": "s", "command": "true", "cwd": "/etc" })),
    ] {
        let refused = answered(&mut between, method, &params);
        assert_eq!(refused["error"]["data"]["code"], "PATH_OUTSIDE_WORKSPACE", "{refused}");
    }
    between.client_heard_nothing_else();
}
