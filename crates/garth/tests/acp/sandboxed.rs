//! An agent in the local sandbox: it has other names for everything, and nobody notices.

use std::path::Path;

use serde_json::Value;

use crate::{
    clients::{Scene, python_client, scene},
    rust_agent,
};

#[test]
fn an_agent_in_the_sandbox_works_with_the_client_by_names_that_both_know() {
    let on = Scene::new();
    let outside = on.root.parent().unwrap().join("beside.txt");
    std::fs::write(&outside, "not the agent's").unwrap();
    // The agent's program lies in the workspace, which both see.
    std::fs::copy(std::env::current_exe().unwrap(), on.at("agent")).unwrap();
    let options = ["--provider", "local", "--env", "COLOUR=green"];
    let command = on.command(&options, &rust_agent::started_from("/workspace/agent"));
    let read = "read /workspace/a.txt";
    let by_client = format!("read {}", on.at("a.txt"));
    let write = "write /workspace/b.txt from the agent";
    let look = format!("run cat {}; echo $?", outside.display());
    let verbs = ["where", "servers", read, &by_client, write, &look, "run pwd"];
    let prompts: Vec<_> = verbs.iter().map(|verb| (*verb).to_owned()).collect();
    let mut given = scene(&on, &command, (true, true), &prompts);
    given["load"] = Value::Bool(false);
    let Some(told) = python_client(&given) else { return };
    let said = |words: &str| told["told"][words]["said"].as_str().unwrap().to_owned();
    assert_eq!(said("where"), "/workspace");
    let program = Path::new(env!("CARGO_BIN_EXE_garth"));
    // A directory below /tmp cannot be shown in a sandbox, which has its own.
    let shown = garth_sandbox::can_be_visible(program.parent().unwrap());
    let server = said("servers").contains("\"--no-exec\",\"/workspace\"");
    assert_eq!(server, shown, "{}", said("servers"));
    assert_eq!(said(read), "not saved\n");
    assert_eq!(said(&by_client), "not saved\n");
    assert_eq!(said(write), "written");
    assert_eq!(told["buffers"][on.at("b.txt")], "from the agent");
    assert!(said(&look).ends_with("\n1") || said(&look).ends_with(" 1"), "{}", said(&look));
    assert!(!said(&look).contains("not the agent's"));
    assert_eq!(said("run pwd"), "0 /workspace");
    assert_eq!(told["told"]["wait"]["stop"], "cancelled");
    // The client can run commands, and was not asked to: it is outside.
    let asked = told["asked"].to_string();
    assert!(!asked.contains("run ") && asked.contains(&on.at("a.txt")), "{asked}");
}
