//! Wrong usage ends with 2, and says what is right.

use serde_json::Value;

use crate::scene::{Scene, garth};

#[test]
fn a_command_line_that_makes_no_sense_ends_with_2() {
    for arguments in [
        &[][..],
        &["nonsense"],
        &["tool"],
        &["tool", "read", "{}", "extra"],
        &["tool", "read", "--nonsense"],
        &["tool", "read", "{}", "--root"],
        &["tool", "read", "--list"],
    ] {
        let run = garth(arguments, "");
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?} {run:?}");
        assert!(run.stderr.contains("--help"), "{arguments:?} {run:?}");
    }
}

#[test]
fn an_unknown_tool_is_wrong_usage_and_the_tools_are_named() {
    let scene = Scene::new(&[]);
    let run = scene.tool(&["nope", "{}"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("there is no tool \"nope\" (UNKNOWN_METHOD)"), "{run:?}");
    assert!(run.stderr.contains("read, write, edit"), "{run:?}");
    let run = scene.tool(&["nope", "{}", "--json"]);
    let body: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &body["error"]["code"]), (2, &"UNKNOWN_METHOD".into()));
}

#[test]
fn parameters_that_are_no_json_are_wrong_usage() {
    let scene = Scene::new(&[]);
    for bad in ["", "{", "{'path':'a'}", "path=a", "{} {}"] {
        let run = scene.tool(&["read", bad]);
        assert_eq!(run.code, 2, "{bad} {run:?}");
        assert!(run.stderr.contains("INVALID_REQUEST"), "{bad} {run:?}");
    }
    let root = scene.path().to_str().unwrap();
    let run = garth(&["tool", "read", "-", "--root", root, "--json"], "{nope");
    let body: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &body["ok"]), (2, &Value::Bool(false)));
}

#[test]
fn wrong_parameters_are_a_refusal() {
    let scene = Scene::new(&[]);
    assert_eq!(scene.error(&["read", "{}"])["code"], "INVALID_PARAMS");
    assert_eq!(scene.error(&["read", "[]"])["code"], "INVALID_PARAMS");
    assert_eq!(scene.error(&["read"])["code"], "INVALID_PARAMS", "no JSON is an empty object");
}

#[test]
fn help_has_an_example_of_each_command() {
    for (arguments, example) in [
        (&["--help"][..], "garth tool"),
        (&["tool", "--help"], "garth tool grep '{\"pattern\":\"TODO\""),
        (&["redact", "--help"], "garth redact"),
        (&["serve", "--help"], "garth serve --data"),
        (&["agent", "--help"], "garth agent create coder"),
        (&["agent", "update", "--help"], "garth agent update coder"),
        (&["token", "--help"], "garth token create --role"),
        (&["token", "revoke", "--help"], "garth token revoke "),
        (&["audit", "--help"], "garth audit verify"),
        (&["audit", "export", "--help"], "garth audit export"),
        (&["rpc", "--help"], "garth rpc worktree.list"),
        (&["config", "check", "--help"], "garth config check"),
    ] {
        let run = garth(arguments, "");
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.stdout.contains(example), "{arguments:?} {}", run.stdout);
    }
    assert!(garth(&["--version"], "").stdout.starts_with("garth "));
}

#[test]
fn the_doctor_says_which_places_for_commands_there_are() {
    let dir = tempfile::tempdir().unwrap();
    let socket = format!("podman.socket={}", dir.path().join("no-engine.sock").display());
    let runsc = format!("gvisor.runsc={}", dir.path().join("no-runsc").display());
    let [qemu, firecracker] = ["qemu", "firecracker"]
        .map(|name| format!("{name}.program={}", dir.path().join(name).display()));
    let mut arguments = vec!["doctor", "--json"];
    for key in [&socket, &runsc, &qemu, &firecracker] {
        arguments.extend(["--set", key]);
    }
    let run = garth(&arguments, "");
    let body: Value = serde_json::from_str(&run.stdout).unwrap();
    let providers = body["payload"]["providers"].as_array().unwrap();
    let names: Vec<_> = providers.iter().map(|one| one["provider"].as_str().unwrap()).collect();
    assert_eq!(names, ["podman", "gvisor", "qemu", "firecracker", "e2b"]);
    for provider in providers {
        assert_eq!(provider["ready"], false, "{provider}");
        assert!(!provider["why"].as_str().unwrap().is_empty(), "{provider}");
        assert!(!provider["advice"].as_str().unwrap().is_empty(), "{provider}");
    }
    let run = garth(&["doctor", "--set", "podman.nonsense=1"], "");
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("podman.nonsense"), "{run:?}");
}
