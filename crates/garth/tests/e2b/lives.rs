//! The lives of sandboxes beyond what an SDK asks for: once, over a restart, on record.

use std::{path::Path, process::Command};

use serde_json::{Value, json};

use crate::{
    client::Asked,
    gateway::{Gateway, Sandbox, started, until},
};

#[test]
fn a_sandbox_is_made_once_for_one_name() {
    let gateway = Gateway::start();
    let make = |name: &str| {
        let asked = Asked::new("POST", "/v2/sandboxes")
            .header("X-API-Key", &gateway.key)
            .header("Idempotency-Key", name)
            .json(&json!({ "templateID": "base", "timeout": 300 }));
        asked.send(&gateway.address).json()["sandboxID"].as_str().unwrap().to_owned()
    };
    let first = make("one");
    assert_eq!(make("one"), first);
    assert_ne!(make("two"), first);
}

#[test]
fn there_are_no_more_sandboxes_than_there_may_be() {
    let gateway = Gateway::with("[e2b]\nenabled = true\nsandboxes = 1\n");
    let first = gateway.sandbox();
    let body = json!({ "templateID": "base", "timeout": 300 });
    let second = gateway.control("POST", "/v2/sandboxes", Some(&body));
    assert_eq!((second.status, second.json()["code"].as_u64()), (429, Some(429)), "{second:?}");
    assert_eq!(gateway.control("DELETE", &format!("/sandboxes/{}", first.id), None).status, 204);
    gateway.sandbox();
}

#[test]
fn a_sandbox_has_its_files_again_after_a_restart_of_the_gateway() {
    let mut gateway = Gateway::start();
    let (running, paused, token) = {
        let (running, paused) = (gateway.sandbox(), gateway.sandbox());
        for sandbox in [&running, &paused] {
            assert_eq!(sandbox.run("echo kept > kept.txt; cat kept.txt"), "kept\n");
        }
        let path = format!("/sandboxes/{}/pause", paused.id);
        assert_eq!(gateway.control("POST", &path, None).status, 204);
        (running.id.clone(), paused.id.clone(), running.token.clone())
    };
    gateway.start_again();
    let state = |id: &str| {
        let told = gateway.control("GET", &format!("/sandboxes/{id}"), None).json();
        told["state"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!((state(&running), state(&paused)), ("running".to_owned(), "paused".to_owned()));
    let again = Sandbox { gateway: &gateway, id: running, token };
    assert_eq!(again.run("cat kept.txt"), "kept\n");
    let body = json!({ "timeout": 300 });
    let met = gateway.control("POST", &format!("/v2/sandboxes/{paused}/connect"), Some(&body));
    assert_eq!(met.status, 201, "{met:?}");
    let token = met.json()["envdAccessToken"].as_str().unwrap().to_owned();
    let resumed = Sandbox { gateway: &gateway, id: paused, token };
    assert_eq!(resumed.run("cat kept.txt"), "kept\n");
}

#[test]
fn what_is_done_in_a_sandbox_is_on_record() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    assert_eq!(sandbox.run("echo visible-command"), "visible-command\n");
    assert_eq!(sandbox.call("filesystem.Filesystem/Stat", &json!({ "path": "/tmp" })).status, 200);
    let refused = Asked::new("GET", "/v2/sandboxes").header("X-API-Key", &sandbox.token);
    assert_eq!(refused.send(&gateway.address).status, 403);
    let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
    command.args(["audit", "list", "--json", "--data"]).arg(gateway.data());
    let listed = command.output().unwrap();
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    for expected in [
        "e2b.sandboxes.create",
        "e2b.process.start",
        "visible-command",
        "e2b.files.stat",
        "PERMISSION_DENIED",
    ] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    assert!(!text.contains(&sandbox.token), "a secret is on record");
}

#[test]
fn a_paused_sandbox_goes_on_by_itself_where_it_was_made_so() {
    let gateway = Gateway::start();
    let body: Value =
        json!({ "templateID": "base", "timeout": 300, "autoResume": { "enabled": true } });
    let sandbox = gateway.sandbox_with(&body);
    sandbox.run("echo here > /tmp/here");
    let pause = format!("/sandboxes/{}/pause", sandbox.id);
    assert_eq!(gateway.control("POST", &pause, None).status, 204);
    assert_eq!(gateway.control("POST", &pause, None).status, 409);
    assert_eq!(sandbox.run("cat /tmp/here"), "here\n");
}

/// The states of the processes of this machine that have this in their arguments.
fn states(mark: &str) -> Vec<char> {
    let found = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let arguments = std::fs::read(entry.path().join("cmdline")).ok()?;
        String::from_utf8_lossy(&arguments).contains(mark).then_some(())?;
        let facts = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        facts.rsplit_once(')')?.1.trim().chars().next()
    });
    found.collect()
}

