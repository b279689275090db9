//! `garth rpc`: one request to a running gateway.

use serde_json::Value;

use crate::{
    scene::{command, garth},
    serving::Data,
};

#[test]
fn a_request_is_answered_in_text_and_in_json() {
    let data = Data::new();
    let served = data.serve(&[]);
    let file = data.path().join("operator.token");
    let file = ["--token-file", file.to_str().unwrap(), "--url", &served.url];
    let list = ["rpc", "worktree.list", r#"{"agentId":"default","path":"/"}"#];
    let run = garth(&[&list[..], &file].concat(), "");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    assert!(run.stdout.contains("\n  \"entries\": []"), "{run:?}");
    let run = garth(
        &[&["rpc", "agents.get", "-", "--json"], &file[..]].concat(),
        r#"{"agentId":"default"}"#,
    );
    let body: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &body["payload"]["id"]), (0, &"default".into()), "{run:?}");

    let missing = ["rpc", "worktree.stat", r#"{"agentId":"default","path":"nope"}"#];
    let run = garth(&[&missing[..], &file].concat(), "");
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run:?}");
    assert!(run.stderr.contains("(FILE_NOT_FOUND)\nhint: "), "{run:?}");
    let run = garth(&[&missing[..], &file, &["--json"]].concat(), "");
    let body: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &body["error"]["code"]), (1, &"FILE_NOT_FOUND".into()), "{run:?}");
    let run = garth(&[&["rpc", "nonsense"], &file[..]].concat(), "");
    assert!(run.code == 1 && run.stderr.contains("UNKNOWN_METHOD"), "{run:?}");
}

#[test]
fn a_gateway_that_does_not_let_in_or_is_not_there_is_a_failure() {
    let data = Data::new();
    let served = data.serve(&[]);
    for token in ["garth_0", "nonsense"] {
        let run = served.ask(token, &["agents.list"]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stdout.contains("UNAUTHENTICATED"), "{run:?}");
    }
    let url = served.url.clone();
    drop(served);
    let run = command(&["rpc", "agents.list", "--url", &url]).env("GARTH_TOKEN", "x").output();
    let run = run.unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(1), "{said}");
    assert!(said.contains("cannot be reached"), "{said}");
}

#[test]
fn a_request_that_makes_no_sense_is_wrong_usage() {
    for (arguments, what) in [
        (&["rpc", "x", "{"][..], "the parameters are no JSON"),
        (&["rpc", "x", "--url", "nonsense"], "the address of the gateway is none"),
        (&["rpc", "x", "--token-file", "/nonexistent/token"], "cannot be read"),
        (&["rpc", "x"], "there is no token to ask with"),
    ] {
        let run = garth(arguments, "");
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?} {run:?}");
        assert!(run.stderr.contains(what), "{arguments:?} {run:?}");
    }
}
