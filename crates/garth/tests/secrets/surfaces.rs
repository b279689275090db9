//! Every way to see something of a workspace, tried with the planted text.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{mcp, planted::Planted, server::Server};

const NAME: &str = "notes.txt";
const AGENT: &str = "bird";

/// Calls by name, and what they take.
fn calls(text: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("worktree.list", json!({"path": ""})),
        ("worktree.stat", json!({"path": NAME})),
        ("worktree.usage", json!({"path": NAME})),
        ("worktree.read", json!({"path": NAME})),
        ("worktree.read", json!({"path": NAME, "encoding": "base64"})),
        ("worktree.search", json!({"query": "e"})),
        ("worktree.search", json!({"query": "[A-Za-z0-9]{12,}", "regex": true, "contextLines": 1})),
        ("worktree.diff", json!({"fromPath": NAME, "toPath": "plain.txt"})),
        (
            "worktree.edit",
            json!({"path": NAME, "edits": [{"oldText": "no such text", "newText": "x"}]}),
        ),
        ("worktree.write", json!({"path": "copy.txt", "content": text})),
        ("worktree.read", json!({"path": "missing/dir/notes.txt"})),
        ("read", json!({"path": NAME})),
        ("read", json!({"path": NAME, "offset": 3, "limit": 200})),
        ("read", json!({"path": NAME, "tail": 50})),
        ("grep", json!({"pattern": "."})),
        ("grep", json!({"pattern": "[A-Za-z0-9]{12,}", "before": 1, "after": 1})),
        ("glob", json!({"pattern": "**/*"})),
        ("list", json!({"path": "."})),
        ("diff", json!({"from": NAME, "to": "plain.txt"})),
        (
            "edit",
            json!({"path": NAME, "old_string": "begin", "new_string": "began", "dry_run": true}),
        ),
        ("edit", json!({"path": NAME, "old_string": "no such text", "new_string": "x"})),
        ("bash", json!({"command": format!("cat {NAME}; cat {NAME} >&2; false")})),
        ("audit.list", json!({})),
    ]
}

#[test]
fn no_planted_secret_leaves_over_the_socket_or_stays_in_log_and_database() {
    let planted = Planted::new();
    println!("{} secrets planted", planted.len());
    let server = Server::start();
    let mut client = server.agent(AGENT);
    let files = server.files(AGENT);
    fs::write(files.join(NAME), &planted.text).unwrap();
    fs::write(files.join("plain.txt"), "begin\n").unwrap();
    for (method, mut params) in calls(&planted.text) {
        params["agentId"] = AGENT.into();
        let reply = client.call(method, params);
        if reply["error"]["code"] == "PROVIDER_UNAVAILABLE" {
            println!("skipped: {method}, no sandbox can be made here");
        }
        planted.is_nowhere_in(method, &every_text(&reply));
    }
    let watch = json!({"agentId": AGENT, "path": "", "recursive": true, "includeContent": true});
    planted.is_nowhere_in("worktree.watch", &every_text(&client.call("worktree.watch", watch)));

    let address = server.address.clone();
    for (tool, body) in [
        ("read", json!({"file_path": NAME})),
        ("grep", json!({"pattern": "."})),
        ("bash", json!({"command": format!("cat {NAME}")})),
    ] {
        let path = format!("/v1/workspaces/{AGENT}/{tool}");
        let told = http(&address, &server.operator, "POST", &path, &body.to_string());
        assert!(tool == "bash" || told.contains("[REDACTED: "), "{path}: {told}");
        planted.is_nowhere_in(&path, &told);
    }
    let kept = server.kept();
    assert_eq!(server.stop(), Some(0));
    // Files are what they are, and so are earlier contents of them, which their owner alone can read.
    let contents = [files, kept.path().join("versions")];
    assert_eq!(fs::metadata(&contents[1]).unwrap().permissions().mode() & 0o077, 0);
    for (place, text) in everything_below(kept.path(), &contents) {
        planted.is_nowhere_in(&place, &text);
    }
}

