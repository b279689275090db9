//! Agents and clients that mean no good: what they want does not happen, is on record, and
//! nobody hangs.

use std::io::Write;

use serde_json::{Value, json};

use crate::between::{Between, descendants, is_gone};

/// A request as a line.
fn asks(id: u64, method: &str, params: &Value) -> String {
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

/// How many records there are of an operation with an outcome.
fn recorded(between: &Between, operation: &str, outcome: &str) -> usize {
    let records = between.scene.recorded();
    let same = records.iter().filter(|(name, end, _)| name == operation && end == outcome);
    same.count()
}

#[test]
fn an_agent_does_not_get_out_of_the_workspace_through_the_client() {
    let mut between = Between::start(&[]);
    between.begin(true);
    let root = between.scene.root.clone();
    std::os::unix::fs::symlink("/etc", root.join("out")).unwrap();
    std::os::unix::fs::symlink("/nowhere/new", root.join("dangling")).unwrap();
    let at = |rest: &str| between.scene.at(rest);
    let out = [
        "/etc/passwd".to_owned(),
        "/".to_owned(),
        at("../beside"),
        at("a/../../beside"),
        at("out/passwd"),
        at("dangling"),
        format!("{}-evil/x", root.display()),
        "relative.txt".to_owned(),
        "/workspace/a.txt".to_owned(),
    ];
    let mut id = 100;
    let mut refused = 0;
    for path in &out {
        let asked = [
            ("fs/read_text_file", json!({ "sessionId": "s", "path": path })),
            ("fs/write_text_file", json!({ "sessionId": "s", "path": path, "content": "x" })),
            ("terminal/create", json!({ "sessionId": "s", "command": "id", "cwd": path })),
        ];
        for (method, params) in asked {
            id += 1;
            between.agent_says(asks(id, method, &params));
            let answer = between.agent_hears_json();
            assert_eq!(answer["id"], id, "{answer}");
            let code = answer["error"]["data"]["code"].as_str().unwrap_or_default();
            let right = ["PATH_OUTSIDE_WORKSPACE", "INVALID_PATH"].contains(&code);
            assert!(right, "{method} {path}: {answer}");
            refused += 1;
        }
    }
    between.client_heard_nothing_else();
    between.client_leaves();
    between.ends();
    let outcomes = ["PATH_OUTSIDE_WORKSPACE", "INVALID_PATH"];
    let methods = ["fs/read_text_file", "fs/write_text_file", "terminal/create"];
    let kept: usize = methods
        .iter()
        .flat_map(|method| outcomes.map(|outcome| (format!("acp:{method} (client)"), outcome)))
        .map(|(operation, outcome)| recorded(&between, &operation, outcome))
        .sum();
    assert_eq!(kept, refused);
}

#[test]
fn what_two_readers_could_read_in_two_ways_is_not_passed_on() {
    let mut between = Between::start(&[]);
    between.begin(true);
    let path = between.scene.at("a.txt");
    let inside = format!("\"path\":\"{path}\"");
    // Whole lines that never reach the client, and are answered to nobody.
    for line in [
        "{\"method\":\"session/update\",\"method\":\"fs/read_text_file\",\"id\":1,\"params\":{}}",
        "{\"method\":\"session/update\",\"METHOD\":\"fs/read_text_file\",\"id\":1,\"params\":{}}",
        "{\"x\":NaN,\"method\":\"fs/read_text_file\",\"id\":1,\"params\":{\"path\":\"/etc/passwd\"}}",
        "[{\"method\":\"fs/read_text_file\",\"id\":1,\"params\":{\"path\":\"/etc/passwd\"}}]",
        "{\"method\":\"fs/read_text_file\",\"params\":{\"path\":\"/etc/passwd\"}}",
        "{\"method\":\"x\",\"id\":1,\"result\":{}}",
        "{\"id\":{},\"method\":\"x\"}",
        "Starting up, please wait …",
        "{\"method\":",
        "\u{feff}{\"method\":\"x\"}",
    ] {
        between.agent_says(format!("{line}\n"));
    }
    between.agent_says(b"{\"method\":\"x\",\"y\":\"\xff\"}\n");
    between.client_heard_nothing_else();
    // Requests that are answered here.
    for params in [
        format!("{{{inside},\"path\":\"/etc/passwd\"}}"),
        format!("{{{inside},\"p\\u0061th\":\"/etc/passwd\"}}"),
        format!("{{{inside},\"Path\":\"/etc/passwd\"}}"),
        "{\"path\":[\"/etc/passwd\"]}".to_owned(),
        "[\"/etc/passwd\"]".to_owned(),
        "{}".to_owned(),
    ] {
        between.agent_says(format!(
            "{{\"id\":9,\"method\":\"fs/read_text_file\",\"params\":{params}}}\n"
        ));
        let answer = between.agent_hears_json();
        assert_eq!(answer["error"]["data"]["code"], "INVALID_PARAMS", "{params}: {answer}");
    }
    between.client_heard_nothing_else();
    between.client_leaves();
    between.ends();
    assert!(recorded(&between, "acp:refused:agent", "INVALID_REQUEST") >= 11);
}

#[test]
fn answers_that_nobody_asked_for_are_dropped() {
    let mut between = Between::start(&[]);
    between.begin(true);
    // Of requests that were never asked, were answered before, or are the agent's own.
    between.agent_says(asks(41, "_vendor/ask", &json!({})));
    assert_eq!(between.client_hears_json()["id"], 41);
    for id in ["0", "41", "99", "\"0\""] {
        between.agent_says(format!("{{\"id\":{id},\"result\":{{\"protocolVersion\":9}}}}\n"));
    }
    between.client_heard_nothing_else();
    between.client_says("{\"id\":77,\"result\":{}}\n{\"id\":\"41\",\"result\":{}}\n");
    between.agent_heard_nothing_else();
    // The one that was asked for comes once.
    between.client_says("{\"id\":41,\"result\":{\"a\":1}}\n{\"id\":41,\"result\":{\"a\":2}}\n");
    assert_eq!(between.agent_hears_json()["result"]["a"], 1);
    between.agent_heard_nothing_else();
    between.client_leaves();
    between.ends();
    assert_eq!(recorded(&between, "acp:refused:agent", "INVALID_REQUEST"), 4);
    assert_eq!(recorded(&between, "acp:refused:client", "INVALID_REQUEST"), 3);
}

#[test]
fn an_agent_cannot_have_endless_requests_wait() {
    let mut between = Between::start(&[]);
    between.begin(true);
    let most = 1_024;
    let mut mouth = between.agent_mouth();
    let flood = std::thread::spawn(move || {
        for id in 0..most + 100 {
            mouth.write_all(asks(id, "_vendor/ask", &json!({})).as_bytes()).unwrap();
        }
        // An id that waits already.
        mouth.write_all(asks(5, "_vendor/ask", &json!({})).as_bytes()).unwrap();
    });
    for id in 0..most {
        assert_eq!(between.client_hears_json()["id"], id);
    }
    for id in (most..most + 100).chain([5]) {
        let answer = between.agent_hears_json();
        assert_eq!(answer["id"], id, "{answer}");
        assert_eq!(answer["error"]["code"], -32_600, "{answer}");
    }
    flood.join().unwrap();
    between.client_heard_nothing_else();
}

#[test]
fn an_endless_agent_fills_no_memory_and_ends_with_the_client() {
    let line = r#"{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":"1"}}}"#;
    let (mut between, mut heard) = Between::with_agent_unheard(&["yes", line]);
    // Some of it is heard, then nothing, while the agent goes on.
    let mut some = vec![0; 1 << 20];
    std::io::Read::read_exact(&mut heard, &mut some).unwrap();
    let agent = descendants(between.pid());
    assert_eq!(agent.len(), 1, "{agent:?}");
    std::io::Read::read_exact(&mut heard, &mut some).unwrap();
    let most = between.most_memory();
    assert!(most < 200 << 20, "{most} bytes");
    between.client_leaves();
    drop(heard);
    between.ends();
    assert!(is_gone(agent[0]), "the agent lives on");
    // What it told is on record up to a rate, and beyond that counted.
    let records = between.scene.recorded();
    let counted = |(_, _, summary): &(String, String, String)| summary.contains("more before were");
    // In one second there is nothing after that could count; in many seconds there is.
    let few = !records.is_empty() && records.len() < 1_000;
    assert!(few || records.iter().any(counted), "{} records", records.len());
}

#[test]
fn a_line_without_end_is_let_go_and_the_next_one_passes() {
    let mut between = Between::start(&[]);
    between.begin(true);
    between.client_says(asks(1, "session/prompt", &json!({})));
    assert_eq!(between.agent_hears_json()["id"], 1);
    let mut mouth = between.agent_mouth();
    let flood = std::thread::spawn(move || {
        let piece = vec![b'x'; 1 << 20];
        mouth.write_all(b"{\"method\":\"").unwrap();
        for _ in 0..80 {
            mouth.write_all(&piece).unwrap();
        }
        mouth.write_all(b"\"}\n").unwrap();
    });
    // It may have been the answer that the client waits for, so that wait ends.
    let answer = between.client_hears_json();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32_600)));
    flood.join().unwrap();
    between.client_heard_nothing_else();
    let most = between.most_memory();
    assert!(most < 400 << 20, "{most} bytes");
}

