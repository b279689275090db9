//! Terminals: what is typed goes in, what is printed comes out, all ends with whoever
//! opened it.

use std::fs;

use serde_json::{Value, json};

use crate::{
    client::Client,
    server::{Server, until},
};

/// Opens a terminal, or says why there is none here.
fn opened(client: &mut Client, params: Value) -> Option<String> {
    let reply = client.call("terminal.open", params);
    if reply["ok"] == true {
        return Some(reply["payload"]["sessionId"].as_str().unwrap().to_owned());
    }
    assert_eq!(reply["error"]["code"], "PROVIDER_UNAVAILABLE", "{reply}");
    println!("skipped: no sandbox can be made here");
    None
}

/// Reads what is printed until a text is in it.
fn printed(client: &mut Client, session: &str, wanted: &str) -> String {
    let (mut all, mut seq) = (String::new(), None);
    while !all.contains(wanted) {
        let told = client.wait_for("output", |frame| {
            frame["event"] == "terminal.data" && frame["payload"]["sessionId"] == session
        });
        let payload = &told["payload"];
        let number = payload["seq"].as_u64().unwrap();
        assert!(seq.is_none_or(|before| before + 1 == number), "{seq:?} {number}");
        seq = Some(number);
        all.push_str(payload["data"].as_str().unwrap());
    }
    all
}

fn typed(client: &mut Client, session: &str, text: &str) {
    assert_eq!(
        client.ok("terminal.input", json!({"sessionId": session, "data": text})),
        json!({"ok": true})
    );
}

/// How many processes of the agent run.
fn running(client: &mut Client, agent: &str) -> usize {
    let listed = client.ok("ps", json!({"agentId": agent}));
    let all = listed["processes"].as_array().unwrap();
    all.iter().filter(|process| process["running"] == true).count()
}

#[test]
fn a_shell_answers_in_its_terminal_and_ends_by_itself() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let params = json!({"agentId": "bird", "cols": 100, "rows": 30});
    let Some(session) = opened(&mut client, params) else { return };
    typed(&mut client, &session, "stty size; echo a$((20+22))b\r");
    let all = printed(&mut client, &session, "a42b");
    assert!(all.contains("30 100"), "{all:?}");
    client.ok("terminal.resize", json!({"sessionId": session, "cols": 50, "rows": 20}));
    typed(&mut client, &session, "stty size; echo c$((1+1))d\r");
    let all = printed(&mut client, &session, "c2d");
    assert!(all.contains("20 50"), "{all:?}");
    // What was typed as bytes, and what it does to files.
    let data = json!({"sessionId": session, "data": "ZWNobyB4ID4gbWFkZTsgZXhpdCAzDQ==", "encoding": "base64"});
    client.ok("terminal.input", data);
    let exit = client.event("terminal.exit");
    assert_eq!(
        exit,
        json!({"sessionId": session, "exitCode": 3, "signal": null, "reason": "process_exit"})
    );
    assert_eq!(fs::read_to_string(server.files("bird").join("made")).unwrap(), "x\n");
    let gone = json!({"agentId": "bird", "sessionId": session, "data": "x"});
    until("the session is forgotten", || {
        let reply = client.call("terminal.input", gone.clone());
        reply["error"]["code"] == "INVALID_PARAMS"
    });
}

#[test]
fn secrets_that_are_printed_are_not_told() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    fs::write(server.files("bird").join("secret"), format!("{secret}\n")).unwrap();
    let params =
        json!({"agentId": "bird", "cols": 80, "rows": 24, "command": "cat secret; echo end"});
    let Some(session) = opened(&mut client, params) else { return };
    let all = printed(&mut client, &session, "end");
    assert!(all.contains("[REDACTED: GITHUB_TOKEN]") && !all.contains("0123456789abc"), "{all}");
}

#[test]
fn a_terminal_ends_when_it_is_closed_and_with_its_connection() {
    let server = Server::start();
    let token = server.agent_token("bird");
    let mut client = server.client(&token);
    let mut other = server.client(&token);
    let shell = json!({"agentId": "bird", "cols": 80, "rows": 24});
    let Some(first) = opened(&mut client, shell.clone()) else { return };
    let second = opened(&mut client, shell.clone()).unwrap();
    typed(&mut client, &second, "sleep 1000 &\r");
    // Another connection does not know it.
    let params = json!({"agentId": "bird", "sessionId": first, "data": "x"});
    assert_eq!(other.refused("terminal.input", params), "INVALID_PARAMS");
    client.ok("terminal.close", json!({"sessionId": first}));
    let exit = client.event("terminal.exit");
    assert_eq!((&exit["sessionId"], &exit["reason"]), (&json!(first), &json!("closed")));
    assert!(running(&mut other, "bird") >= 1);
    client.drop_dead();
    until("nothing runs", || running(&mut other, "bird") == 0);
}

#[test]
fn a_terminal_can_be_kept() {
    let server = Server::start();
    let token = server.agent_token("bird");
    let mut client = server.client(&token);
    let command = "echo begin; sleep 1000";
    let params =
        json!({"agentId": "bird", "cols": 80, "rows": 24, "command": command, "keep": true});
    let reply = client.call("terminal.open", params);
    if reply["ok"] != true {
        println!("skipped: no sandbox can be made here");
        return;
    }
    let process = reply["payload"]["processId"].as_str().unwrap().to_owned();
    let session = reply["payload"]["sessionId"].as_str().unwrap();
    printed(&mut client, session, "begin");
    client.drop_dead();
    let mut other = server.client(&token);
    let output = other.ok("output", json!({"agentId": "bird", "id": process, "wait_ms": 1_500}));
    assert_eq!(output["running"], true, "{output}");
    other.ok("kill", json!({"agentId": "bird", "id": process}));
    assert_eq!(running(&mut other, "bird"), 0);
}

