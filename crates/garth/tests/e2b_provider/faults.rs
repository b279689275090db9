//! What cannot be asked for in a sandbox of E2B's, and pipes that break.

use serde_json::json;

use crate::{gateway::eventually, keeper::Keeper};

#[test]
fn what_could_not_hold_is_refused() {
    let Some(keeper) = Keeper::start() else { return };
    let data = keeper.data();
    let gateway = data.start();
    for (name, rule) in
        [("denied", json!({"deny": ["**/.env"]})), ("read", json!({"readOnly": true}))]
    {
        let mut settings = rule;
        settings["id"] = json!(name);
        settings["provider"] = json!("e2b");
        let refused = gateway.create(&settings);
        assert_eq!(refused.refusal(), (400, "INVALID_PARAMS".to_owned()), "{name}");
        assert!(refused.text().contains("beside the files"), "{}", refused.text());
    }
    let full = gateway.files("full");
    std::fs::create_dir_all(&full).unwrap();
    std::fs::write(full.join("file"), "x").unwrap();
    gateway.made("full", "e2b");
    let ran = gateway.tool("full", "bash", &json!({"command": "true"}));
    assert!(ran.text().contains("begins empty"), "{}", ran.text());
}

#[test]
fn a_quota_binds_files_and_commands() {
    let Some(keeper) = Keeper::start() else { return };
    let data = keeper.data();
    let gateway = data.start();
    let settings = json!({"id": "bird", "provider": "e2b", "quotaBytes": 4 << 20});
    assert_eq!(gateway.create(&settings).status, 200);
    let write = |bytes: usize| json!({"file_path": "more", "content": "x".repeat(bytes)});
    assert_eq!(gateway.tool("bird", "write", &write(100_000)).status, 200);
    let refused = gateway.tool("bird", "write", &write(5 << 20));
    assert_eq!(refused.refusal(), (507, "QUOTA_EXCEEDED".to_owned()));
}

#[test]
fn what_is_asked_while_the_pipe_breaks_fails_and_the_next_call_works() {
    let Some(keeper) = Keeper::start() else { return };
    let data = keeper.data();
    let gateway = data.start();
    gateway.made("bird", "e2b");
    gateway.say("bird", "echo kept > file");
    // The relay is what calls go through; the guest is beside it.
    let kill = "for p in /proc/[0-9]*; do grep -qs -e '--rel[a]y' $p/cmdline && kill -9 ${p#/proc/}; done; \
                sleep 600";
    let broken = gateway.tool("bird", "bash", &json!({"command": kill, "timeout_ms": 60_000}));
    assert_eq!(broken.refusal(), (503, "PROVIDER_UNAVAILABLE".to_owned()), "{}", broken.text());
    eventually("it works again", || {
        gateway.tool("bird", "read", &json!({"file_path": "file"})).status == 200
    });
}
