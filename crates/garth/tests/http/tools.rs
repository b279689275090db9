//! The tools of a workspace, each at its address, with the fields that it documents.

use std::process::Command;

use serde_json::{Value, json};

use crate::gateway::Gateway;

#[test]
fn files_are_written_read_edited_found_and_searched() {
    let gateway = Gateway::start();
    let content = "export const port = 3000;\nexport const host = \"a\";\n";
    let sent = json!({"file_path": "/workspace/src/new/server.ts", "content": content});
    gateway.told("write", &sent);
    let path = json!({"file_path": "/workspace/src/new/server.ts"});
    let read = gateway.told("read", &path);
    assert_eq!(read["content"], "1: export const port = 3000;\n2: export const host = \"a\";");
    let part = json!({"file_path": "src/new/server.ts", "offset": 2, "limit": 1});
    assert_eq!(gateway.told("read", &part)["content"], "2: export const host = \"a\";");
    let edit =
        json!({"file_path": "src/new/server.ts", "old_string": "3000", "new_string": "8080"});
    let edited = gateway.told("edit", &edit);
    assert_eq!((&edited["replacements"], &edited["lines_changed"]), (&json!(1), &json!(1)));
    let found = gateway.told("glob", &json!({"pattern": "**/*.ts", "path": "/workspace/src"}));
    assert_eq!(found["files"][0]["path"], "src/new/server.ts", "{found}");
    let none = gateway.told("glob", &json!({"pattern": "**/*.go"}));
    assert_eq!(none["files"], json!([]));
    let search = json!({"pattern": "port\\s+=", "path": "/workspace", "include": "*.ts"});
    let matches = gateway.told("grep", &search);
    assert!(matches.to_string().contains("src/new/server.ts"), "{matches}");
    let listed = gateway.told("read", &json!({"file_path": "/workspace/src"}));
    assert!(listed["content"].as_str().unwrap().contains("new/"), "{listed}");
}

#[test]
fn what_cannot_be_edited_is_refused_with_the_words_that_clients_look_for() {
    let gateway = Gateway::start();
    gateway.told("write", &json!({"file_path": "a.txt", "content": "one\none\n"}));
    let edit = |old: &str| json!({"file_path": "a.txt", "old_string": old, "new_string": "two"});
    let missing = gateway.tool("edit", &edit("three"));
    assert_eq!(missing.refusal(), (422, "TEXT_NOT_FOUND".to_owned()));
    let message = missing.value()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("oldString not found in content"), "{message}");
    let twice = gateway.tool("edit", &edit("one"));
    assert_eq!(twice.refusal(), (422, "AMBIGUOUS_MATCH".to_owned()));
    let message = twice.value()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("Found multiple matches for oldString"), "{message}");
    let all = json!({
        "file_path": "a.txt", "old_string": "one", "new_string": "two", "replace_all": true,
    });
    assert_eq!(gateway.told("edit", &all)["replacements"], 2);
    let gone = gateway.tool("read", &json!({"file_path": "gone.txt"}));
    assert_eq!(gone.refusal(), (404, "FILE_NOT_FOUND".to_owned()));
}

#[test]
fn a_command_tells_all_of_it_and_a_failing_one_is_no_error() {
    let gateway = Gateway::start();
    if !gateway.runs_commands() {
        return;
    }
    gateway.told("write", &json!({"file_path": "sub/x", "content": ""}));
    let command = "pwd; echo oops >&2; exit 3";
    let ran = gateway.told("bash", &json!({"command": command, "workdir": "/workspace/sub"}));
    assert_eq!(ran["stderr"], "oops\n");
    assert_eq!(ran["exit_code"], 3);
    assert!(ran["stdout"].as_str().unwrap().ends_with("/sub\n"), "{ran}");
    assert!(ran["duration_ms"].is_u64(), "{ran}");
    let long = "head -c 200000 /dev/zero | tr '\\0' 'x'";
    let cut = gateway.told("bash", &json!({"command": long}));
    assert_eq!((&cut["truncated"], &cut["stdout_bytes"]), (&json!(true), &json!(200_000)));
    assert!(cut["stdout"].as_str().unwrap().len() < 60_000);
    let late = json!({"command": "echo begun; sleep 600", "timeout_ms": 300});
    let late = gateway.tool("bash", &late);
    assert_eq!(late.refusal(), (408, "COMMAND_TIMEOUT".to_owned()));
    assert_eq!(late.value()["error"]["details"]["stdout"], "begun\n");
}

