//! What changed in a file since it had a version that was told.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};

use crate::{client::Client, server::Server};

const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";

fn about(path: &str) -> Value {
    json!({"agentId": "bird", "path": path})
}

fn written(client: &mut Client, path: &str, content: &str) -> Value {
    let mut params = about(path);
    params["content"] = content.into();
    client.ok("worktree.write", params)["version"].clone()
}

fn since(client: &mut Client, path: &str, version: &Value) -> Value {
    let mut params = about(path);
    params["version"] = version.clone();
    client.call("worktree.diff", params)
}

/// The lines of a diff that say what changed.
fn changed(reply: &Value) -> Vec<&str> {
    assert_eq!(reply["ok"], true, "{reply}");
    let lines = reply["payload"]["diff"].as_str().unwrap().lines().skip(2);
    lines.filter(|line| line.starts_with(['-', '+'])).collect()
}

#[test]
fn a_file_is_compared_with_what_it_held_when_it_was_written_read_or_edited() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let first = written(&mut client, "a", "one\ntwo\n");
    let edits = json!([{"oldText": "two", "newText": "three"}]);
    let edited = json!({"agentId": "bird", "path": "a", "edits": edits});
    let second = client.ok("worktree.edit", edited)["version"].clone();
    // By another program, which is known once somebody read it.
    fs::write(server.files("bird").join("a"), "one\nfour\n").unwrap();
    let third = client.ok("worktree.read", about("a"))["version"].clone();
    fs::write(server.files("bird").join("a"), "five\n").unwrap();
    let reply = since(&mut client, "a", &first);
    assert_eq!(changed(&reply), ["-one", "-two", "+five"]);
    let payload = &reply["payload"];
    assert_eq!((&payload["fromVersion"], &payload["identical"]), (&first, &json!(false)));
    assert_eq!((&payload["fromPath"], &payload["toPath"]), (&json!("a"), &json!("a")));
    assert_eq!(changed(&since(&mut client, "a", &second)), ["-one", "-three", "+five"]);
    assert_eq!(changed(&since(&mut client, "a", &third)), ["-one", "-four", "+five"]);
    // What it holds now needs not be kept.
    let now = client.ok("worktree.read", about("a"))["version"].clone();
    assert_eq!(since(&mut client, "a", &now)["payload"]["identical"], true);
    let mut json = about("a");
    (json["version"], json["format"]) = (first, "json".into());
    let hunks = client.ok("worktree.diff", json)["hunks"].clone();
    assert_eq!(hunks.as_array().unwrap().len(), 1, "{hunks}");
}

#[test]
fn a_version_that_is_not_kept_is_said_to_be_so() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let version = written(&mut client, "a", "one\n");
    let other = written(&mut client, "b", "two\n");
    let binary = written(&mut client, "c", "\u{0}one");
    let large = written(&mut client, "d", &"x\n".repeat(600_000));
    for path in ["a", "b", "c", "d"] {
        written(&mut client, path, "new\n");
    }
    assert_eq!(since(&mut client, "a", &version)["ok"], true);
    for (path, version) in [("a", &other), ("b", &version), ("c", &binary), ("d", &large)] {
        let reply = since(&mut client, path, version);
        assert_eq!(reply["error"]["code"], "FILE_NOT_FOUND", "{path}: {reply}");
        let hint = reply["error"]["details"]["hint"].as_str().unwrap();
        assert!(hint.contains("Send the earlier text as content"), "{hint}");
    }
    assert_eq!(since(&mut client, "a", &json!("nonsense"))["error"]["code"], "INVALID_PARAMS");
}