#[test]
fn everything_in_a_paused_sandbox_stands_still_and_then_goes_on() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let mark = format!("stands-still-in-{}", sandbox.id);
    let script = format!("(exec -a {mark} sleep 1000) & exec -a {mark} sleep 1000");
    let begun = sandbox.streaming("process.Process/Start", &started(&script));
    let mut stream = begun.begin(&gateway.address);
    assert!(stream.message()["event"]["start"].is_object());
    until("that both run", || states(&mark).len() == 2);
    let path = format!("/sandboxes/{}", sandbox.id);
    assert_eq!(gateway.control("POST", &format!("{path}/pause"), None).status, 204);
    until("that both stand still", || states(&mark) == ['T', 'T']);
    let body = json!({ "timeout": 300 });
    let met = gateway.control("POST", &format!("/v2{path}/connect"), Some(&body));
    assert_eq!(met.status, 201, "{met:?}");
    until("that both go on", || states(&mark) == ['S', 'S']);
}

#[test]
fn a_template_is_a_root_filesystem_by_its_name() {
    let debian = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/roots/debian");
    if !debian.join("usr/bin/bash").is_file() {
        println!("skipped: there is no Debian in .cache/roots");
        return;
    }
    let debian = debian.canonicalize().unwrap();
    // Its own provider is not that of all others, which could not have made it.
    let others = "provider = \"podman\"\n[podman]\nsocket = \"/nonexistent\"";
    let list = format!("templates = [\"small=local:{}\"]", debian.display());
    let gateway = Gateway::with(&format!("[e2b]\nenabled = true\n{list}\n{others}\n"));
    let sandbox = gateway.sandbox_with(&json!({ "templateID": "small", "timeout": 300 }));
    // It has what that system has, and not what this machine has.
    let outside = Path::new("/usr/bin/git").exists();
    let script = "ls /usr/bin/git 2>/dev/null; touch /usr/bin/mine && sudo id -u";
    assert!(outside, "this machine has no git to tell them apart by");
    assert_eq!(sandbox.run(script), "0\n");
    assert!(!debian.join("usr/bin/mine").exists());
    let listed = gateway.control("GET", "/templates", None).json();
    let counts: Vec<_> = listed.as_array().unwrap().iter().collect();
    let names: Vec<_> = counts.iter().map(|one| one["templateID"].as_str().unwrap()).collect();
    assert_eq!(names, ["base", "code-interpreter-v1", "small"]);
    assert_eq!(counts[2]["spawnCount"], 1, "{listed}");
    let unknown = json!({ "templateID": "large" });
    let unknown = gateway.control("POST", "/v2/sandboxes", Some(&unknown));
    let told = json!({ "code": 404, "message": "there is no template \"large\"" });
    assert_eq!((unknown.status, unknown.json()), (404, told));
}

#[test]
fn a_system_that_is_only_shown_is_not_changed_and_has_no_root() {
    let gateway = Gateway::with("[e2b]\nenabled = true\nsystem = \"shown\"\n");
    let sandbox = gateway.sandbox();
    let script = "touch /usr/mine /etc/mine /opt/mine; ls /run/garth; whoami";
    assert_eq!(sandbox.run(script), "user\n");
    let asked = sandbox.streaming("process.Process/Start", &started("id -u"));
    // `root:` as a client of HTTP says it.
    let told = asked.header("Authorization", "Basic cm9vdDo=").send(&gateway.address).messages();
    assert_eq!(told[0]["error"]["code"], "unauthenticated", "{told:?}");
}

#[test]
fn one_whose_time_was_over_while_it_was_paused_lives_when_it_goes_on() {
    let gateway = Gateway::start();
    let body = json!({ "templateID": "base", "timeout": 300, "autoResume": { "enabled": true } });
    let sandbox = gateway.sandbox_with(&body);
    let post = |call: &str, body: &Value| {
        gateway.control("POST", &format!("/sandboxes/{}/{call}", sandbox.id), Some(body)).status
    };
    let end = || {
        let told = gateway.control("GET", &format!("/sandboxes/{}", sandbox.id), None);
        told.json()["endAt"].as_str().map(ToOwned::to_owned)
    };
    assert_eq!(post("pause", &json!({})), 204);
    assert_eq!(post("timeout", &json!({ "timeout": 0 })), 204);
    let over = end().unwrap();
    assert_eq!(sandbox.run("echo goes on"), "goes on\n");
    // It has time again, and was not ended for want of it.
    assert!(end().is_some_and(|end| end > over), "{:?}", end());
    assert_eq!(post("pause", &json!({})), 204);
    assert_eq!(post("timeout", &json!({ "timeout": 0 })), 204);
    assert_eq!(post("connect", &json!({ "timeout": 200 })), 201);
    assert_eq!(sandbox.run("echo again"), "again\n");
}
