//! An agent in a container behind `garth acp`: it works with the editor's files, has our
//! server and commands where it is, and sees nothing else of this machine.

use std::{collections::BTreeMap, fs};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{
    between::Between,
    gateway::{configuration, eventually, machine, processes_with},
    rust_agent,
    scene::Scene,
};

/// An editor with buffers, and an agent on the Rust SDK in a container.
struct Editor {
    between: Between,
    buffers: BTreeMap<String, String>,
    asked: Vec<String>,
    session: Value,
    id: u64,
    /// What the agent's process is known by on this machine.
    mark: String,
}

impl Editor {
    /// Starts both; nothing where this machine has no engine.
    fn start(provider: &str) -> Option<Self> {
        let machine = machine()?;
        let scene = Scene::new();
        let config = scene.root.parent().unwrap().join("garth.toml");
        fs::write(&config, configuration(machine)).unwrap();
        let mark = format!("agent-{}-{provider}", std::process::id());
        // The agent's program lies in the workspace, which both see.
        fs::copy(std::env::current_exe().unwrap(), scene.at(&mark)).unwrap();
        let agent = rust_agent::started_from(&format!("/workspace/{mark}"));
        let buffers = BTreeMap::from([(scene.at("a.txt"), "not saved\n".to_owned())]);
        let options = ["--provider", provider, "--config", config.to_str().unwrap()];
        let between = Between::on(scene, &options, &agent);
        let asked = Vec::new();
        let mut editor = Self { between, buffers, asked, session: Value::Null, id: 0, mark };
        let files = json!({ "readTextFile": true, "writeTextFile": true });
        let can = json!({ "fs": files, "terminal": true });
        editor.ask("initialize", &json!({ "protocolVersion": 1, "clientCapabilities": can }));
        let begin = json!({ "cwd": editor.between.scene.root, "mcpServers": [] });
        let (begun, _) = editor.ask("session/new", &begin);
        editor.session = begun["sessionId"].clone();
        Some(editor)
    }

    /// The result of a request, and what was said until then.
    fn ask(&mut self, method: &str, params: &Value) -> (Value, String) {
        self.id += 1;
        let asked = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        self.between.client_says(format!("{asked}\n"));
        let mut said = String::new();
        loop {
            let heard = self.between.client_hears_json();
            match heard["method"].as_str() {
                None if heard["id"] == self.id => {
                    assert!(heard["result"].is_object(), "{method}: {heard}");
                    return (heard["result"].clone(), said);
                }
                Some("session/update") => {
                    said += heard["params"]["update"]["content"]["text"].as_str().unwrap_or("");
                }
                Some(method) => {
                    let answer = self.answer(method, &heard["params"]);
                    let told = json!({ "jsonrpc": "2.0", "id": heard["id"], "result": answer });
                    self.between.client_says(format!("{told}\n"));
                }
                None => panic!("{heard}"),
            }
        }
    }

    fn answer(&mut self, method: &str, params: &Value) -> Value {
        let path = params["path"].as_str().unwrap_or_default().to_owned();
        self.asked.push(format!("{method} {path}"));
        match method {
            "fs/read_text_file" => json!({ "content": self.buffers[&path] }),
            "fs/write_text_file" => {
                self.buffers.insert(path, params["content"].as_str().unwrap().to_owned());
                json!({})
            }
            _ => panic!("{method} is asked of the client"),
        }
    }

    fn prompt(&mut self, text: &str) -> String {
        let blocks = json!([{ "type": "text", "text": text }]);
        let params = json!({ "sessionId": self.session, "prompt": blocks });
        self.ask("session/prompt", &params).1
    }
}

#[test]
fn an_agent_in_podman_has_the_editors_files_our_server_and_nothing_of_this_machine() {
    let Some(mut editor) = Editor::start("podman") else { return };
    let at = |editor: &Editor, rest: &str| editor.between.scene.at(rest);
    let beside = editor.between.scene.root.parent().unwrap().join("garth.toml");
    let beside = beside.to_str().unwrap().to_owned();

    // Where it is, as it sees itself.
    assert_eq!(editor.prompt("where"), "/workspace");
    assert_eq!(editor.prompt("look /workspace/a.txt"), "saved\n");
    assert!(editor.prompt("look /proc/1/cmdline").starts_with("/run/garth-guest "));
    assert_eq!(editor.prompt(&format!("look {beside}")), "not seen: entity not found");

    // The editor's files, by the names that each of both has.
    assert_eq!(editor.prompt("read /workspace/a.txt"), "not saved\n");
    assert_eq!(editor.prompt("write /workspace/b.txt from the agent"), "written");
    let (a, b) = (at(&editor, "a.txt"), at(&editor, "b.txt"));
    assert_eq!(editor.buffers[&b], "from the agent");
    let expected = [format!("fs/read_text_file {a}"), format!("fs/write_text_file {b}")];
    assert_eq!(editor.asked, expected);
    assert_eq!(editor.prompt("read /etc/hostname"), "error: the path leaves the workspace");

    // Commands run where it is, and not in the editor, which would be outside.
    assert_eq!(editor.prompt("run pwd"), "0 /workspace");
    let first = editor.prompt("run tr '\\0' ' ' < /proc/1/cmdline");
    assert!(first.starts_with("0 /run/garth-guest "), "{first}");

    // Our server: the files on the disk, and commands in the same container.
    let servers = editor.prompt("servers");
    assert!(servers.contains("\"command\":\"/run/garth-guest\""), "{servers}");
    assert_eq!(editor.prompt(r#"tool read {"path":"a.txt"}"#), "1: saved");
    let command = r#"tool bash {"command":"echo made > /tmp/mark; head -c 16 /proc/1/cmdline"}"#;
    let told = editor.prompt(command);
    assert!(told.contains("/run/garth-guest"), "{told}");
    assert_eq!(editor.prompt("look /tmp/mark"), "made\n");
    let told = editor.prompt(r#"tool read {"path":"/etc/hostname"}"#);
    assert!(told.contains("PATH_OUTSIDE_WORKSPACE"), "{told}");

    // Nothing is left of it.
    let mark = editor.mark.clone();
    assert!(!processes_with(&mark).is_empty());
    editor.between.client_leaves();
    assert_eq!(editor.between.ends(), 0);
    eventually("the agent has ended", || processes_with(&mark).is_empty());
    let records = editor.between.scene.recorded();
    let has = |operation: &str, about: &str| {
        records.iter().any(|(name, _, summary)| name == operation && summary.contains(about))
    };
    assert!(has("acp:session/new", "server: garth"), "{records:#?}");
    assert!(has("acp:fs/read_text_file (client)", "/workspace/a.txt"), "{records:#?}");
    assert!(has("acp:terminal/create", "command: sh -c pwd"), "{records:#?}");
}

#[test]
fn an_agent_in_gvisor_has_our_server_and_ends_when_the_program_is_asked_to_stop() {
    let Some(mut editor) = Editor::start("gvisor") else { return };
    assert_eq!(editor.prompt("where"), "/workspace");
    assert_eq!(editor.prompt("read /workspace/a.txt"), "not saved\n");
    assert_eq!(editor.prompt(r#"tool read {"path":"a.txt"}"#), "1: saved");
    let data = editor.between.scene.data();
    assert!(!processes_with(data.to_str().unwrap()).is_empty());
    let pid = Pid::from_raw(editor.between.pid().cast_signed()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(editor.between.ends(), 0);
    eventually("the sandbox is gone", || processes_with(data.to_str().unwrap()).is_empty());
    assert!(!editor.between.scene.recorded().is_empty());
}
