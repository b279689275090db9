//! Git through the program as a person starts it, with the options that change where it runs.

use std::{path::Path, process::Command};

use serde_json::{Value, json};

use crate::yard::{Yard, runs_here};

/// Runs `garth tool git` and gives what it printed.
fn tool(root: &Path, params: &Value, options: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
    command.args(["tool", "git", &params.to_string(), "--json", "--root"]).arg(root).args(options);
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn git_runs_in_a_sandbox_also_where_no_commands_do() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("git config core.fsmonitor \"touch $OUTSIDE/fired\"");
    for options in [&[][..], &["--no-exec"], &["--provider", "none"]] {
        let told = tool(&yard.root(), &json!({"action": "status"}), options);
        assert_eq!(told["payload"]["branch"], "main", "{options:?} {told}");
    }
    let commit = json!({"action": "commit", "message": "x", "files": ["b.txt"]});
    let told = tool(&yard.root(), &commit, &["--no-exec"]);
    assert_eq!(told["payload"]["files"][0]["path"], "b.txt", "{told}");
    assert!(!yard.outside().join("fired").exists());
}

#[test]
fn a_read_only_repository_can_be_looked_at_and_not_changed() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("");
    let before = yard.plain("git rev-parse HEAD; cat .git/index | cksum").said;
    for action in ["status", "diff", "log", "show", "branch"] {
        let told = tool(&yard.root(), &json!({"action": action}), &["--read-only"]);
        assert_eq!(told["ok"], true, "{action} {told}");
    }
    for params in [
        json!({"action": "commit", "message": "x"}),
        json!({"action": "checkout", "branch": "x"}),
        json!({"action": "stash"}),
        json!({"action": "restore", "files": ["b.txt"]}),
    ] {
        let told = tool(&yard.root(), &params, &["--read-only"]);
        assert_eq!(told["error"]["code"], "READ_ONLY", "{params} {told}");
    }
    assert_eq!(yard.plain("git rev-parse HEAD; cat .git/index | cksum").said, before);
}

#[test]
fn rules_about_single_paths_leave_no_place_for_git() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("");
    let told = tool(&yard.root(), &json!({"action": "status"}), &["--deny", "**/.env"]);
    assert_eq!(told["error"]["code"], "UNSUPPORTED", "{told}");
}