/// What tells names: of `dir`, and of the file that is shown as `shown` in it.
pub(crate) fn naming_calls(dir: &str, shown: &str) -> Vec<(&'static str, Value)> {
    let path = format!("{dir}/{shown}");
    vec![
        ("worktree.list", json!({"path": dir})),
        ("worktree.list", json!({"path": "", "recursive": true})),
        ("worktree.stat", json!({"path": path})),
        ("worktree.read", json!({"path": path})),
        ("worktree.search", json!({"query": "inner"})),
        ("worktree.usage", json!({"path": dir})),
        ("worktree.diff", json!({"fromPath": path, "toPath": "plain.txt"})),
        ("worktree.read", json!({"path": format!("{path}/below")})),
        ("worktree.mkdir", json!({"path": path})),
        ("worktree.move", json!({"fromPath": path, "toPath": "plain.txt"})),
        ("worktree.delete", json!({"path": dir})),
        (
            "worktree.edit",
            json!({"path": path, "edits": [{"oldText": "no such text", "newText": "x"}]}),
        ),
        ("list", json!({"path": dir})),
        ("list", json!({"path": ".", "depth": 3})),
        ("stat", json!({"path": path})),
        ("read", json!({"path": path})),
        ("read", json!({"path": dir})),
        ("glob", json!({"pattern": "**/*"})),
        ("grep", json!({"pattern": "inner"})),
        ("grep", json!({"pattern": "inner", "output": "files"})),
        ("diff", json!({"from": path, "to": "plain.txt"})),
        ("edit", json!({"path": path, "old_string": "no such text", "new_string": "x"})),
        ("edit", json!({"path": path, "old_string": "inner", "new_string": "outer"})),
        ("delete", json!({"path": dir})),
        ("move", json!({"from": path, "to": "plain.txt"})),
        ("bash", json!({"command": format!("ls {dir}; ls {dir}/nothing*")})),
        ("git", json!({"action": "status"})),
        ("git", json!({"action": "diff"})),
        ("git", json!({"action": "commit", "message": "all"})),
        ("git", json!({"action": "show"})),
        ("git", json!({"action": "log", "files": [path]})),
    ]
}

/// Puts a file of each planted name into a directory, and one into a directory of such a name.
pub(crate) fn plant_names(planted: &Planted, files: &Path) -> Vec<(String, String)> {
    let names = planted.names();
    fs::create_dir(files.join("names")).unwrap();
    for (name, _) in &names {
        fs::write(files.join("names").join(name), "inner\n").unwrap();
    }
    let deep = files.join("deep").join(&names[0].0);
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("inner.txt"), "inner\n").unwrap();
    names
}

#[test]
fn no_planted_name_leaves_and_each_shown_one_leads_to_its_file() {
    let planted = Planted::new();
    let server = Server::start();
    let mut client = server.agent(AGENT);
    let files = server.files(AGENT);
    fs::write(files.join("plain.txt"), "begin\n").unwrap();
    let made = client.call("git", json!({"agentId": AGENT, "action": "init"}));
    let names = plant_names(&planted, &files);
    println!("{} names planted, {}", names.len(), made["ok"]);
    let deep = format!("deep/{}", names[0].1);
    let calls = naming_calls("names", &names[0].1).into_iter();
    let runs = |(method, _): &(&str, Value)| matches!(*method, "bash" | "git");
    let deep = naming_calls(&deep, "inner.txt").into_iter().filter(|call| !runs(call));
    for (method, mut params) in calls.chain(deep) {
        params["agentId"] = AGENT.into();
        let reply = client.call(method, params.clone());
        if reply["error"]["code"] == "PROVIDER_UNAVAILABLE" {
            println!("skipped: {method}, no sandbox can be made here");
        }
        planted.is_nowhere_in(&format!("{method} {params}"), &every_text(&reply));
    }
    // As many as a caller may ask for in a minute.
    for (name, shown) in names.iter().step_by(names.len() / 20) {
        let path = format!("names/{shown}");
        let read = client.ok("worktree.read", json!({"agentId": AGENT, "path": path}));
        assert!(["inner\n", "outer\n"].contains(&read["content"].as_str().unwrap()), "{name}");
        assert_eq!(read["path"], path.as_str());
    }
    let (name, shown) = &names[1];
    let moved = json!({
        "agentId": AGENT, "fromPath": format!("names/{shown}"), "toPath": format!("moved/{shown}"),
    });
    client.ok("worktree.move", moved);
    assert!(files.join("moved").join(name).exists());

    client.ok("worktree.watch", json!({"agentId": AGENT, "path": "", "recursive": true}));
    fs::write(files.join(name), "inner\n").unwrap();
    let event = client.event("worktree.changed");
    planted.is_nowhere_in("worktree.changed", &event.to_string());
    assert_eq!(event["path"], shown.as_str());

    let address = server.address.clone();
    for (tool, body) in [("list", json!({"path": "names"})), ("glob", json!({"pattern": "**/*"}))] {
        let path = format!("/v1/workspaces/{AGENT}/{tool}");
        let told = http(&address, &server.operator, "POST", &path, &body.to_string());
        assert!(told.contains("[REDACTED: "), "{path}: {told}");
        planted.is_nowhere_in(&path, &told);
    }
    let kept = server.kept();
    assert_eq!(server.stop(), Some(0));
    let contents = [files, kept.path().join("versions")];
    for (place, text) in everything_below(kept.path(), &contents) {
        planted.is_nowhere_in(&place, &text);
    }
}

