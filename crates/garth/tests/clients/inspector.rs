//! The command line of the MCP inspector, whose strict mode tells which schemas
//! some client would not take.

use std::{env, path::Path};

use garth_ops::DIALECTS;
use serde_json::Value;

use crate::{
    installed,
    run::{bounded, printed_without_warning},
};

const ERAS: [&str; 2] = ["legacy", "modern"];

/// What a method answers, asked in an era.
fn ask(root: &Path, dialect: &str, era: &str, question: &[&str]) -> Option<Value> {
    let (inspector, node) = installed::node_program("mcp-inspector")?;
    let home = tempfile::tempdir().unwrap();
    let path = env::join_paths(
        std::iter::once(node).chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    let mut client = bounded(&inspector);
    // It keeps a catalogue of servers at home, which is none of ours.
    client.env("PATH", path.unwrap()).env("HOME", home.path());
    client.args(["--cli", env!("CARGO_BIN_EXE_garth"), "mcp"]).arg(root);
    client.args(["--dialect", dialect, "--protocol-era", era]).args(question);
    // Unions of types are told on standard error only, and are what some clients refuse.
    Some(serde_json::from_str(&printed_without_warning(&mut client)).unwrap())
}

#[test]
fn the_schemas_of_every_dialect_pass_the_strict_check() {
    let root = tempfile::tempdir().unwrap();
    for dialect in DIALECTS {
        for era in ERAS {
            let question = ["--method", "tools/list", "--strict"];
            let Some(answer) = ask(root.path(), dialect.name, era, &question) else { return };
            let names: Vec<_> = answer["tools"].as_array().unwrap().iter().collect();
            let names: Vec<_> = names.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
            let ours: Vec<_> = dialect.tools.iter().map(|tool| tool.name).collect();
            assert_eq!(names, ours, "{} {era}", dialect.name);
        }
    }
}

#[test]
fn a_tool_is_called() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("heron.txt"), "grey\n").unwrap();
    for era in ERAS {
        let question = ["--method", "tools/call", "--tool-name", "read"];
        let question = [&question[..], &["--tool-arg", "path=heron.txt"]].concat();
        let Some(answer) = ask(root.path(), "workspace", era, &question) else { return };
        assert_eq!(answer["content"][0]["text"], "1: grey", "{era}: {answer}");
        assert_eq!(answer["structuredContent"]["total_lines"], 1, "{era}: {answer}");
    }
}

#[test]
fn resources_are_listed() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("heron.txt"), "grey\n").unwrap();
    for era in ERAS {
        let question = ["--method", "resources/list"];
        let Some(answer) = ask(root.path(), "workspace", era, &question) else { return };
        assert_eq!(answer["resources"][1]["uri"], "workspace:///heron.txt", "{era}: {answer}");
    }
}