#[test]
fn a_commit_is_on_record_with_its_branch_and_both_ids() {
    let gateway = Gateway::start();
    if !gateway.runs_commands() {
        return;
    }
    gateway.told("git", &json!({"action": "init"}));
    gateway.told("write", &json!({"file_path": "a.txt", "content": "one\n"}));
    let commit = |message: &str| {
        let sent = json!({"action": "commit", "message": message, "files": ["/workspace/a.txt"]});
        gateway.told("git", &sent)["commit"].as_str().unwrap().to_owned()
    };
    let first = commit("fix: the words of a message");
    gateway.told("write", &json!({"file_path": "a.txt", "content": "two\n"}));
    let second = commit("fix: more");
    let status = gateway.told("git", &json!({"action": "status"}));
    assert_eq!((&status["commit"], &status["clean"]), (&json!(second), &json!(true)));
    let refused = gateway.tool("git", &json!({"action": "push"}));
    assert_eq!(refused.refusal(), (501, "UNSUPPORTED".to_owned()));
    let asked = gateway.ask("POST", "/v1/rpc/audit.list");
    let listed = asked.json(&json!({"operation": "git"})).send().value();
    let records = listed["records"].as_array().unwrap();
    let mut summaries = records.iter().map(|record| record["summary"].as_str().unwrap());
    let summary = summaries
        .find(|summary| summary.contains("git commit") && summary.contains(&second))
        .unwrap_or_else(|| panic!("{listed}"));
    assert!(summary.ends_with(&format!("main {first}..{second}")), "{summary}");
    assert!(!listed.to_string().contains("the words of a message"), "{listed}");
    let codes: Vec<_> = records.iter().map(|record| record["outcome"].as_str().unwrap()).collect();
    assert!(codes.contains(&"UNSUPPORTED"), "{codes:?}");
}

#[test]
fn every_tool_has_an_address() {
    let gateway = Gateway::start();
    for tool in garth_ops::workspace::DIALECT.tools {
        let reply = gateway.tool(tool.name, &json!({"there is no such parameter": 1}));
        let (_, code) = match reply.status {
            200 => continue,
            _ => reply.refusal(),
        };
        assert_eq!(code, "INVALID_PARAMS", "{}", tool.name);
    }
}

#[test]
fn methods_of_the_websocket_are_plain_requests_too() {
    let gateway = Gateway::start();
    gateway.told("write", &json!({"file_path": "a.txt", "content": "one\n"}));
    let rpc = |method: &str, params: &Value| {
        gateway.ask("POST", &format!("/v1/rpc/{method}")).json(params).send()
    };
    let read = rpc("worktree.read", &json!({"agentId": "default", "path": "a.txt"}));
    assert_eq!((read.status, &read.value()["content"]), (200, &json!("one\n")));
    let listed = rpc("agents.list", &json!({}));
    assert_eq!(listed.value()["agents"][0]["id"], "default");
    let nobody = rpc("worktree.read", &json!({"path": "a.txt"}));
    assert_eq!(nobody.refusal(), (400, "INVALID_PARAMS".to_owned()));
    let unknown = rpc("worktree.nothing", &json!({"agentId": "default"}));
    assert_eq!(unknown.refusal(), (404, "UNKNOWN_METHOD".to_owned()));
    let bytes = rpc("files.get", &json!({"agentId": "default", "path": "a.txt"}));
    assert_eq!(bytes.refusal(), (501, "UNSUPPORTED".to_owned()));
}

#[test]
fn curl_does_what_the_first_lines_of_the_gateway_say() {
    let gateway = Gateway::start();
    let url = format!("http://{}/v1/workspaces/default/write", gateway.address);
    let token = format!("Authorization: Bearer {}", gateway.operator);
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--max-time", "60", "--noproxy", "*"]);
    curl.args(["-H", &token, "-H", "Content-Type: application/json", "-d"]);
    curl.args([r#"{"file_path": "a.txt", "content": "from curl\n"}"#, &url]);
    let Ok(output) = curl.output() else {
        println!("skipped: curl is not installed");
        return;
    };
    assert!(output.status.success(), "{output:?}");
    let file = std::fs::read_to_string(gateway.directory("default").join("a.txt")).unwrap();
    assert_eq!(file, "from curl\n");
}
