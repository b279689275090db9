//! Schemathesis sends what the gateway's document allows and what it does not, and looks
//! whether the answers are what it says.
//!
//! Every check that it has is on. One is made stricter and told what no schema can say:
//! see `schemathesis/hooks.py`.

use std::process::Command;

use crate::{
    gateway::Gateway,
    installed,
    run::{printed, within},
};

/// How many seconds it gets: several times what it needs on a slow machine.
const SECONDS: &str = "900";

#[test]
fn an_agent_finds_the_gateway_as_its_document_says() {
    run(&Asks::Agent);
}

#[test]
fn an_operator_finds_the_gateway_as_its_document_says() {
    run(&Asks::Operator);
}

/// Who asks.
enum Asks {
    Agent,
    Operator,
}

fn run(asks: &Asks) {
    let Some(python) = installed::python("schemathesis") else { return };
    let gateway = Gateway::start_with(PLENTY);
    if !gateway.runs_commands() {
        return;
    }
    gateway.create("other");
    let token = match asks {
        Asks::Agent => gateway.agent("default"),
        Asks::Operator => gateway.operator.clone(),
    };
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("hooks.py", include_str!("schemathesis/hooks.py")),
        ("schemathesis.toml", include_str!("schemathesis/schemathesis.toml")),
    ] {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    let url = format!("http://{}/v1/openapi.json", gateway.address);
    let token = format!("Authorization: Bearer {token}");
    let mut command: Command = within(&python.with_file_name("st"), SECONDS);
    command.current_dir(directory.path()).env("SCHEMATHESIS_HOOKS", "hooks");
    command.env("PYTHONPATH", directory.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    printed(command.env("NO_PROXY", "*").args(["run", &url, "--header", &token]));
}

/// Limits that nobody reaches.
const PLENTY: &str = r"
[limits.programs.caller]
worktree_per_minute = 1_000_000
tools_per_minute = 1_000_000
admin_per_minute = 1_000_000
bytes_per_minute = 100_000_000_000
processes = 10_000
[limits.programs.workspace]
worktree_per_minute = 1_000_000
tools_per_minute = 1_000_000
admin_per_minute = 1_000_000
bytes_per_minute = 100_000_000_000
processes = 10_000
";
