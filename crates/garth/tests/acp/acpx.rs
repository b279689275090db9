//! `acpx` as the client: a session that it makes, loads, prompts, cancels and closes.
//!
//! Its switches are `--no-fs` and `--no-terminal`, so it can offer what every other client
//! can. What it has none of is buffers: its files are those on the disk, so that it was
//! asked for one is seen in the record and in the messages, and not in the text.

use std::{
    ffi::OsString,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    clients::{ALL, NO_FILES, NO_TERMINAL, NOTHING, Offers, python_agent},
    installed,
    run::{bounded, printed},
    rust_agent,
    scene::Scene,
};

/// How long the process that `acpx` keeps for a session waits for another prompt: longer
/// than it takes to send one, and not much longer than a test that failed.
const IDLE_SECONDS: &str = "60";

/// `acpx`, with everything that is its own.
struct Acpx {
    on: Scene,
    home: TempDir,
    words: Vec<OsString>,
}

impl Acpx {
    /// Installed, with an agent behind us; or not.
    fn new(agent: &[String], offers: Offers) -> Option<Self> {
        installed::node_program_in("npm-acp", "acpx")?;
        let on = Scene::new();
        let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
        let command: Vec<_> = on.command(&[], agent).iter().map(quoted).collect();
        let mut words: Vec<OsString> =
            ["--agent", &command.join(" "), "--cwd"].map(Into::into).into();
        words.push(on.root.clone().into());
        words.extend(["--ttl", IDLE_SECONDS, "--format", "json"].map(Into::into));
        words.extend((!offers.files).then(|| "--no-fs".into()));
        words.extend((!offers.terminal).then(|| "--no-terminal".into()));
        Some(Self { on, home: tempfile::tempdir().unwrap(), words })
    }

    /// One command of it.
    fn command(&self, words: &[&str]) -> Command {
        let (program, node) = installed::node_program_in("npm-acp", "acpx").unwrap();
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let paths: Vec<OsString> = std::iter::once(node.into_os_string())
            .chain(std::env::split_paths(&paths).map(Into::into))
            .collect();
        let mut client = bounded(&program);
        client.env("PATH", std::env::join_paths(paths).unwrap()).env("HOME", self.home.path());
        client.current_dir(&self.on.root).args(&self.words).args(words);
        client
    }

    /// The messages that it prints of a prompt.
    fn prompt(&self, decides: &str, prompt: &str) -> Vec<Value> {
        messages(&printed(&mut self.command(&[decides, "prompt", "-s", "one", prompt])))
    }

    /// Prompts, cancels once the agent has begun, and gives how the turn ended.
    fn cancel(&self) -> Value {
        let mut prompt = self.command(&["--approve-all", "prompt", "-s", "one", "wait"]);
        let mut prompt = prompt.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut shown = Vec::new();
        for line in BufReader::new(prompt.stdout.take().unwrap()).lines().map_while(Result::ok) {
            let begun = line.contains("\"waiting\"");
            shown.push(line);
            if begun {
                printed(&mut self.command(&["cancel", "-s", "one"]));
            }
        }
        prompt.wait().unwrap();
        let told = messages(&shown.join("\n"));
        assert!(methods(&told).contains(&"session/cancel"), "{told:#?}");
        told.last().unwrap()["result"].clone()
    }
}

