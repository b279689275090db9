//! The list of tools.

use garth_ops::workspace::TOOLS;
use serde_json::Value;

use crate::scene::{Scene, garth};

#[test]
fn every_tool_is_listed_with_its_parameters() {
    let run = garth(&["tool", "--list"], "");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for tool in TOOLS {
        assert!(run.stdout.contains(tool.summary), "{}", tool.name);
    }
    let row = "\n    path      (text, required) The file, relative to the workspace's root.\n";
    assert!(run.stdout.contains(row), "{}", run.stdout);
}

#[test]
fn the_tools_of_another_dialect_are_listed_and_called() {
    let scene = Scene::new(&[("a.txt", "hello\n")]);
    let listed = scene.tool(&["--list", "--dialect", "vfs"]);
    assert!(listed.stdout.contains("\nls: ") || listed.stdout.starts_with("ls: "), "{listed:?}");
    let read = scene.tool(&["read_text_file", r#"{"path":"a.txt"}"#, "--dialect", "reference"]);
    assert_eq!((read.code, read.stdout.trim_end()), (0, "hello"), "{read:?}");
    let wrong = scene.tool(&["--list", "--dialect", "klingon"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("workspace, dispatch, vfs, reference"), "{wrong:?}");
}

#[test]
fn the_list_is_one_object_with_json() {
    let run = garth(&["tool", "--list", "--json"], "");
    let body: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(body["ok"], true);
    let tools = body["payload"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "read",
            "write",
            "edit",
            "apply_patch",
            "glob",
            "grep",
            "list",
            "move",
            "delete",
            "mkdir",
            "stat",
            "diff",
            "bash",
            "output",
            "input",
            "kill",
            "ps",
            "git",
        ]
    );
    for tool in tools {
        assert_eq!(tool["parameters"]["type"], "object");
        assert_eq!(
            tool["read_only"],
            matches!(
                tool["name"].as_str().unwrap(),
                "read" | "glob" | "grep" | "list" | "stat" | "diff" | "output" | "ps"
            )
        );
    }
}

#[test]
fn without_commands_no_tool_for_them_is_listed() {
    let run = garth(&["tool", "--list", "--no-exec"], "");
    assert!(run.stdout.contains("\nstat: ") && !run.stdout.contains("\nbash: "), "{run:?}");
}
