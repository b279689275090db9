//! A script of calls about one agent, and everything that was answered to them: what can
//! be compared between places for commands.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{
    client::Client,
    gateway::{Gateway, eventually},
};

/// What must be told nowhere.
pub(crate) const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";

/// Everything that was answered to one agent, in order.
pub(crate) struct Script<'a> {
    gateway: &'a Gateway<'a>,
    pub(crate) client: Client,
    agent: &'a str,
    pub(crate) told: Vec<(String, Value)>,
}

impl Script<'_> {
    /// Calls a method over the WebSocket.
    fn rpc(&mut self, method: &str, mut params: Value) -> Value {
        params["agentId"] = json!(self.agent);
        let mut reply = self.client.call(method, params);
        reply["id"].take();
        self.note(method, reply.clone());
        reply["payload"].take()
    }

    /// Calls a tool over HTTP.
    fn tool(&mut self, name: &str, params: Value) -> Value {
        let reply = self.gateway.tool(self.agent, name, &params);
        let value = reply.value();
        self.note(&format!("{name} {params}"), json!({"status": reply.status, "body": value}));
        value
    }

    fn note(&mut self, what: &str, mut reply: Value) {
        blank(&mut reply);
        let text = reply.to_string().replace(self.agent, "AGENT");
        self.told.push((what.to_owned(), serde_json::from_str(&text).unwrap()));
    }
}

/// Takes out what is another at every call.
fn blank(value: &mut Value) {
    const OTHER: [&str; 12] = [
        "modifiedAt",
        "mtime",
        "duration_ms",
        "age_ms",
        "watchId",
        "sessionId",
        "uploadId",
        "archiveId",
        "state",
        "modified",
        "modified_at",
        "started",
    ];
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| {
            if OTHER.contains(&&**name) && !value.is_null() {
                *value = json!("…");
            }
            blank(value);
        }),
        Value::Array(items) => items.iter_mut().for_each(blank),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn files(script: &mut Script<'_>) {
    script.rpc("worktree.write", json!({"path": "a.txt", "content": "one\ntwo\n"}));
    script.rpc("worktree.mkdir", json!({"path": "src/deep"}));
    let secret = format!("TOKEN={SECRET}\n");
    script.rpc("worktree.write", json!({"path": "src/settings", "content": secret}));
    script.rpc("worktree.read", json!({"path": "src/settings"}));
    script.rpc("worktree.stat", json!({"path": "a.txt"}));
    let edits = json!([{"oldText": "two", "newText": "three"}]);
    script.rpc("worktree.edit", json!({"path": "a.txt", "edits": edits}));
    script.rpc("worktree.list", json!({"recursive": true}));
    script.rpc("worktree.search", json!({"query": "three"}));
    script.rpc("worktree.diff", json!({"path": "a.txt", "content": "one\n"}));
    script.rpc("worktree.move", json!({"fromPath": "a.txt", "toPath": "src/b.txt"}));
    script.rpc("worktree.read", json!({"path": "../out"}));
    script.rpc("worktree.delete", json!({"path": "gone"}));
    script.tool("write", json!({"file_path": "/workspace/c.rs", "content": "fn main() {}\n"}));
    script.tool("read", json!({"file_path": "c.rs"}));
    script.tool("edit", json!({"file_path": "c.rs", "old_string": "main", "new_string": "start"}));
    script.tool("glob", json!({"pattern": "**/*.rs"}));
    script.tool("grep", json!({"pattern": "start", "output": "content"}));
}

fn commands(script: &mut Script<'_>) {
    for command in [
        "cat c.rs; pwd; echo oops >&2; exit 3",
        "echo made inside > inside.txt; mkdir -p sub; ls; umask",
        "cat src/settings",
        "kill -9 $$",
        "printf 'a\\0b\\377'; printf 'ü✓' >&2",
        "head -c 200000 /dev/zero | tr '\\0' x",
        "echo $HOME $USER $LANG $PATH; cd /tmp && pwd",
        "no-such-program",
    ] {
        script.tool("bash", json!({ "command": command }));
    }
    script.tool("bash", json!({"command": "pwd", "workdir": "/workspace/sub"}));
    script.tool("bash", json!({"command": "pwd", "workdir": "nowhere"}));
    script.tool("bash", json!({"command": "pwd", "workdir": "c.rs"}));
    script.tool("bash", json!({"command": "pwd", "workdir": "/etc"}));
    script.tool("bash", json!({"command": "cat; echo $A", "stdin": "typed\n", "env": {"A": "b"}}));
    script.tool("bash", json!({"command": "echo begun; sleep 600", "timeout_ms": 1000}));
    script.tool("read", json!({"file_path": "inside.txt"}));
}