#[test]
fn an_agent_that_dies_leaves_nobody_waiting() {
    let script = "read -r line; echo '{\"id\":0,\"result\":{}}'; read -r line; exit 3";
    let mut between = Between::with_agent(&["sh", "-c", script]);
    between.client_says(asks(0, "initialize", &json!({ "protocolVersion": 1 })));
    assert_eq!(between.client_hears_json()["id"], 0);
    between.client_says(asks(1, "session/prompt", &json!({})));
    let answer = between.client_hears_json();
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["error"]["message"], "the agent has ended");
    assert_eq!(between.ends(), 1);
}

#[test]
fn an_agent_that_does_not_want_to_end_is_ended_with_what_it_started() {
    let script = "trap '' TERM; sleep 1000 & echo '{\"method\":\"_up\"}'; \
                  while :; do sleep 1000; done";
    let mut between = Between::with_agent(&["sh", "-c", script]);
    assert_eq!(between.client_hears_json()["method"], "_up");
    let all = descendants(between.pid());
    assert!(all.len() >= 2, "{all:?}");
    between.client_leaves();
    assert_eq!(between.ends(), 0);
    for pid in all {
        assert!(is_gone(pid), "{pid} lives on");
    }
}

#[test]
fn an_agent_that_cannot_be_started_is_said_to_be_so() {
    let mut between = Between::with_agent(&["/nowhere/agent"]);
    assert_eq!(between.ends(), 1);
}

