//! Names of files that hold a secret, over MCP: what tools say, what resources are called, and what
//! is offered to whoever types a path.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
};

use serde_json::{Value, json};

use crate::{
    planted::Planted,
    server::PATIENCE,
    surfaces::{every_text, naming_calls, plant_names},
};

/// Makes requests of a server of the folder `root` that speaks over its standard input, and gives
/// its answers, in the order of the requests.
pub(crate) fn talk(root: &str, requests: Vec<(&str, Value)>) -> Vec<Value> {
    let opening = json!({
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let all = [("initialize", opening)].into_iter().chain(requests).enumerate();
    let mut messages: Vec<Value> = all
        .map(|(id, (method, params))| {
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        })
        .collect();
    messages.insert(1, initialized);
    let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
    command.args(["mcp", root]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = mpsc::channel();
    let reader = thread::spawn(move || {
        // Whoever listens may have heard enough.
        stdout.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
    });
    for message in &messages {
        writeln!(stdin, "{message}").unwrap();
    }
    // Its input stays open until it has answered everything: to close it is to end the server.
    let mut answers: Vec<Value> = Vec::new();
    while answers.len() + 1 < messages.len() {
        let line = receiver.recv_timeout(PATIENCE).expect("every request is answered");
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"].is_u64() {
            answers.push(message);
        }
    }
    drop(stdin);
    child.wait().unwrap();
    reader.join().unwrap();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers.remove(0);
    answers
}

#[test]
fn no_planted_name_leaves_over_mcp_and_each_shown_one_leads_to_its_file() {
    let planted = Planted::new();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap();
    fs::write(folder.path().join("plain.txt"), "begin\n").unwrap();
    let names = plant_names(&planted, folder.path());
    // Resources are those at the top.
    fs::write(folder.path().join(&names[0].0), "at the top\n").unwrap();
    let (top, deep) = (&names[0].1, format!("deep/{}", names[0].1));

    let tools =
        naming_calls("names", &names[1].1).into_iter().chain(naming_calls(&deep, "inner.txt"));
    let tools = tools.filter(|(tool, _)| !tool.contains('.') && !matches!(*tool, "bash" | "git"));
    let resources =
        |path: &str| ("resources/read", json!({"uri": format!("workspace:///{}", escaped(path))}));
    let typed = json!({
        "ref": {"type": "ref/resource", "uri": "workspace:///{+path}"},
        "argument": {"name": "path", "value": "names/"},
    });
    let mut requests = vec![
        ("resources/list", json!({})),
        resources("names"),
        resources(&deep),
        resources(top),
        resources(&format!("{top}/below")),
        resources("names/nothing"),
        ("resources/subscribe", resources(top).1),
        ("completion/complete", typed),
    ];
    requests
        .extend(tools.map(|(name, arguments)| {
            ("tools/call", json!({"name": name, "arguments": arguments}))
        }));
    let answers = talk(root, requests.clone());
    for ((method, params), answer) in requests.iter().zip(&answers) {
        let told = every_text(answer);
        planted.is_nowhere_in(&format!("{method} {params}"), &told);
        planted.is_nowhere_in(&format!("{method} {params}, unescaped"), &unescaped(&told));
        assert!(!told.contains("unknown tool"), "{params}: {told}");
    }
    let [listed, directory, below, read, ..] = &answers[..] else { panic!("{answers:?}") };
    for shown in [listed, directory] {
        assert!(unescaped(&every_text(shown)).contains("[REDACTED: "), "{shown}");
    }
    assert!(every_text(below).contains("inner.txt"), "{below}");
    assert!(every_text(read).contains("at the top"), "{read}");

    let moves = |from: &str, to: &str| {
        ("tools/call", json!({"name": "move", "arguments": {"from": from, "to": to}}))
    };
    let (name, shown) = &names[2];
    let answers = talk(root, vec![moves(&format!("names/{shown}"), &format!("moved/{shown}"))]);
    planted.is_nowhere_in("move", &every_text(&answers[0]));
    assert!(folder.path().join("moved").join(name).exists(), "{answers:?}");
    let delete = json!({"name": "delete", "arguments": {"path": format!("moved/{shown}")}});
    let answers = talk(root, vec![("tools/call", delete)]);
    planted.is_nowhere_in("delete", &every_text(&answers[0]));
    assert!(!folder.path().join("moved").join(name).exists(), "{answers:?}");
}

/// A path as an address has it.
fn escaped(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let escape =
        |byte: u8| if plain(byte) { char::from(byte).into() } else { format!("%{byte:02X}") };
    path.bytes().map(escape).collect()
}

/// A text with its escapes taken apart, as whoever reads an address sees it.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let digits = behind.first_chunk::<2>().filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
