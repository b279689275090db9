//! `garth token` on a data directory.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::{
    scene::command,
    serving::{Data, until, wait},
};

#[test]
fn a_token_is_printed_alone_and_listed_without_its_secret() {
    let data = Data::new();
    data.done(&["agent", "create", "coder"]);
    let token =
        data.done(&["token", "create", "--role", "agent", "--agent", "coder", "--ttl", "1h"]);
    assert!(token.starts_with("garth_") && token.len() == "garth_".len() + 65, "{token}");
    data.done(&["token", "create", "--role", "operator", "--label", "laptop"]);
    let listed = data.done(&["token", "list"]);
    assert!(!listed.contains(token.trim()) && !listed.contains("garth_"), "{listed}");
    assert!(listed.contains("agent:coder  good") && listed.contains("laptop"), "{listed}");
    let tokens = data.payload(&["token", "list"])["tokens"].clone();
    let id = tokens[0]["id"].as_str().unwrap();
    assert_eq!(tokens[0]["agent"], "coder");
    data.done(&["token", "revoke", id]);
    assert!(data.done(&["token", "list"]).contains("agent:coder  taken back"));
    assert_eq!(data.refused(&["token", "revoke", id]).1, "INVALID_PARAMS");
    assert_eq!(data.refused(&["token", "revoke", token.trim()]).1, "INVALID_PARAMS");
    // What was done is on record, and no token is.
    let records = data.done(&["audit", "export"]);
    assert!(records.contains("tokens.revoke") && records.contains("agent:coder"), "{records}");
    assert!(!records.contains("garth_"), "{records}");
}

#[test]
fn a_token_that_makes_no_sense_is_refused() {
    let data = Data::new();
    for arguments in [
        &[][..],
        &["--role", "agent"],
        &["--role", "king"],
        &["--role", "operator", "--ttl", "soon"],
        &["--role", "operator", "--ttl", "0s"],
    ] {
        let run = data.run(&[&["token", "create"], arguments].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?} {run:?}");
    }
    let other = ["token", "create", "--role", "operator", "--agent", "coder"];
    assert_eq!(data.refused(&other), (2, "INVALID_PARAMS".to_owned()));
    let missing = ["token", "create", "--role", "agent", "--agent", "coder"];
    assert_eq!(data.refused(&missing), (1, "AGENT_NOT_FOUND".to_owned()));
}

#[test]
fn taking_a_token_back_ends_its_open_connection_in_a_running_gateway() {
    let data = Data::new();
    let served = data.serve(&[]);
    let made = data.payload(&["token", "create", "--role", "operator"]);
    let (token, id) = (made["token"].as_str().unwrap(), made["id"].as_str().unwrap());
    // A request that lasts until its connection ends.
    let params = json!({ "agentId": "default", "command": "sleep 600" }).to_string();
    let mut waiting = command(&["rpc", "bash", &params, "--url", &served.url, "--json"])
        .env("GARTH_TOKEN", token)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let operator = data.path().join("operator.token");
    let metrics = || {
        let arguments = ["rpc", "agents.list", "--url", &served.url, "--json", "--token-file"];
        let output = command(&[&arguments[..], &[operator.to_str().unwrap()]].concat()).output();
        serde_json::from_slice::<Value>(&output.unwrap().stdout).unwrap()
    };
    assert_eq!(metrics()["ok"], true, "the operator's token of the first start is good");
    data.done(&["token", "revoke", id]);
    assert_eq!(wait(&mut waiting), Some(1));
    let after = until(|| Some(served.ask(token, &["agents.list"])).filter(|run| run.code == 1));
    assert!(after.stdout.contains("UNAUTHENTICATED"), "{after:?}");
}
