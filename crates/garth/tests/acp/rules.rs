//! What the person who starts `garth acp` allows, and what an agent gets from the workspace.

use serde_json::{Value, json};

use crate::{
    between::Between,
    run::{bounded, printed},
};

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
fn a_read_only_workspace_is_not_written_through_the_client_either() {
    let mut between = Between::start(&["--read-only"]);
    let told = between.begin(true);
    // What the client can do is the client's to say.
    assert_eq!(told["params"]["clientCapabilities"]["fs"]["writeTextFile"], true);
    let params = json!({ "sessionId": "s", "path": between.scene.at("a.txt"), "content": "x" });
    let answer = answered(&mut between, "fs/write_text_file", &params);
    assert_eq!(answer["error"]["data"]["code"], "READ_ONLY", "{answer}");
    between.client_heard_nothing_else();
    assert_eq!(std::fs::read_to_string(between.scene.at("a.txt")).unwrap(), "saved\n");
}

#[test]
fn a_read_only_workspace_offers_no_writes() {
    let mut between = Between::start(&["--read-only", "--no-exec"]);
    let told = between.begin(false);
    let can = json!({ "fs": { "readTextFile": true, "writeTextFile": false }, "terminal": false });
    assert_eq!(told["params"]["clientCapabilities"], can);
}

#[test]
fn what_is_hidden_or_protected_stays_so_on_both_ways() {
    for offers in [true, false] {
        let mut between =
            Between::start(&["--deny", "**/.env", "--protect", "*.lock", "--no-exec"]);
        for name in [".env", "a.lock"] {
            std::fs::write(between.scene.at(name), "before").unwrap();
        }
        between.begin(offers);
        let path = between.scene.at(".env");
        let answer =
            answered(&mut between, "fs/read_text_file", &json!({ "sessionId": "s", "path": path }));
        assert_eq!(answer["error"]["data"]["code"], "PERMISSION_DENIED", "{offers} {answer}");
        for name in [".env", "a.lock"] {
            let path = between.scene.at(name);
            let params = json!({ "sessionId": "s", "path": path, "content": "after" });
            let answer = answered(&mut between, "fs/write_text_file", &params);
            assert_eq!(answer["error"]["data"]["code"], "PERMISSION_DENIED", "{offers} {answer}");
            assert_eq!(std::fs::read_to_string(path).unwrap(), "before");
        }
        between.client_heard_nothing_else();
    }
}

#[test]
fn what_is_hidden_is_not_made_through_the_client() {
    let mut between = Between::start(&["--deny", "**/.env", "--no-exec"]);
    between.begin(true);
    let path = between.scene.at("sub/.env");
    let params = json!({ "sessionId": "s", "path": path, "content": "x" });
    let answer = answered(&mut between, "fs/write_text_file", &params);
    assert_eq!(answer["error"]["data"]["code"], "PERMISSION_DENIED", "{answer}");
    between.client_heard_nothing_else();
}

#[test]
fn the_server_of_a_session_has_the_same_rules() {
    let mut between = Between::start(&["--read-only", "--deny", "**/.env"]);
    between.begin(true);
    let root = between.scene.root.to_str().unwrap().to_owned();
    let own = json!({ "name": "garth", "command": "other", "args": [], "env": [] });
    let params = json!({ "cwd": root, "mcpServers": [own], "_x": { "y": 1 } });
    between.client_says(asks(3, "session/new", &params));
    let told = between.agent_hears_json();
    let servers = told["params"]["mcpServers"].as_array().unwrap();
    assert_eq!(servers.len(), 2);
    assert_eq!((&servers[0]["command"], &servers[1]["name"]), (&json!("other"), &json!("garth-2")));
    let arguments = json!(["mcp", "--read-only", "--deny", "**/.env", root]);
    assert_eq!(servers[1]["args"], arguments);
    assert_eq!(told["params"]["_x"]["y"], 1);
    // It is a server that answers.
    let mut server = bounded(std::path::Path::new(servers[1]["command"].as_str().unwrap()));
    for word in servers[1]["args"].as_array().unwrap() {
        server.arg(word.as_str().unwrap());
    }
    server.stdin(std::process::Stdio::null());
    printed(&mut server);
}

#[test]
fn secrets_are_shown_as_placeholders_and_put_back() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let mut between = Between::start(&[]);
    let path = between.scene.at("config.txt");
    std::fs::write(&path, format!("one\ntoken = \"{secret}\"\nthree\n")).unwrap();
    between.begin(false);
    let all = json!({ "sessionId": "s", "path": path });
    let answer = answered(&mut between, "fs/read_text_file", &all);
    let shown = answer["result"]["content"].as_str().unwrap().to_owned();
    assert!(shown.contains("[REDACTED") && !shown.contains(secret), "{shown}");
    let one = json!({ "sessionId": "s", "path": path, "line": 3, "limit": 1 });
    let answer = answered(&mut between, "fs/read_text_file", &one);
    assert_eq!(answer["result"]["content"], "three\n");
    let params = json!({ "sessionId": "s", "path": path, "content": shown.replace("three", "3") });
    let answer = answered(&mut between, "fs/write_text_file", &params);
    assert_eq!(answer["result"], json!({}), "{answer}");
    let now = std::fs::read_to_string(&path).unwrap();
    assert_eq!(now, format!("one\ntoken = \"{secret}\"\n3\n"));
    // A command line is recorded without them, and its output shown so.
    let params = json!({
        "sessionId": "s", "command": format!("echo token={secret}; cat config.txt"),
    });
    let made = answered(&mut between, "terminal/create", &params);
    let terminal = json!({ "sessionId": "s", "terminalId": made["result"]["terminalId"] });
    let ended = answered(&mut between, "terminal/wait_for_exit", &terminal);
    assert_eq!(ended["result"]["exitCode"], 0, "{made} {ended}");
    let shown = answered(&mut between, "terminal/output", &terminal);
    let text = shown["result"]["output"].as_str().unwrap();
    assert!(text.contains("one\n") && !text.contains(secret), "{text}");
    // Another session has no such terminal, and a released one is gone.
    let other = json!({ "sessionId": "t", "terminalId": made["result"]["terminalId"] });
    assert!(answered(&mut between, "terminal/output", &other)["error"].is_object());
    assert!(answered(&mut between, "terminal/release", &terminal)["result"].is_object());
    assert!(answered(&mut between, "terminal/output", &terminal)["error"].is_object());
    between.client_leaves();
    between.ends();
    let records = format!("{:?}", between.scene.recorded());
    assert!(records.contains("acp:terminal/create") && !records.contains(secret), "{records}");
}

#[test]
fn output_is_cut_at_its_beginning() {
    let mut between = Between::start(&[]);
    between.begin(false);
    let params = json!({
        "sessionId": "s", "command": "seq", "args": ["1", "1000"], "outputByteLimit": 10,
    });
    let made = answered(&mut between, "terminal/create", &params);
    let terminal = json!({ "sessionId": "s", "terminalId": made["result"]["terminalId"] });
    answered(&mut between, "terminal/wait_for_exit", &terminal);
    let shown = answered(&mut between, "terminal/output", &terminal);
    let expected = json!({
        "output": "\n999\n1000\n", "truncated": true, "exitStatus": { "exitCode": 0, "signal": null },
    });
    assert_eq!(shown["result"], expected);
}
