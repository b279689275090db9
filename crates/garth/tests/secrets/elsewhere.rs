//! The ways out that take time: background output, terminals, changes as they happen, archives;
//! and what a configuration does that holds back, or that cannot be used.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{
    client::Client,
    planted::Planted,
    server::{Server, until},
};

const AGENT: &str = "bird";
const SECRET: &str = concat!("gh", "p_XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg");

/// A gateway with the planted text in a file of an agent.
fn planted() -> (Planted, Server, Client) {
    let planted = Planted::new();
    let server = Server::start();
    let client = server.agent(AGENT);
    fs::write(server.files(AGENT).join("notes.txt"), &planted.text).unwrap();
    (planted, server, client)
}

/// Whether a call failed because no command can be run here.
fn no_sandbox(reply: &Value) -> bool {
    let none = reply["error"]["code"] == "PROVIDER_UNAVAILABLE";
    if none {
        println!("skipped: no sandbox can be made here");
    }
    none
}

#[test]
fn what_a_command_prints_in_the_background_is_redacted() {
    let (planted, _server, mut client) = planted();
    let command = "cat notes.txt; cat notes.txt >&2; echo all of it";
    let started =
        client.call("bash", json!({"agentId": AGENT, "command": command, "background": true}));
    if no_sandbox(&started) {
        return;
    }
    let id = started["payload"]["id"].clone();
    let mut all = String::new();
    until("the command is done", || {
        let ask = json!({"agentId": AGENT, "id": id, "tail": 500_000, "limit": 500_000});
        all = client.ok("output", ask).to_string();
        all.contains("all of it")
    });
    assert!(all.contains("[REDACTED: "), "{all}");
    planted.is_nowhere_in("output", &all);
    planted.is_nowhere_in("ps", &client.ok("ps", json!({"agentId": AGENT})).to_string());
}

#[test]
fn what_a_terminal_shows_is_redacted() {
    let (planted, _server, mut client) = planted();
    let opened = client.call("terminal.open", json!({"agentId": AGENT, "cols": 200, "rows": 50}));
    if no_sandbox(&opened) {
        return;
    }
    let session = opened["payload"]["sessionId"].clone();
    let typed = json!({"sessionId": session, "data": "cat notes.txt; echo e$((40+2))d\r"});
    client.ok("terminal.input", typed);
    let mut all = String::new();
    while !all.contains("e42d") {
        let told = client.wait_for("output", |frame| frame["event"] == "terminal.data");
        all.push_str(told["payload"]["data"].as_str().unwrap());
    }
    assert!(all.contains("[REDACTED: "), "{all}");
    planted.is_nowhere_in("terminal.data", &all.replace("\r\n", "\n"));
}

#[test]
fn changes_tell_names_and_no_text() {
    let (planted, server, mut client) = planted();
    client.ok("worktree.watch", json!({"agentId": AGENT, "path": "", "recursive": true}));
    fs::write(server.files(AGENT).join("more.txt"), &planted.text).unwrap();
    let event = client.event("worktree.changed");
    assert_eq!(event["path"], "more.txt");
    planted.is_nowhere_in("worktree.changed", &event.to_string());
}

#[test]
fn an_archive_holds_placeholders() {
    let (planted, _server, mut client) = planted();
    client.ok("worktree.archive", json!({"agentId": AGENT, "path": "", "format": "tar"}));
    let mut bytes = Vec::new();
    loop {
        let event = client.wait_for("a piece", |frame| {
            frame["event"].as_str().unwrap_or_default().starts_with("worktree.archive.")
        });
        if event["event"] == "worktree.archive.end" {
            assert_eq!(event["payload"]["ok"], true, "{event}");
            break;
        }
        bytes.extend(STANDARD.decode(event["payload"]["content"].as_str().unwrap()).unwrap());
    }
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("[REDACTED: "), "{} bytes", bytes.len());
    planted.is_nowhere_in("worktree.archive", &text);
}

#[test]
fn a_file_that_is_held_back_is_told_by_rule_and_line() {
    let server = Server::start();
    let mut client = server.agent(AGENT);
    fs::write(server.files(AGENT).join("env"), format!("a = 1\nb = \"{SECRET}\"\n")).unwrap();
    let settings = json!({"redaction": {"defaultBehavior": "block"}});
    server.operator().ok("agents.update", json!({"agentId": AGENT, "settings": settings}));
    let calls = [
        ("worktree.read", json!({"path": "env"})),
        ("worktree.search", json!({"query": "b"})),
        ("worktree.diff", json!({"fromPath": "env", "toPath": "env"})),
        ("read", json!({"path": "env"})),
        ("grep", json!({"pattern": "b"})),
    ];
    for (method, mut params) in calls {
        params["agentId"] = AGENT.into();
        let reply = client.call(method, params).to_string();
        assert!(!reply.contains(SECRET), "{method}: {reply}");
        if method.ends_with("read") {
            assert!(reply.contains("GITHUB_TOKEN on line 2"), "{method}: {reply}");
        }
    }
}

#[test]
fn a_configuration_that_cannot_be_used_leaves_the_old_one_in_force() {
    let server = Server::start();
    let mut client = server.agent(AGENT);
    let text = format!("a = \"{SECRET}\"\nbadge-12345\n");
    fs::write(server.files(AGENT).join("env"), text).unwrap();
    let mut operator = server.operator();
    let mut set = |redaction: Value| {
        let settings = json!({"redaction": redaction});
        operator.call("agents.update", json!({"agentId": AGENT, "settings": settings}))
    };
    let rule = |regex: &str| json!({"customPatterns": [{"name": "BADGE", "regex": regex}]});
    let mut shown = || {
        let read = client.ok("worktree.read", json!({"agentId": AGENT, "path": "env"}));
        read["content"].as_str().unwrap().to_owned()
    };
    let token = "a = \"[REDACTED: GITHUB_TOKEN]\"\n";
    assert_eq!(set(rule("badge-\\d+"))["ok"], true);
    assert_eq!(shown(), format!("{token}[REDACTED: BADGE]\n"));
    for bad in ["badge-(\\d+", "b*", ".+"] {
        let reply = set(rule(bad));
        assert_eq!(reply["error"]["code"], "INVALID_PATTERN", "{bad}: {reply}");
        assert!(!reply.to_string().contains(SECRET));
    }
    assert_eq!(set(json!({"excludePaths": ["a["]}))["ok"], false);
    assert_eq!(set(json!({"defaultBehavior": "hide"}))["ok"], false);
    assert_eq!(shown(), format!("{token}[REDACTED: BADGE]\n"), "the old one is in force");
    assert_eq!(set(json!({}))["ok"], true);
    assert_eq!(shown(), format!("{token}badge-12345\n"), "the new one is at once");
}