fn background(script: &mut Script<'_>) {
    let started = script.tool("bash", json!({"command": "cat; exit 7", "background": true}));
    let id = started["id"].clone();
    assert!(id.is_string(), "{started}");
    script.tool("input", json!({"id": id, "text": "hello\n", "close": true}));
    let (gateway, agent) = (script.gateway, script.agent);
    eventually("it ends", || {
        let told = gateway.told(agent, "output", &json!({"id": id, "wait_ms": 1000}));
        told["running"] == false
    });
    script.tool("output", json!({"id": id}));
    let started = script.tool("bash", json!({"command": "exec sleep 1000", "background": true}));
    script.tool("kill", json!({"id": started["id"]}));
    script.tool("ps", json!({}));
    script.tool("output", json!({"id": "p999"}));
}

/// A terminal: what is printed in it, without the secrets.
pub(crate) fn terminal(script: &mut Script<'_>) {
    let command = "stty size; cat src/settings; read line; echo got $line; echo end";
    let params = json!({"cols": 90, "rows": 20, "command": command});
    let session = script.rpc("terminal.open", params)["sessionId"].clone();
    assert!(session.is_string(), "{:?}", script.told.last());
    let mut printed = String::new();
    let read = |script: &mut Script<'_>, printed: &mut String, until: &str| {
        while !printed.contains(until) {
            let frame = script.client.wait_for("output", |frame| {
                frame["event"] == "terminal.data" && frame["payload"]["sessionId"] == session
            });
            printed.push_str(frame["payload"]["data"].as_str().unwrap());
        }
    };
    read(script, &mut printed, "TOKEN");
    script.rpc("terminal.resize", json!({"sessionId": session, "cols": 70, "rows": 30}));
    script.rpc("terminal.input", json!({"sessionId": session, "data": "word\r"}));
    read(script, &mut printed, "end\r\n");
    let exit = script.client.event("terminal.exit");
    script.note("terminal.exit", exit);
    script.note("printed", json!(printed));
}

/// A change that a command makes is told to who watches.
fn watch(script: &mut Script<'_>) {
    script.rpc("worktree.watch", json!({"path": "sub"}));
    script.tool("bash", json!({"command": "echo x > sub/fresh"}));
    let event = script.client.wait_for("a change", |frame| {
        frame["event"] == "worktree.changed" && frame["payload"]["path"] == "sub/fresh"
    });
    script.note("changed", event["payload"]["path"].clone());
}

/// Files go up, are seen by commands, and come down, one by one and as a tree.
fn transfers(script: &mut Script<'_>) {
    let bytes: Vec<u8> = (0..100_000_u32).map(|n| (n >> 3).to_le_bytes()[0]).collect();
    let upload = script.rpc("worktree.upload.begin", json!({"path": "sub/up.bin"}));
    let upload = upload["uploadId"].clone();
    let content = STANDARD.encode(&bytes);
    let chunk = json!({"uploadId": upload, "offset": 0, "content": content});
    script.rpc("worktree.upload.chunk", chunk);
    script.rpc("worktree.upload.commit", json!({ "uploadId": upload }));
    script.tool("bash", json!({"command": "wc -c < sub/up.bin; cksum < sub/up.bin"}));
    script.rpc("worktree.download", json!({"path": "sub/up.bin", "offset": 5, "length": 50}));
    let begun = script.rpc("worktree.archive", json!({"path": "sub", "format": "tar"}));
    let mut tar = Vec::new();
    let end = loop {
        let event = script.client.wait_for("a piece", |frame| {
            let name = frame["event"].as_str().unwrap_or_default();
            name.starts_with("worktree.archive.")
                && frame["payload"]["archiveId"] == begun["archiveId"]
        });
        if event["event"] == "worktree.archive.end" {
            break event["payload"].clone();
        }
        tar.extend(STANDARD.decode(event["payload"]["content"].as_str().unwrap()).unwrap());
    };
    script.note("archive", end);
    let path = format!("/v1/workspaces/{}/files/packed.tar", script.agent);
    let put = script.gateway.ask("PUT", &path).body(tar).send();
    script.note("put", json!(put.status));
    let listed = script.tool("bash", json!({"command": "tar -tf packed.tar | sort"}));
    assert!(listed["stdout"].as_str().unwrap().contains("up.bin"), "{listed}");
}

/// Everything that works in every sandbox.
pub(crate) fn played<'a>(gateway: &'a Gateway<'a>, agent: &'a str) -> Script<'a> {
    let mut script = Script { gateway, client: gateway.client(), agent, told: Vec::new() };
    gateway.say(agent, "true");
    files(&mut script);
    commands(&mut script);
    background(&mut script);
    watch(&mut script);
    transfers(&mut script);
    script
}