#[test]
fn a_silent_client_keeps_nothing_alive() {
    let mut between = Between::start(&[]);
    between.begin(true);
    let path = between.scene.at("a.txt");
    between.agent_says(asks(5, "fs/read_text_file", &json!({ "sessionId": "s", "path": path })));
    assert_eq!(between.client_hears_json()["id"], 5);
    // It never answers, and goes.
    between.client_leaves();
    let answer = between.agent_hears_json();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(5), &json!(-32_603)));
    between.agent_leaves();
    between.ends();
    assert_eq!(recorded(&between, "acp:fs/read_text_file (client)", "CANCELLED"), 1);
}

#[test]
fn a_client_cannot_begin_a_session_elsewhere() {
    let mut between = Between::start(&[]);
    between.begin(true);
    let root = between.scene.root.clone();
    std::os::unix::fs::symlink("/etc", root.join("out")).unwrap();
    let at = |rest: &str| between.scene.at(rest);
    let fine = root.to_str().unwrap().to_owned();
    let mut wrong: Vec<Value> = ["/", "/etc", "", "project", "/workspace"]
        .into_iter()
        .map(str::to_owned)
        .chain([at(".."), at("out"), at("x/../.."), at("a.txt"), at("missing")])
        .map(|cwd| json!({ "cwd": cwd, "mcpServers": [] }))
        .collect();
    wrong.push(json!({ "cwd": fine, "mcpServers": [], "additionalDirectories": [fine, "/etc"] }));
    wrong.push(json!({ "mcpServers": [] }));
    wrong.push(json!({ "cwd": fine, "mcpServers": {} }));
    let mut id = 10;
    for params in wrong {
        for method in ["session/new", "session/load", "session/resume", "session/fork"] {
            id += 1;
            let mut params = params.clone();
            params["sessionId"] = json!("s");
            between.client_says(asks(id, method, &params));
            let answer = between.client_hears_json();
            assert_eq!(answer["id"], id, "{answer}");
            assert!(answer["error"]["message"].is_string(), "{method} {params}: {answer}");
        }
    }
    between.agent_heard_nothing_else();
}

#[test]
fn a_client_may_send_large_buffers_and_not_endless_ones() {
    let mut between = Between::start(&[]);
    between.begin(true);
    let path = between.scene.at("a.txt");
    let asked = asks(5, "fs/read_text_file", &json!({ "sessionId": "s", "path": path }));
    between.agent_says(&asked);
    assert_eq!(between.client_hears_json()["id"], 5);
    let large = format!("{{\"id\":5,\"result\":{{\"content\":\"{}\"}}}}\n", "x".repeat(20 << 20));
    between.client_says(&large);
    assert!(between.agent_hears() == large.as_bytes(), "it is another");
    between.agent_says(&asked);
    assert_eq!(between.client_hears_json()["id"], 5);
    let endless = format!("{{\"id\":5,\"result\":{{\"content\":\"{}\"}}}}\n", "x".repeat(70 << 20));
    between.client_says(endless);
    let answer = between.agent_hears_json();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(5), &json!(-32_600)));
    assert_eq!(between.client_hears_json()["id"], Value::Null);
    between.agent_heard_nothing_else();
}
