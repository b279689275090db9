//! Clients that others wrote, with agents on two SDKs behind `garth acp`.

use serde_json::{Value, json};

use crate::{
    installed,
    run::{bounded, printed},
    rust_agent,
    scene::Scene,
};

/// What a client has to offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offers {
    pub(crate) files: bool,
    pub(crate) terminal: bool,
}

pub(crate) const ALL: Offers = Offers { files: true, terminal: true };
pub(crate) const NO_FILES: Offers = Offers { files: false, terminal: true };
pub(crate) const NO_TERMINAL: Offers = Offers { files: true, terminal: false };
pub(crate) const NOTHING: Offers = Offers { files: false, terminal: false };

/// The agent on the Python SDK.
pub(crate) fn python_agent() -> Option<Vec<String>> {
    let python = installed::python("acp")?.to_str()?.to_owned();
    let agent = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/acp/peers/agent.py");
    Some(vec![python, "-B".to_owned(), agent.to_owned()])
}

/// What a client is asked to do, besides the prompts.
pub(crate) fn scene(
    scene: &Scene,
    command: &[String],
    offers: (bool, bool),
    prompts: &[String],
) -> Value {
    let (files, terminal) = offers;
    json!({
        "command": command, "cwd": scene.root, "fs": files, "terminal": terminal,
        "buffers": { scene.at("a.txt"): "not saved\n" },
        "prompts": prompts, "cancel": true, "load": true, "outside": "/etc",
    })
}

/// Runs the client on the Python SDK.
pub(crate) fn python_client(scene: &Value) -> Option<Value> {
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/acp/peers/client.py");
    let mut client = bounded(&installed::python("acp")?);
    client.args(["-B", driver]).arg(scene.to_string());
    Some(serde_json::from_str(&printed(&mut client)).unwrap())
}

/// Runs the client on the TypeScript SDK.
fn typescript_client(scene: &Value) -> Option<Value> {
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/acp/peers/client.mjs");
    let (packages, node) = installed::node_packages("npm-acp", "@agentclientprotocol/sdk")?;
    let mut client = bounded(&node);
    client.arg(driver).arg(packages).arg(scene.to_string());
    Some(serde_json::from_str(&printed(&mut client)).unwrap())
}

type Client = fn(&Value) -> Option<Value>;

/// Shows that everything works between a client and an agent, whatever the client offers.
fn all_works(client: Client, agent: Option<Vec<String>>, offers: Offers) {
    let Some(agent) = agent else { return };
    let on = Scene::new();
    let read = format!("read {}", on.at("a.txt"));
    let write = format!("write {} from the agent", on.at("new/b.txt"));
    let verbs = ["where", "servers", "can", &read, &write, "run echo here; exit 3", "stop", "ask"];
    let outside = "read /etc/hostname".to_owned();
    let prompts: Vec<_> = verbs.iter().map(|verb| (*verb).to_owned()).chain([outside]).collect();
    let command = on.command(&[], &agent);
    let given = scene(&on, &command, (offers.files, offers.terminal), &prompts);
    let Some(told) = client(&given) else { return };
    let said = |words: &str| told["told"][words]["said"].as_str().unwrap().to_owned();

    assert_eq!(said("where"), on.root.to_str().unwrap());
    assert_eq!(said("can").replace(' ', ""), "[true,true,true]", "{offers:?}");
    for words in ["servers", "servers, loaded"] {
        let servers: Value = serde_json::from_str(&said(words)).unwrap();
        let ours = &servers.as_array().unwrap()[0];
        assert_eq!(ours["name"], "garth", "{words}");
        assert_eq!(ours["args"], json!(["mcp", on.root]), "{words}");
        assert_eq!(servers.as_array().unwrap().len(), 1, "{words}");
    }
    assert_eq!(said(&read), if offers.files { "not saved\n" } else { "saved\n" });
    assert_eq!(said(&write), "written");
    let landed = std::fs::read_to_string(on.at("new/b.txt")).ok();
    let buffer = told["buffers"][on.at("new/b.txt")].as_str().map(str::to_owned);
    let written = Some("from the agent".to_owned());
    let (in_client, on_disk) = if offers.files { (written, None) } else { (None, written) };
    assert_eq!((buffer, landed), (in_client, on_disk), "{offers:?}");
    assert_eq!(said("run echo here; exit 3"), "3 here");
    assert!(said("stop").starts_with("killed: "), "{}", said("stop"));
    assert_eq!(said("ask"), "yes");
    assert_eq!(said("read /etc/hostname"), "error: the path leaves the workspace");
    assert_eq!(told["told"]["wait"]["stop"], "cancelled");
    assert_eq!(said("load"), "loaded");
    assert_eq!(said("where, loaded"), on.root.to_str().unwrap());
    assert_eq!(said("outside"), "the session's directory is not in the workspace");

    let asked: Vec<_> = told["asked"].as_array().unwrap().iter().map(Value::to_string).collect();
    let ran = asked.iter().any(|asked| asked.starts_with("\"run "));
    let opened = asked.iter().any(|asked| asked.starts_with("\"read "));
    assert_eq!((opened, ran), (offers.files, offers.terminal), "{asked:?}");
    recorded(&on, offers);
}

/// Shows that what was done is on record, and how it ended.
fn recorded(on: &Scene, offers: Offers) {
    let records = on.recorded();
    let has = |operation: &str, outcome: &str, about: &str| {
        let found = records.iter().any(|(name, end, summary)| {
            name == operation && end == outcome && summary.contains(about)
        });
        assert!(found, "{operation} {outcome} {about}: {records:#?}");
    };
    let by = |method: &str, client: bool| {
        if client { format!("acp:{method} (client)") } else { format!("acp:{method}") }
    };
    has("acp:session/new", "OK", "server: garth");
    has("acp:session/load", "OK", "server: garth");
    has("acp:session/new", "PATH_OUTSIDE_WORKSPACE", "");
    has("acp:tool_call", "OK", "kind: read");
    has("acp:tool_call_update", "OK", "status: completed");
    has("acp:session/request_permission", "OK", "selected: yes (allow_once)");
    has(&by("fs/read_text_file", offers.files), "OK", "a.txt");
    has(&by("fs/read_text_file", offers.files), "PATH_OUTSIDE_WORKSPACE", "/etc/hostname");
    has(&by("fs/write_text_file", offers.files), "OK", "new/b.txt");
    has(&by("terminal/create", offers.terminal), "OK", "command: sh -c echo here; exit 3");
    let told = records.iter().any(|(_, _, summary)| summary.contains("from the agent"));
    assert!(!told, "what was written is on record: {records:#?}");
}

macro_rules! pairs {
    ($($module:ident: $client:expr, $agent:expr;)*) => {$(
        mod $module {
            use super::*;

            #[test]
            fn a_client_that_can_all_of_it() {
                all_works($client, $agent, ALL);
            }

            #[test]
            fn a_client_without_files() {
                all_works($client, $agent, NO_FILES);
            }

            #[test]
            fn a_client_without_terminals() {
                all_works($client, $agent, NO_TERMINAL);
            }

            #[test]
            fn a_client_without_either() {
                all_works($client, $agent, NOTHING);
            }
        }
    )*};
}

pairs! {
    python_and_python: python_client, python_agent();
    python_and_rust: python_client, Some(rust_agent::command());
    typescript_and_python: typescript_client, python_agent();
    typescript_and_rust: typescript_client, Some(rust_agent::command());
}
