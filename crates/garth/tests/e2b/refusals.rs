//! Who is not let in, and what there is not, in the shapes that the wire has for it.

use serde_json::{Value, json};

use crate::{
    client::Asked,
    gateway::{Gateway, started},
};

/// The code of an error of Connect.
fn code(answer: &crate::client::Answer) -> (u16, String) {
    (answer.status, answer.json()["code"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_key_that_is_not_good_makes_no_sandbox() {
    let gateway = Gateway::start();
    let body = json!({ "templateID": "base" });
    for key in ["", "e2b_0000", "garth_0000", &gateway.key[..20]] {
        let asked = Asked::new("POST", "/v2/sandboxes").header("X-API-Key", key).json(&body);
        let answer = asked.send(&gateway.address);
        assert_eq!(answer.status, 401, "{answer:?}");
        assert_eq!(answer.json()["code"], 401);
        assert!(answer.json()["message"].is_string());
    }
    // A sandbox's own secret is none either.
    let sandbox = gateway.sandbox();
    let asked = Asked::new("GET", "/v2/sandboxes").header("X-API-Key", &sandbox.token);
    assert_eq!(asked.send(&gateway.address).status, 403);
}

#[test]
fn only_its_own_secret_opens_a_sandbox() {
    let gateway = Gateway::start();
    let (one, other) = (gateway.sandbox(), gateway.sandbox());
    let ask = |token: Option<&str>| {
        let mut asked = Asked::new("POST", "/filesystem.Filesystem/ListDir")
            .header("E2b-Sandbox-Id", &one.id)
            .json(&json!({ "path": "/" }));
        if let Some(token) = token {
            asked = asked.header("X-Access-Token", token);
        }
        asked.send(&gateway.address)
    };
    assert_eq!(ask(Some(&one.token)).status, 200);
    for token in [None, Some(""), Some(&*other.token), Some(&*gateway.key)] {
        assert_eq!(code(&ask(token)), (401, "unauthenticated".to_owned()), "{token:?}");
    }
    let missing = Asked::new("GET", "/files?path=a&signature=v1_x").send(&gateway.address);
    assert_eq!(missing.status, 401, "{missing:?}");
}

#[test]
fn what_is_not_there_says_so() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let id = &sandbox.id;
    for (method, path) in [
        ("POST", format!("/sandboxes/{id}/fork")),
        ("POST", format!("/sandboxes/{id}/snapshots")),
        ("PUT", format!("/sandboxes/{id}/network")),
        ("GET", "/snapshots".to_owned()),
        ("POST", "/v3/templates".to_owned()),
        ("POST", "/templates".to_owned()),
        ("GET", "/templates/x/builds/y/status".to_owned()),
        ("GET", "/volumes".to_owned()),
        ("GET", "/secrets".to_owned()),
        ("GET", "/teams".to_owned()),
    ] {
        let answer = gateway.control(method, &path, None);
        assert_eq!((answer.status, answer.json()["code"].as_u64()), (501, Some(501)), "{path}");
    }
    let mounts = json!({ "templateID": "base", "volumeMounts": [{ "name": "v", "path": "/v" }] });
    assert_eq!(gateway.control("POST", "/v2/sandboxes", Some(&mounts)).status, 501);
    let call = sandbox.call("process.Process/GetWatcher", &json!({}));
    assert_eq!(code(&call), (501, "unimplemented".to_owned()));
    // The port of a program inside.
    let asked = Asked::new("GET", "/")
        .header("E2b-Sandbox-Id", id)
        .header("E2b-Sandbox-Port", "8080")
        .header("X-Access-Token", &sandbox.token);
    let answer = asked.send(&gateway.address);
    assert_eq!(answer.status, 502);
    assert!(answer.json()["message"].as_str().unwrap().contains("port is not open"));
}

#[test]
fn a_sandbox_that_is_gone_is_not_found_in_the_words_that_sdks_know() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let path = format!("/sandboxes/{}", sandbox.id);
    assert_eq!(gateway.control("DELETE", &path, None).status, 204);
    for (method, path) in
        [("DELETE", path.clone()), ("GET", path.clone()), ("POST", format!("{path}/timeout"))]
    {
        let answer = gateway.control(method, &path, Some(&json!({ "timeout": 60 })));
        assert_eq!((answer.status, answer.json()["code"].as_u64()), (404, Some(404)), "{path}");
    }
    let gone = sandbox.call("process.Process/List", &json!({}));
    assert_eq!(gone.status, 502);
    assert!(gone.json()["message"].as_str().unwrap().contains("was not found"), "{gone:?}");
    assert_eq!(sandbox.asked("GET", "/health").send(&gateway.address).status, 502);
    let agents = gateway.data().join("agents").join(&sandbox.id);
    assert!(!agents.exists(), "its files are still there");
}

#[test]
fn what_is_sent_wrongly_is_refused_and_not_guessed() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let wrong = |body: Value| gateway.control("POST", "/v2/sandboxes", Some(&body)).status;
    assert_eq!(wrong(json!({ "templateID": "base", "timeout": 10_000_000 })), 400);
    assert_eq!(wrong(json!({ "templateID": "base", "timeout": "soon" })), 400);
    assert_eq!(wrong(json!({ "templateID": "none" })), 404);
    assert_eq!(wrong(json!({ "templateID": "base", "envVars": { "A=B": "x" } })), 400);
    let call = |name: &str, message: Value| code(&sandbox.call(name, &message));
    let invalid = (400, "invalid_argument".to_owned());
    let missing = (404, "not_found".to_owned());
    let there = (409, "already_exists".to_owned());
    assert_eq!(call("filesystem.Filesystem/Stat", json!({ "path": "a\0b" })), invalid);
    assert_eq!(call("filesystem.Filesystem/Stat", json!({ "path": 7 })), invalid);
    assert_eq!(call("filesystem.Filesystem/Stat", json!({ "path": "none" })), missing);
    assert_eq!(call("filesystem.Filesystem/MakeDir", json!({ "path": "/tmp" })), there);
    assert_eq!(call("process.Process/SendSignal", json!({ "process": { "pid": 99 } })), invalid);
    let signal = json!({ "process": { "pid": 99 }, "signal": "SIGNAL_SIGKILL" });
    assert_eq!(call("process.Process/SendSignal", signal), missing);
    // A stream that is asked for in plain JSON is none.
    let plain = sandbox.call("process.Process/Start", &started("true"));
    let told = plain.messages();
    assert_eq!(told[0]["error"]["code"], "invalid_argument", "{told:?}");
}

#[test]
fn a_sandbox_is_met_by_the_name_of_its_host() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let port = gateway.address.rsplit(':').next().unwrap();
    let ask = |host: &str| {
        Asked::new("POST", "/filesystem.Filesystem/Stat")
            .header("X-Access-Token", &sandbox.token)
            .host(host)
            .json(&json!({ "path": "" }))
            .send(&gateway.address)
    };
    let answer = ask(&format!("49983-{}.localhost:{port}", sandbox.id));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["entry"]["path"], "/home/user");
    // Below a name that is not the gateway's nobody is let in.
    assert_eq!(ask(&format!("49983-{}.elsewhere.example", sandbox.id)).status, 403);
}
