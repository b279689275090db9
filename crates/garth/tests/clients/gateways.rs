//! The gateway as others' programs see it: MCP over HTTP, and schemathesis on its
//! document.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    gateway::Gateway,
    installed,
    run::{bounded, printed, within},
};

/// Shows that a fact holds, as drive/__main__.py names it.
fn holds(era: &str, fact: &str) {
    let Some(python) = installed::python("mcp") else { return };
    let gateway = Gateway::start_with(PLENTY);
    let tools: Vec<_> = garth_ops::workspace::DIALECT.tools.iter().map(|tool| tool.name).collect();
    let url = format!("http://{}/mcp", gateway.address);
    let scene = json!({
        "url": url,
        "token": gateway.agent("default"),
        "tools": tools,
        "instructions": instructions(&gateway),
    });
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/drive");
    let mut client = bounded(&python);
    client.arg("-B").args([driver, "mcp", era, fact, &scene.to_string()]);
    printed(&mut client);
}

/// What `garth mcp` tells a model about the same directory.
fn instructions(gateway: &Gateway) -> String {
    let mut server = Command::new(env!("CARGO_BIN_EXE_garth"));
    server.arg("mcp").arg(gateway.directory("default"));
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let greeting = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    });
    writeln!(server.stdin.as_ref().unwrap(), "{greeting}").unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    drop(server.stdin.take());
    server.wait().unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    told["result"]["instructions"].as_str().unwrap().to_owned()
}

macro_rules! facts {
    ($module:ident: $era:literal) => {
        mod $module {
            use super::holds;

            #[test]
            fn tools_answer_and_a_model_is_told_what_it_is_told_elsewhere() {
                holds($era, "gateways_answer");
            }

            #[test]
            fn files_are_resources_and_paths_are_completed() {
                holds($era, "gateways_show_files");
            }

            #[test]
            fn a_long_search_tells_of_its_progress() {
                holds($era, "gateways_tell_progress");
            }
        }
    };
}

facts!(mcp_over_http_after_a_handshake: "handshake");
facts!(mcp_over_http_stateless: "stateless");

/// Schemathesis sends what the document allows and what it does not, and looks whether
/// the answers are what it says.
#[test]
fn schemathesis_finds_nothing_wrong_with_the_document() {
    let Some(python) = installed::python("schemathesis") else { return };
    let gateway = Gateway::start_with(PLENTY);
    if !gateway.runs_commands() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("hooks.py"), HOOKS).unwrap();
    std::fs::write(directory.path().join("schemathesis.toml"), CONFIG).unwrap();
    let url = format!("http://{}/v1/openapi.json", gateway.address);
    let token = format!("Authorization: Bearer {}", gateway.agent("default"));
    let mut command: Command = within(&python.with_file_name("st"), SECONDS);
    command.current_dir(directory.path()).env("SCHEMATHESIS_HOOKS", "hooks");
    command.env("PYTHONPATH", directory.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("NO_PROXY", "*").args(["run", &url, "--header", &token]);
    printed(&mut command);
}

/// How many seconds it gets: several times what it needs on a slow machine.
const SECONDS: &str = "900";

/// Limits that nobody reaches.
const PLENTY: &str = r"
[limits.programs.caller]
worktree_per_minute = 1_000_000
tools_per_minute = 1_000_000
admin_per_minute = 1_000_000
bytes_per_minute = 100_000_000_000
[limits.programs.workspace]
worktree_per_minute = 1_000_000
tools_per_minute = 1_000_000
admin_per_minute = 1_000_000
bytes_per_minute = 100_000_000_000
";

/// The agent's token has one workspace, so that is the one that is meant.
const HOOKS: &str = r#"
import re
import schemathesis

AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if path_parameters and AGENT.fullmatch(str(path_parameters.get("id", ""))):
        path_parameters["id"] = "default"
    return path_parameters

@schemathesis.hook
def map_body(context, body):
    if isinstance(body, dict) and isinstance(body.get("agentId"), str):
        body["agentId"] = "default"
    return body
"#;

/// What fits the schema can still be refused, and tools take near misses on purpose.
const CONFIG: &str = r#"
seed = 20261116
workers = 1
[generation]
max-examples = 3
deterministic = true
[phases.stateful]
enabled = false
[checks]
positive_data_acceptance.enabled = false
[[operations]]
include-path-regex = "^/v1/workspaces/"
checks.negative_data_rejection.enabled = false
"#;
