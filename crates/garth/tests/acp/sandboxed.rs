//! An agent in the local sandbox: it has other names for everything, and nobody notices.

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    between::Between,
    clients::{python_client, scene},
    rust_agent,
    scene::Scene,
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

/// An agent in the local sandbox that a test plays, with a client that can all of it.
fn inside() -> Between {
    let mut between = Between::inside(&["--provider", "local"]);
    between.begin(true);
    between
}

#[test]
fn a_list_of_sessions_has_the_names_of_whoever_reads_it() {
    let mut between = inside();
    let at = |rest: &str| between.scene.at(rest);
    let (sub, other) = (at("sub"), at("other"));
    let asked =
        json!({ "id": 3, "method": "session/list", "params": { "cwd": sub, "cursor": "c" } });
    between.client_says(format!("{asked}\n"));
    let told = between.agent_hears_json();
    assert_eq!(told["params"], json!({ "cwd": "/workspace/sub", "cursor": "c" }));
    let sessions = json!([
        { "sessionId": "a", "cwd": "/workspace/sub", "title": "in /workspace/sub",
          "additionalDirectories": ["/workspace/other", "/opt"] },
        { "sessionId": "b", "cwd": "/elsewhere" },
    ]);
    between.agent_says(format!("{}\n", json!({ "id": 3, "result": { "sessions": sessions } })));
    let heard = between.client_hears_json();
    let expected = json!([
        { "sessionId": "a", "cwd": sub, "title": "in /workspace/sub",
          "additionalDirectories": [other, "/opt"] },
        { "sessionId": "b", "cwd": "/elsewhere" },
    ]);
    assert_eq!(heard["result"]["sessions"], expected);
}

#[test]
fn links_places_and_differences_have_the_names_of_whoever_reads_them() {
    let mut between = inside();
    let root = between.scene.root.to_str().unwrap().to_owned();
    let blocks = |root: &str| {
        json!([
            { "type": "text", "text": "look at /workspace/a.txt" },
            { "type": "resource_link", "name": "a", "uri": format!("file://{root}/a%20b.txt") },
            { "type": "resource", "resource": { "uri": format!("file://{root}/c"), "text": "" } },
        ])
    };
    let prompt = json!({ "id": 4, "method": "session/prompt",
        "params": { "sessionId": "s", "prompt": blocks(&root) } });
    between.client_says(format!("{prompt}\n"));
    assert_eq!(between.agent_hears_json()["params"]["prompt"], blocks("/workspace"));
    let call = |root: &str| {
        json!({ "sessionUpdate": "tool_call", "toolCallId": "1", "title": "/workspace",
            "locations": [{ "path": format!("{root}/a.txt"), "line": 3 }, { "path": "/etc/hosts" }],
            "content": [{ "type": "diff", "path": format!("{root}/b.txt"), "newText": "/workspace" },
                { "type": "content", "content": blocks(root)[1] }] })
    };
    let update = |root: &str| json!({ "method": "session/update", "params": { "sessionId": "s", "update": call(root) } });
    between.agent_says(format!("{}\n", update("/workspace")));
    assert_eq!(between.client_hears_json(), update(&root));
    let ask = |root: &str| {
        json!({ "id": 8, "method": "session/request_permission",
            "params": { "sessionId": "s", "options": [], "toolCall": call(root) } })
    };
    between.agent_says(format!("{}\n", ask("/workspace")));
    assert_eq!(between.client_hears_json(), ask(&root));
}

#[test]
fn a_terminal_of_the_clients_is_outside_and_so_never_the_agents() {
    let mut between = inside();
    let params = json!({ "sessionId": "s", "command": "pwd", "cwd": "/workspace" });
    let mut answered = |method: &str, params: &Value| {
        between.agent_says(format!("{}\n", json!({ "id": 9, "method": method, "params": params })));
        between.agent_hears_json()["result"].clone()
    };
    let made = answered("terminal/create", &params);
    let terminal = json!({ "sessionId": "s", "terminalId": made["terminalId"] });
    answered("terminal/wait_for_exit", &terminal);
    let shown = answered("terminal/output", &terminal);
    assert!(shown["output"].as_str().unwrap().starts_with("/workspace\n"), "{shown}");
    between.client_heard_nothing_else();
}