#[test]
fn what_is_kept_lies_outside_of_the_workspace_outlives_a_restart_and_goes_with_the_agent() {
    let mut server = Server::start();
    let token = server.agent_token("bird");
    let version = written(&mut server.client(&token), "a", "one\n");
    written(&mut server.client(&token), "a", "two\n");
    // Whoever asks hears of all that was to be kept before.
    assert_eq!(changed(&since(&mut server.client(&token), "a", &version)), ["-one", "+two"]);
    assert_eq!(server.ended(), Some(0));
    server.start_again();
    assert_eq!(changed(&since(&mut server.client(&token), "a", &version)), ["-one", "+two"]);
    let place = server.data().join("versions/bird");
    let below = fs::read_dir(&place).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::metadata(&below).unwrap().permissions().mode() & 0o777, 0o700);
    for file in fs::read_dir(&below).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let listed = json!({"agentId": "bird", "recursive": true, "includeHidden": true});
    let listed = server.client(&token).ok("worktree.list", listed);
    assert_eq!(listed["entries"].as_array().unwrap().len(), 1, "{listed}");
    server.operator().ok("agents.delete", json!({"agentId": "bird"}));
    assert!(!place.exists());
    // One of the same name, on the same files, begins with nothing.
    let mut anew = server.agent("bird");
    let reply = since(&mut anew, "a", &version);
    assert_eq!(reply["error"]["code"], "FILE_NOT_FOUND", "{reply}");
}

#[test]
fn what_is_packed_is_not_kept_since_nobody_is_told_its_version() {
    let server = Server::start();
    let token = server.agent_token("bird");
    let version = written(&mut server.client(&token), "a", "one\n");
    written(&mut server.client(&token), "a", "two\n");
    for name in ["b", "c", "d"] {
        fs::write(server.files("bird").join(name), name).unwrap();
    }
    let kept = || {
        // Whoever asks hears of all that was to be kept before.
        assert_eq!(changed(&since(&mut server.client(&token), "a", &version)), ["-one", "+two"]);
        let place = server.data().join("versions/bird");
        let below = fs::read_dir(&place).unwrap().next().unwrap().unwrap().path();
        fs::read_dir(below).unwrap().count()
    };
    let before = kept();
    for format in ["tar", "tar.zst", "zip"] {
        for redact in [true, false] {
            let mut operator = server.operator();
            let params = json!({"agentId": "bird", "format": format, "redact": redact});
            operator.ok("worktree.archive", params);
            let end = operator.event("worktree.archive.end");
            assert_eq!(end["summary"]["files"], 4, "{end}");
        }
    }
    assert_eq!(kept(), before);
    server.client(&token).ok("worktree.read", about("b"));
    assert_eq!(kept(), before + 1, "what is read is told of");
}

#[test]
fn secrets_of_what_was_are_shown_as_placeholders() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let settings = json!({"redaction": {"excludePaths": ["README.md"]}});
    let mut operator = server.operator();
    operator.ok("agents.update", json!({"agentId": "bird", "settings": settings}));
    let version = written(&mut client, "env", &format!("token = \"{SECRET}\"\n"));
    written(&mut client, "env", "token = \"\"\n");
    let reply = since(&mut client, "env", &version);
    assert_eq!(changed(&reply), ["-token = \"[REDACTED: GITHUB_TOKEN]\"", "+token = \"\""]);
    assert_eq!(reply["payload"]["redacted"], true);
    assert!(!reply.to_string().contains(SECRET));
    // Nor by the rules of another path.
    written(&mut client, "README.md", "nothing\n");
    let reply = since(&mut client, "README.md", &version);
    assert_eq!(reply["error"]["code"], "FILE_NOT_FOUND", "{reply}");
    // What may not be read now may not be compared either.
    let settings = json!({"deny": ["env"]});
    operator.ok("agents.update", json!({"agentId": "bird", "settings": settings}));
    let reply = since(&mut client, "env", &version);
    assert_eq!(reply["error"]["code"], "PERMISSION_DENIED", "{reply}");
}

#[test]
fn the_oldest_of_all_agents_goes_when_the_operator_s_bound_is_reached() {
    // Two contents, of which each takes a block.
    let server = Server::set_up("[versions]\nkeep_bytes = \"8KiB\"\n", &[]);
    let mut operator = server.operator();
    let mut write = |agent: &str, content: &str| {
        let params = json!({"agentId": agent, "path": "a", "content": content});
        operator.ok("worktree.write", params)["version"].clone()
    };
    let [bird, fish] = ["bird", "fish"].map(|agent| {
        server.agent_token(agent);
        [write(agent, "one\n"), write(agent, "two\n")]
    });
    let mut found = |agent: &str, version: &Value| {
        let params = json!({"agentId": agent, "path": "a", "version": version});
        operator.call("worktree.diff", params)["ok"] == true
    };
    assert!(!found("bird", &bird[0]));
    assert!(found("fish", &fish[0]));
    assert!(found("fish", &fish[1]));
}
