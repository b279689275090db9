//! Programs that a person starts: the sandbox is theirs, and ends with them.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Output, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::gateway::{Data, configuration, eventually, machine, processes_with};

fn tool(data: &Data, arguments: &[&str]) -> Output {
    let root = data.path().join("project");
    std::fs::create_dir_all(&root).unwrap();
    let mut command = data.garth(&["tool"]);
    command.args(arguments).arg("--root").arg(root).output().unwrap()
}

fn payload(output: &Output) -> Value {
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["ok"], true, "{told}");
    told["payload"].clone()
}

#[test]
fn a_tool_runs_its_command_in_a_sandbox_that_ends_with_it() {
    let Some(machine) = machine() else { return };
    let data = Data::new(&configuration(machine));
    let command =
        r#"{"command":"echo made > here; cat /proc/1/cmdline | tr '\\0' '\\n' | head -n 1"}"#;
    for provider in ["podman", "gvisor"] {
        let output = tool(&data, &["bash", command, "--provider", provider, "--json"]);
        let told = payload(&output);
        assert_eq!(
            (&told["exit_code"], &told["stdout"]),
            (&json!(0), &json!("/run/garth-guest\n"))
        );
        let made = std::fs::read_to_string(data.path().join("project/here")).unwrap();
        assert_eq!(made, "made\n");
    }
    let run = data.path().join("command-line");
    let left = std::fs::read_dir(&run).unwrap();
    let left: Vec<_> = left
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("garth-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    // Flags win over the environment, and that over the file.
    let mut command = data.garth(&["tool", "bash", r#"{"command":"true"}"#, "--json", "--root"]);
    command.arg(data.path().join("project"));
    command.env("GARTH_PROVIDER", "podman").env("GARTH_PODMAN_SOCKET", "/nonexistent/engine");
    let away = command.output().unwrap();
    let told = String::from_utf8_lossy(&away.stdout).into_owned();
    assert!(told.contains("PROVIDER_UNAVAILABLE") && told.contains("Install podman"), "{told}");
    let socket = format!("podman.socket={}", machine.dir.join("runc.sock").display());
    command.args(["--set", &socket]);
    assert_eq!(payload(&command.output().unwrap())["exit_code"], 0);
}

#[test]
fn what_the_command_line_says_wrong_is_wrong_usage() {
    let data = Data::new("");
    for (arguments, word) in [
        (
            &["--provider", "nonsense"][..],
            "Providers are local, podman, gvisor, qemu, firecracker, e2b, none",
        ),
        (&["--provider", "podman", "--set", "podman.sokcet=/x"], "podman.socket may be meant"),
        (&["--provider", "podman", "--set", "podman.socket"], "KEY=VALUE"),
        (&["--provider", "podman", "--set", "containers.memory=much"], "a size such as"),
        (&["--provider", "podman", "--network", "example.org:443"], "containers.network"),
    ] {
        let mut all = vec!["bash", r#"{"command":"true"}"#];
        all.extend(arguments);
        let output = tool(&data, &all);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(word), "{arguments:?}: {told}");
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
    }
    let none = tool(&data, &["bash", r#"{"command":"true"}"#, "--provider", "none"]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("UNSUPPORTED"), "{none:?}");
}

#[test]
fn a_server_for_mcp_ends_its_sandbox_however_it_is_ended() {
    let Some(machine) = machine() else { return };
    let data = Data::new(&configuration(machine));
    let root = data.path().join("project");
    std::fs::create_dir_all(&root).unwrap();
    let mark = format!("mark-mcp-{}", std::process::id());
    let begin = || {
        let mut command = data.garth(&["mcp", "--provider", "podman"]);
        let mut child =
            command.arg(&root).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut ask = |request: Value| {
            writeln!(input, "{request}").unwrap();
            if request.get("id").is_none() {
                return Value::Null;
            }
            serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
        };
        ask(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}));
        ask(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let command = format!("exec -a {mark} sleep 1000");
        let told: Value =
            ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "bash", "arguments": {"command": command, "background": true}}}));
        assert_ne!(told["result"]["isError"], true, "{told}");
        eventually("it runs", || !processes_with(&mark).is_empty());
        (child, input)
    };
    // The client closes its end.
    let (mut child, input) = begin();
    drop(input);
    assert!(child.wait().unwrap().success());
    assert!(processes_with(&mark).is_empty());
    // It is asked to stop.
    let (mut child, input) = begin();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    child.wait().unwrap();
    drop(input);
    assert!(processes_with(&mark).is_empty());
    // It is killed, and the next one finds what it left.
    let (mut child, input) = begin();
    child.kill().unwrap();
    child.wait().unwrap();
    drop(input);
    assert!(!processes_with(&mark).is_empty());
    let output = tool(&data, &["bash", r#"{"command":"true"}"#, "--provider", "podman", "--json"]);
    assert_eq!(payload(&output)["exit_code"], 0);
    assert!(processes_with(&mark).is_empty());
}
