//! The same calls get the same replies, wherever commands run.

use std::fs;

use serde_json::{Value, json};

use crate::{
    gateway::{Data, configuration, machine},
    machine::machines_are_asked_for,
    machines,
    script::{SECRET, Script, played, terminal},
};

/// Claims that the same was answered to both, and never the secret to the other.
fn alike(local: &Script<'_>, provider: &str, other: &Script<'_>) {
    let pairs = local.told.iter().zip(&other.told);
    let differ: Vec<_> = pairs.filter(|((_, one), (_, other))| one != other).collect();
    assert!(differ.is_empty(), "{provider}: {differ:#?}");
    let told = other.told.iter().find(|(_, reply)| reply.to_string().contains(SECRET));
    assert!(told.is_none(), "{provider}: {told:?}");
}

#[test]
fn the_same_calls_get_the_same_replies_in_a_virtual_machine() {
    if !machines_are_asked_for() {
        return;
    }
    let Some(configuration) = machines::configuration() else { return };
    let data = Data::new(&configuration);
    let gateway = data.start();
    for (agent, provider) in [("bird-local", "local"), ("bird-qemu", "qemu")] {
        gateway.made(agent, provider);
    }
    let [mut local, mut qemu] = ["bird-local", "bird-qemu"].map(|agent| played(&gateway, agent));
    terminal(&mut local);
    terminal(&mut qemu);
    assert!(local.told.len() > 50 && local.told.len() == qemu.told.len());
    alike(&local, "qemu", &qemu);
    println!("in qemu {} calls have the replies that they have in local", qemu.told.len());
    gateway.stop();
}

#[test]
fn the_same_calls_get_the_same_replies_in_every_sandbox() {
    let Some(machine) = machine() else { return };
    let data = Data::new(&configuration(machine));
    let gateway = data.start();
    let agents = [("bird-local", "local"), ("bird-podman", "podman"), ("bird-gvisor", "gvisor")];
    for (agent, provider) in agents {
        gateway.made(agent, provider);
    }
    let scripts = agents.map(|(agent, _)| played(&gateway, agent));
    let [mut local, mut podman, mut gvisor] = scripts;
    terminal(&mut local);
    terminal(&mut podman);
    // Whether it has terminals depends on its version; what it says is one of two.
    let shell = json!({"agentId": "bird-gvisor", "cols": 90, "rows": 20, "command": "true"});
    let opened = gvisor.client.call("terminal.open", shell);
    assert!(opened["ok"] == true || opened["error"]["code"] == "UNSUPPORTED", "{opened}");
    assert!(local.told.len() > 50 && local.told.len() == podman.told.len());
    let redacted = |(_, reply): &&(String, Value)| reply.to_string().contains("[REDACTED: GITHUB");
    let redacted = local.told.iter().filter(redacted).count();
    assert!(redacted >= 3, "it is redacted in a file, in a command and in a terminal");
    alike(&local, "podman", &podman);
    alike(&local, "gvisor", &gvisor);
    assert_eq!(fs::read_to_string(gateway.files("bird-gvisor").join("sub/fresh")).unwrap(), "x\n");
}

#[test]
fn a_quota_and_the_limits_of_a_container_bind_its_commands() {
    let Some(machine) = machine() else { return };
    let data = Data::new(&configuration(machine));
    let gateway = data.start();
    let settings = json!({"id": "bird", "provider": "podman", "quotaBytes": 4 << 20});
    assert_eq!(gateway.create(&settings).status, 200);
    assert_eq!(
        gateway.say("bird", "ulimit -n; cat /sys/class/net/*/operstate | sort -u"),
        "1024\nunknown\n"
    );
    let fill = "for i in $(seq 200); do head -c 1000000 /dev/zero > f$i; sleep 0.1; done; echo all";
    let filled = gateway.tool("bird", "bash", &json!({ "command": fill }));
    assert!(!filled.text().contains("all\\n"), "{}", filled.text());
    let write = json!({"file_path": "more", "content": "x".repeat(100_000)});
    let refused = gateway.tool("bird", "write", &write);
    assert_eq!(refused.refusal(), (507, "QUOTA_EXCEEDED".to_owned()));
    let ran = gateway.tool("bird", "bash", &json!({"command": "true"}));
    assert_eq!(ran.refusal(), (507, "QUOTA_EXCEEDED".to_owned()));
    for file in fs::read_dir(gateway.files("bird")).unwrap() {
        fs::remove_file(file.unwrap().path()).unwrap();
    }
    assert_eq!(gateway.say("bird", "ls"), "");
    let denied = json!({"id": "ruled", "provider": "podman", "deny": ["**/.env"]});
    assert_eq!(gateway.create(&denied).status, 200);
    let ran = gateway.tool("ruled", "bash", &json!({"command": "true"}));
    assert_eq!(ran.refusal(), (501, "UNSUPPORTED".to_owned()));
    let read_only = json!({"id": "reader", "provider": "podman", "readOnly": true});
    assert_eq!(gateway.create(&read_only).status, 200);
    let ran = gateway.told("reader", "bash", &json!({"command": "touch x"}));
    assert_ne!(ran["exit_code"], 0, "{ran}");
}
