//! What is started ends: with its time, with its call, with the server.

use std::{fs, process::Command};

use serde_json::json;

use crate::yard::{Yard, mark, processes_with, until};

#[test]
fn nothing_of_a_command_outlives_its_time() {
    let yard = Yard::new();
    let mark = mark(&yard.root());
    let mut server = yard.server(&[]);
    let script = format!(
        "exec -a {mark} sleep 1000 & disown; setsid bash -c 'exec -a {mark} sleep 1000' & \
         (setsid nohup bash -c 'trap \"\" TERM HUP; exec -a {mark} sleep 1000' &) & sleep 1000"
    );
    let ran = server.bash_with(&json!({"command": script, "timeout_ms": 1500}));
    assert!(ran.failed, "{ran:?}");
    assert!(ran.text.contains("COMMAND_TIMEOUT"), "{ran:?}");
    assert!(processes_with(&mark).is_empty(), "something is left");
}

#[test]
fn a_command_that_ends_leaves_nothing_behind_and_is_not_waited_for() {
    let yard = Yard::new();
    let mark = mark(&yard.root());
    let mut server = yard.server(&[]);
    let ran = server.bash(&format!("setsid bash -c 'exec -a {mark} sleep 1000' & echo done"));
    assert_eq!(ran.code(), 0);
    assert!(processes_with(&mark).is_empty(), "something is left");
}

#[test]
fn background_processes_share_one_machine_and_end_with_the_server() {
    let yard = Yard::new();
    let mark = mark(&yard.root());
    let mut server = yard.server(&[]);
    let script = format!(
        "cd /tmp && echo served > page && exec -a {mark} python3 -m http.server 8123 --bind 127.0.0.1"
    );
    let id = server.background(&script);
    let fetch = "import urllib.request as u; print(u.urlopen('http://localhost:8123/page').read())";
    until("the server inside answers", || {
        server.bash(&format!("python3 -c \"{fetch}\"")).text.contains("served")
    });
    // The same port outside is nobody's, or somebody else's.
    assert!(!processes_with(&mark).is_empty());
    let listed = server.0.call("ps", &json!({}));
    assert!(listed["content"][0]["text"].as_str().unwrap().contains(&id), "{listed}");
    let (_, code) = server.0.close();
    assert_eq!(code, Some(0));
    until("its processes are gone", || processes_with(&mark).is_empty());
}

#[test]
fn a_server_that_is_killed_takes_its_commands_with_it() {
    let yard = Yard::new();
    let mark = mark(&yard.root());
    let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
    command.arg("mcp").arg(yard.root());
    let mut client = crate::client::Client::of(&mut command);
    client.greet();
    let mut server = crate::yard::Server(client);
    server.background(&format!(
        "setsid bash -c 'exec -a {mark} sleep 1000' & exec -a {mark} sleep 1000"
    ));
    server.0.begin("bash", &json!({"command": format!("exec -a {mark} sleep 1000")}));
    until("all of them run", || processes_with(&mark).len() >= 3);
    server.0.kill();
    until("no orphan is left", || processes_with(&mark).is_empty());
}

#[test]
fn a_call_that_is_cancelled_ends_its_command() {
    let yard = Yard::new();
    let mark = mark(&yard.root());
    let mut server = yard.server(&[]);
    let id = server.0.begin("bash", &json!({"command": format!("exec -a {mark} sleep 1000")}));
    until("it runs", || !processes_with(&mark).is_empty());
    let params = json!({"requestId": id, "reason": "enough"});
    server
        .0
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    until("it is gone", || processes_with(&mark).is_empty());
    assert_eq!(server.bash("echo on").text.trim(), "on");
}

#[test]
fn a_sandbox_that_is_lost_is_made_anew_and_files_stay() {
    let yard = Yard::new();
    let mark = mark(&yard.root());
    let mut server = yard.server(&[]);
    let lost = server.background(&format!("echo kept > file; exec -a {mark} sleep 1000"));
    // One look: between two, what runs may be about to become another program.
    let mut found = Vec::new();
    until("it runs", || {
        found = processes_with(&mark);
        !found.is_empty()
    });
    // The guest is the parent of the parent of what it runs.
    let pid = found[0];
    let guest = first_inside(pid);
    assert!(Command::new("kill").args(["-9", &guest.to_string()]).status().unwrap().success());
    until("everything inside is gone", || processes_with(&mark).is_empty());
    let mut last = None;
    until("commands run again", || {
        let ran = server.bash("cat file");
        let right = ran.text.trim() == "kept";
        last = Some(ran);
        right
    });
    let told = server.0.call("output", &json!({"id": lost}));
    assert_eq!(told["isError"], true, "{told}");
    let next = server.background("true");
    assert_ne!(next, lost);
}

/// The outermost process of the sandbox that a process is in.
fn first_inside(mut pid: u32) -> u32 {
    loop {
        let stat = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let field = |name: &str| {
            let line = stat.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        // The last number is the one that the process has in its own namespace.
        if field("NSpid:").last().map(String::as_str) == Some("1") {
            return pid;
        }
        pid = field("PPid:")[0].parse().unwrap();
    }
}