#[test]
fn no_planted_name_leaves_over_the_command_line() {
    let planted = Planted::new();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plain.txt"), "begin\n").unwrap();
    let names = plant_names(&planted, folder.path());
    let root = folder.path().to_str().unwrap();
    let read = json!({"path": format!("names/{}", names[2].1)}).to_string();
    assert!(garth(&["tool", "read", &read, "--root", root], "").contains("inner"));
    for (tool, params) in naming_calls("names", &names[0].1) {
        if tool.contains('.') || matches!(tool, "bash" | "git") {
            continue;
        }
        let told = garth(&["tool", tool, &params.to_string(), "--root", root], "");
        planted.is_nowhere_in(&format!("garth tool {tool}"), &told);
    }
}

#[test]
fn no_planted_secret_leaves_over_the_command_line_or_mcp() {
    let planted = Planted::new();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(NAME), &planted.text).unwrap();
    fs::write(folder.path().join("plain.txt"), "begin\n").unwrap();
    let root = folder.path().to_str().unwrap();
    for (tool, params) in calls(&planted.text) {
        if tool.contains('.') || tool == "bash" {
            continue;
        }
        let told = garth(&["tool", tool, &params.to_string(), "--root", root], "");
        planted.is_nowhere_in(&format!("garth tool {tool}"), &told);
    }
    planted.is_nowhere_in("garth redact", &garth(&["redact"], &planted.text));
    planted.is_nowhere_in("garth redact --json", &garth(&["redact", "--json"], &planted.text));

    let tools = calls(&planted.text).into_iter();
    let tools = tools.filter(|(tool, _)| !tool.contains('.') && *tool != "bash");
    let requests = tools
        .map(|(name, arguments)| ("tools/call", json!({"name": name, "arguments": arguments})));
    let told: String = mcp::talk(root, requests.collect()).iter().map(every_text).collect();
    assert!(told.contains("[REDACTED: "), "{told}");
    planted.is_nowhere_in("garth mcp", &told);
}

/// Every string in a value, as it is and with base64 taken apart.
pub(crate) fn every_text(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n{}\n", decoded(text)),
        Value::Array(values) => values.iter().map(every_text).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("{name}\n{}", every_text(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in text.bytes().take_while(|&byte| byte != b'=') {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return String::new(),
        };
        bits = (bits << 6 | u32::from(digit)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).unwrap());
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Runs the program to its end, and gives all that it said.
fn garth(arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        // A program that ends early does not take the rest.
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    format!(
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn http(address: &str, token: &str, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(crate::server::PATIENCE)).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         authorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut told = Vec::new();
    stream.read_to_end(&mut told).unwrap();
    String::from_utf8_lossy(&told).into_owned()
}

/// Every file below a folder but those of the workspace.
fn everything_below(folder: &Path, but: &[PathBuf]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() && !but.contains(&path) {
            found.extend(everything_below(&path, but));
        } else if kind.is_file() {
            let bytes = fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            found.push((path.display().to_string(), text));
        }
    }
    found
}