#[test]
fn a_terminal_that_was_kept_is_attached_again_with_what_it_printed() {
    let server = Server::start();
    let token = server.agent_token("bird");
    let mut client = server.client(&token);
    let params = json!({"agentId": "bird", "cols": 80, "rows": 24, "keep": true});
    let reply = client.call("terminal.open", params);
    if reply["ok"] != true {
        println!("skipped: no sandbox can be made here");
        return;
    }
    let process = reply["payload"]["processId"].as_str().unwrap().to_owned();
    let session = reply["payload"]["sessionId"].as_str().unwrap();
    typed(&mut client, session, "echo a$((20+22))b\r");
    printed(&mut client, session, "a42b");
    client.drop_dead();
    let mut other = server.client(&token);
    let attach = json!({"agentId": "bird", "processId": process, "cols": 50, "rows": 20});
    let again = other.ok("terminal.attach", attach);
    assert_eq!(again["processId"], process.as_str(), "{again}");
    let session = again["sessionId"].as_str().unwrap().to_owned();
    printed(&mut other, &session, "a42b");
    typed(&mut other, &session, "stty size; echo c$((1+1))d\r");
    let all = printed(&mut other, &session, "c2d");
    assert!(all.contains("20 50"), "{all:?}");
    other.ok("terminal.close", json!({"sessionId": session}));
    until("nothing runs", || running(&mut other, "bird") == 0);
    // What has no terminal is not attached to.
    let background = json!({"agentId": "bird", "command": "sleep 1000", "background": true});
    let started = other.ok("bash", background);
    let attach = json!({"agentId": "bird", "processId": started["id"], "cols": 50, "rows": 20});
    assert_eq!(other.call("terminal.attach", attach)["ok"], false);
    // Another agent's is nobody else's.
    let mut stranger = server.agent("heron");
    let attach = json!({"agentId": "bird", "processId": process, "cols": 50, "rows": 20});
    assert_eq!(stranger.refused("terminal.attach", attach), "PERMISSION_DENIED");
}

#[test]
fn an_agent_that_is_stopped_does_nothing_until_it_is_started() {
    let server = Server::start();
    let mut client = server.agent("bird");
    client.ok("worktree.list", json!({"agentId": "bird"}));
    let mut operator = server.operator();
    let stopped = operator.ok("agents.stop", json!({"agentId": "bird"}));
    assert_eq!(stopped["state"], "stopped", "{stopped}");
    let listing = json!({"agentId": "bird"});
    assert_eq!(client.refused("worktree.list", listing.clone()), "PROVIDER_UNAVAILABLE");
    let started = operator.ok("agents.start", json!({"agentId": "bird"}));
    assert_eq!(started["state"], "active", "{started}");
    client.ok("worktree.list", listing);
    assert_eq!(operator.refused("agents.stop", json!({"agentId": "nobody"})), "AGENT_NOT_FOUND");
}

#[test]
fn sizes_and_parameters_are_checked() {
    let server = Server::start();
    let mut client = server.agent("bird");
    for params in [
        json!({"agentId": "bird"}),
        json!({"agentId": "bird", "cols": 0, "rows": 24}),
        json!({"agentId": "bird", "cols": 80, "rows": 2_001}),
        json!({"agentId": "bird", "cols": -1, "rows": 24}),
        json!({"agentId": "bird", "cols": 80, "rows": 24, "command": ""}),
        json!({"agentId": "bird", "cols": 80, "rows": 24, "shell": "/bin/sh"}),
    ] {
        assert_eq!(client.refused("terminal.open", params.clone()), "INVALID_PARAMS", "{params}");
    }
    let outside = json!({"agentId": "bird", "cols": 80, "rows": 24, "workdir": "../.."});
    assert_eq!(client.refused("terminal.open", outside), "PATH_OUTSIDE_WORKSPACE");
}

#[test]
fn processes_have_a_bound_as_long_as_they_run() {
    let server = Server::start();
    let limits = json!({"processes": 2});
    server
        .operator()
        .ok("agents.create", json!({"agentId": "bird", "settings": {"limits": limits}}));
    let mut client = server.client(&server.token(json!({"role": "agent", "agentId": "bird"})).0);
    let params = json!({"agentId": "bird", "cols": 80, "rows": 24});
    let Some(session) = opened(&mut client, params.clone()) else { return };
    let background = json!({"agentId": "bird", "command": "sleep 1000", "background": true});
    let started = client.ok("bash", background.clone());
    for (method, params) in [("terminal.open", params.clone()), ("bash", background.clone())] {
        assert_eq!(client.refused(method, params), "RATE_LIMIT_EXCEEDED", "{method}");
    }
    client.ok("kill", json!({"agentId": "bird", "id": started["id"]}));
    client.ok("terminal.close", json!({"sessionId": session}));
    for _ in 0..2 {
        until("a place is free", || client.call("bash", background.clone())["ok"] == true);
    }
    assert_eq!(client.refused("bash", background), "RATE_LIMIT_EXCEEDED");
}
