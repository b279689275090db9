//! The gateway as a client of MCP over HTTP sees it.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    gateway::Gateway,
    installed,
    run::{bounded, printed},
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