fn messages(printed: &str) -> Vec<Value> {
    let lines = printed.lines().filter(|line| line.starts_with("{\"jsonrpc\""));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn methods(messages: &[Value]) -> Vec<&str> {
    messages.iter().filter_map(|message| message["method"].as_str()).collect()
}

/// What the agent said, line by line of the prompt.
fn said(messages: &[Value]) -> Vec<&str> {
    let updates = messages.iter().map(|message| &message["params"]["update"]);
    let chunks = updates.filter(|update| update["sessionUpdate"] == "agent_message_chunk");
    chunks.filter_map(|update| update["content"]["text"].as_str()).collect()
}

/// Shows that `acpx` makes a session, loads it, and has all done in it, whatever it offers.
fn works(agent: Option<Vec<String>>, offers: Offers) {
    let Some(agent) = agent else { return };
    let Some(acpx) = Acpx::new(&agent, offers) else { return };
    let on = &acpx.on;
    printed(&mut acpx.command(&["sessions", "new", "--name", "one"]));
    let lines = [
        format!("read {}", on.at("a.txt")),
        format!("write {} from the agent", on.at("b.txt")),
        "run echo here; exit 3".to_owned(),
        "ask".to_owned(),
        "read /etc/hostname".to_owned(),
    ];
    let told = acpx.prompt("--approve-all", &lines.join("\n"));
    let expected = ["saved\n", "written", "3 here", "yes", "error: the path leaves the workspace"];
    let heard: Vec<_> = said(&told).into_iter().filter(|text| *text != "loaded").collect();
    assert_eq!(heard, expected, "{offers:?}: {told:#?}");
    assert_eq!(std::fs::read_to_string(on.at("b.txt")).unwrap(), "from the agent");
    // The agent of the first command has ended with it; this is another.
    assert!(methods(&told).contains(&"session/load"), "{told:#?}");
    for (method, offered) in [
        ("fs/read_text_file", offers.files),
        ("fs/write_text_file", offers.files),
        ("terminal/create", offers.terminal),
        ("session/request_permission", true),
    ] {
        assert_eq!(methods(&told).contains(&method), offered, "{method}: {told:#?}");
    }
    assert_eq!(acpx.cancel()["stopReason"], "cancelled");
    printed(&mut acpx.command(&["sessions", "close", "one"]));
    recorded(on, offers);
}

/// Shows that all of it is on record, and who answered.
fn recorded(on: &Scene, offers: Offers) {
    let records = on.recorded();
    let by = |method: &str, client: bool| {
        if client { format!("acp:{method} (client)") } else { format!("acp:{method}") }
    };
    for (operation, outcome, about) in [
        ("acp:session/new".to_owned(), "OK", "server: garth"),
        ("acp:session/load".to_owned(), "OK", "server: garth"),
        (by("fs/read_text_file", offers.files), "OK", "a.txt"),
        (by("fs/read_text_file", offers.files), "PATH_OUTSIDE_WORKSPACE", "/etc/hostname"),
        (by("fs/write_text_file", offers.files), "OK", "b.txt"),
        (by("terminal/create", offers.terminal), "OK", "command: sh -c echo here; exit 3"),
        ("acp:session/request_permission".to_owned(), "OK", "selected: yes (allow_once)"),
    ] {
        let found = records.iter().any(|(name, end, summary)| {
            *name == operation && end == outcome && summary.contains(about)
        });
        assert!(found, "{operation} {outcome} {about}: {records:#?}");
    }
}

macro_rules! pairs {
    ($($module:ident: $agent:expr;)*) => {$(
        mod $module {
            use super::*;

            #[test]
            fn with_all_but_buffers_which_it_has_none_of() {
                works($agent, ALL);
            }

            #[test]
            fn without_files() {
                works($agent, NO_FILES);
            }

            #[test]
            fn without_terminals() {
                works($agent, NO_TERMINAL);
            }

            #[test]
            fn without_either() {
                works($agent, NOTHING);
            }
        }
    )*};
}

pairs! {
    and_python: python_agent();
    and_rust: Some(rust_agent::command());
}

#[test]
fn what_it_refuses_is_refused_and_on_record() {
    let Some(acpx) = Acpx::new(&rust_agent::command(), ALL) else { return };
    let ended = acpx.command(&["--deny-all", "exec", "ask"]).output().unwrap();
    // Its code for a turn in which all was denied.
    assert_eq!(ended.status.code(), Some(5), "{ended:?}");
    let told = messages(&String::from_utf8(ended.stdout).unwrap());
    assert_eq!(said(&told), ["no"], "{told:#?}");
    let records = acpx.on.recorded();
    let refused = |(name, _, summary): &(String, String, String)| {
        name == "acp:session/request_permission" && summary.contains("selected: no (reject_once)")
    };
    assert!(records.iter().any(refused), "{records:#?}");
}
