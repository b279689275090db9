//! A provider that cannot be had: said at once, with what to do, and nothing else is
//! touched by it.

use std::os::unix::net::UnixListener;

use serde_json::json;

use crate::gateway::{Data, IMAGE, LIMITS, configuration, machine};

#[test]
fn a_provider_that_cannot_be_had_is_refused_with_what_to_install() {
    let directory = tempfile::tempdir().unwrap();
    let silent = directory.path().join("silent.sock");
    // It takes connections and says nothing.
    let _listener = UnixListener::bind(&silent).unwrap();
    let missing = directory.path().join("missing.sock");
    let program = env!("CARGO_BIN_EXE_garth");
    for (provider, set, word) in [
        ("podman", format!("[podman]\nsocket = {missing:?}\n"), "Install podman"),
        ("podman", format!("[podman]\nsocket = {silent:?}\n"), "engine"),
        ("gvisor", "[gvisor]\nrunsc = \"/nonexistent/runsc\"\n".to_owned(), "Install gVisor"),
    ] {
        let root = directory.path();
        let data = Data::new(&format!(
            "[containers]\nroot = {root:?}\nguest = {program:?}\n{set}{LIMITS}"
        ));
        let gateway = data.start();
        let refused = gateway.create(&json!({"id": "bird", "provider": provider}));
        assert_eq!(refused.refusal(), (503, "PROVIDER_UNAVAILABLE".to_owned()), "{set}");
        assert!(refused.text().contains(word), "{set}: {}", refused.text());
        assert!(!gateway.files("bird").exists());
        let arguments = ["agent", "create", "bird", "--provider", provider, "--json"];
        let output = data.garth(&arguments).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains("PROVIDER_UNAVAILABLE") && told.contains(word), "{told}");
        // The rest works.
        gateway.told("default", "write", &json!({"file_path": "a", "content": "b"}));
        let nonsense = gateway.create(&json!({"id": "bird", "provider": "nonsense"}));
        assert_eq!(nonsense.refusal(), (400, "INVALID_PARAMS".to_owned()));
        let update = json!({"agentId": "default", "settings": {"provider": provider}});
        let refused = gateway.ask("POST", "/v1/rpc/agents.update").json(&update).send();
        assert_eq!(refused.refusal().1, "PROVIDER_UNAVAILABLE");
    }
}

#[test]
fn gvisor_without_a_root_filesystem_says_how_to_make_one() {
    let data = Data::new("");
    let gateway = data.start();
    let refused = gateway.create(&json!({"id": "bird", "provider": "gvisor"}));
    assert_eq!(refused.refusal(), (503, "PROVIDER_UNAVAILABLE".to_owned()));
    assert!(refused.text().contains("debootstrap"), "{}", refused.text());
}

#[test]
fn an_image_that_the_engine_has_not_is_named() {
    let Some(machine) = machine() else { return };
    let configuration = configuration(machine);
    let data = Data::new(&configuration.replace(IMAGE, "localhost/missing"));
    let gateway = data.start();
    let refused = gateway.create(&json!({"id": "bird", "provider": "podman"}));
    assert_eq!(refused.refusal(), (503, "PROVIDER_UNAVAILABLE".to_owned()));
    assert!(refused.text().contains("podman pull"), "{}", refused.text());
}

#[test]
fn an_engine_that_went_away_leaves_files_and_other_agents_as_they_are() {
    let Some(machine) = machine() else { return };
    let good = configuration(machine);
    let data = Data::new(&good);
    let gateway = data.start();
    gateway.made("bird", "podman");
    assert_eq!(gateway.say("bird", "echo in podman | tee made"), "in podman\n");
    gateway.stop();
    let line = |line: &str| match line.starts_with("socket =") {
        true => "socket = \"/nonexistent/podman.sock\"".to_owned(),
        false => line.to_owned(),
    };
    let away: Vec<_> = good.lines().map(line).collect();
    data.configure(&away.join("\n"));
    let gateway = data.start();
    let ran = gateway.tool("bird", "bash", &json!({"command": "true"}));
    assert_eq!(ran.refusal(), (503, "PROVIDER_UNAVAILABLE".to_owned()));
    assert!(ran.text().contains("Install podman"), "{}", ran.text());
    let read = gateway.told("bird", "read", &json!({"file_path": "made"}));
    assert_eq!(read["content"], "1: in podman");
    gateway.stop();
    data.configure(&good);
    let gateway = data.start();
    assert_eq!(gateway.say("bird", "cat made"), "in podman\n");
}
