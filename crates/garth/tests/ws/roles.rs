//! Every operation, by every role, on its own, another's and a missing workspace.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::{Value, json};

use crate::{client::Client, server::Server};

/// What is asked of a workspace. It need not succeed: whether it is let through to the
/// operation is what counts.
fn on_workspaces(hello: &Value) -> Vec<String> {
    let methods = hello["features"]["methods"].as_array().unwrap();
    let all = methods.iter().map(|method| method.as_str().unwrap().to_owned());
    all.filter(|name| !on_gateway(name)).collect()
}

fn on_gateway(name: &str) -> bool {
    // What a sandbox uses is its own agent's to ask.
    ["agents.", "tokens.", "audit.", "approvals.", "e2b.sandboxes.", "e2b.templates."]
        .iter()
        .any(|family| name.starts_with(family))
        && name != "e2b.sandboxes.metrics"
}

fn hello(client: &mut Client) -> Value {
    client.ok("connect", json!({}))
}

/// What a call comes to: past the checks, or refused by them.
fn outcome(client: &mut Client, method: &str, agent: &str) -> String {
    let reply = client.call(method, json!({"agentId": agent, "nothing": "sensible"}));
    assert_eq!(reply["ok"], false, "{method} takes no parameter of that name: {reply}");
    let error = &reply["error"];
    match error["code"].as_str().unwrap() {
        // Some are asked with more than parameters, which comes another way.
        "INVALID_PARAMS" | "UNSUPPORTED" => "asked".to_owned(),
        code => format!("{code}: {}", error["message"].as_str().unwrap()),
    }
}

#[test]
fn the_matrix_of_operations_and_roles_is_right() {
    let server = Server::start();
    let mut operator = server.operator();
    for id in ["own", "other"] {
        operator.ok(
            "agents.create",
            json!({"agentId": id, "settings": {"limits": {"requestsPerMinute": 1_000}}}),
        );
    }
    let methods = on_workspaces(&hello(&mut operator));
    assert!(methods.len() >= 20, "{methods:?}");
    let token = |grant| server.token(grant).0;
    let mut table =
        String::from("operation                 operator             agent              user\n");
    let denied = "PERMISSION_DENIED: permission denied";
    let missing = "AGENT_NOT_FOUND: no such agent";
    for method in &methods {
        // Each has a token of its own, so that no budget is in the way.
        let mut operator = server.client(&token(json!({"role": "operator"})));
        let mut agent = server.client(&token(json!({"role": "agent", "agentId": "own"})));
        let mut user = server.client(&token(json!({"role": "user"})));
        let mut row = format!("{method:<25}");
        for (client, expected) in [
            (&mut operator, ["asked", "asked", missing]),
            (&mut agent, ["asked", denied, denied]),
            (&mut user, [denied, denied, denied]),
        ] {
            let got = ["own", "other", "missing"].map(|id| outcome(client, method, id));
            assert_eq!(got, expected, "{method}");
            let short = got.map(|text| text.chars().next().unwrap().to_string());
            row.push_str(&format!(" {:<19}", short.join(" ")));
        }
        table.push_str(&format!("{}\n", row.trim_end()));
    }
    println!("own other missing; a: asked, P: PERMISSION_DENIED, A: AGENT_NOT_FOUND\n{table}");
}

#[test]
fn what_is_the_operators_is_nobody_elses() {
    let server = Server::start();
    let mut operator = server.operator();
    operator.ok("agents.create", json!({"agentId": "own"}));
    let methods = hello(&mut operator);
    let methods = methods["features"]["methods"].as_array().unwrap().iter();
    let admin: Vec<_> =
        methods.map(|name| name.as_str().unwrap()).filter(|name| on_gateway(name)).collect();
    assert!(admin.len() >= 11, "{admin:?}");
    for grant in [json!({"role": "agent", "agentId": "own"}), json!({"role": "user"})] {
        let mut client = server.client(&server.token(grant).0);
        for method in &admin {
            let params =
                json!({"agentId": "own", "id": "x", "role": "operator", "decision": "allow"});
            assert_eq!(client.refused(method, params), "PERMISSION_DENIED", "{method}");
        }
    }
    // To see text as it is, is the operator's right too.
    std::fs::write(server.files("own").join("a"), "x").unwrap();
    let raw = json!({"agentId": "own", "path": "a", "redact": false});
    operator.ok("worktree.read", raw.clone());
    let mut agent = server.client(&server.token(json!({"role": "agent", "agentId": "own"})).0);
    assert_eq!(agent.refused("worktree.read", raw), "PERMISSION_DENIED");
}

#[test]
fn tokens_are_listed_without_their_secrets() {
    let server = Server::start();
    let (secret, id) = server.token(json!({"role": "operator", "label": "for the heron"}));
    let listed = server.operator().ok("tokens.list", json!({}));
    let all = listed["tokens"].as_array().unwrap();
    let one = all.iter().find(|token| token["id"] == id.as_str()).unwrap();
    assert_eq!((&one["role"], &one["label"]), (&json!("operator"), &json!("for the heron")));
    assert!(!listed.to_string().contains(&secret) && !listed.to_string().contains("garth_"));
    let page = server.operator().ok("tokens.list", json!({"limit": 1}));
    assert_eq!(page["tokens"].as_array().unwrap().len(), 1);
    let next =
        server.operator().ok("tokens.list", json!({"limit": 1, "cursor": page["nextCursor"]}));
    assert_ne!(next["tokens"], page["tokens"]);
    // The record has who it was for, and nothing of the token.
    let records = server.operator().ok("audit.list", json!({"operation": "tokens.create"}));
    let text = records.to_string();
    assert!(text.contains("for the heron") && !text.contains(&secret), "{text}");
}

#[test]
fn every_method_is_in_the_document_or_needs_more_than_a_request() {
    // What stays open on a connection, what carries bytes, and what only MCP asks for.
    const OTHERS: &[&str] = &[
        "worktree.watch",
        "worktree.unwatch",
        "worktree.upload.",
        "worktree.archive",
        "worktree.restore",
        "terminal.",
        "files.",
        "mcp.",
        "e2b.",
    ];
    let server = Server::start();
    let methods = hello(&mut server.operator());
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let host = &server.address;
    write!(stream, "GET /v1/openapi.json HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut document = String::new();
    stream.read_to_string(&mut document).unwrap();
    for name in methods["features"]["methods"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        let told = document.contains(&format!("\"/v1/rpc/{name}\""))
            || document.contains(&format!("\"/v1/workspaces/{{id}}/{name}\""));
        let other = OTHERS.iter().any(|other| name.starts_with(other));
        assert!(told != other, "{name}");
    }
}
