//! Sandboxes end with what they are for: an agent that is deleted, set up anew, or
//! forgotten beside the gateway.

use serde_json::json;

use crate::gateway::{Data, configuration, containers, eventually, machine, sandboxes};

#[test]
fn an_agent_that_is_deleted_takes_its_sandbox_with_it() {
    let Some(machine) = machine() else { return };
    let data = Data::new(&configuration(machine));
    let gateway = data.start();
    for (agent, provider) in [("one", "podman"), ("two", "podman"), ("three", "gvisor")] {
        gateway.made(agent, provider);
        assert!(containers(machine, &data).len() < 2 || provider == "gvisor");
        assert_eq!(gateway.say(agent, "echo here"), "here\n", "{agent}");
    }
    assert_eq!((containers(machine, &data).len(), sandboxes(&data)), (2, 1));
    let deleted = gateway.ask("DELETE", "/v1/workspaces/one").send();
    assert_eq!(deleted.status, 200, "{}", deleted.text());
    assert_eq!(containers(machine, &data).len(), 1, "it is gone with the reply");
    assert_eq!(gateway.ask("DELETE", "/v1/workspaces/three").send().status, 200);
    assert_eq!(sandboxes(&data), 0);
    // Whoever is deleted beside the gateway goes within moments.
    let beside = data.garth(&["agent", "delete", "two"]).output().unwrap();
    assert!(beside.status.success(), "{beside:?}");
    eventually("the other is gone", || containers(machine, &data).is_empty());
    let again = data.garth(&["agent", "create", "one", "--provider", "podman"]).output().unwrap();
    assert!(again.status.success(), "{again:?}");
    assert_eq!(gateway.say("one", "echo here again"), "here again\n");
}

#[test]
fn an_agent_that_is_set_up_anew_gets_another_sandbox() {
    let Some(machine) = machine() else { return };
    let data = Data::new(&configuration(machine));
    let gateway = data.start();
    gateway.made("bird", "podman");
    gateway.say("bird", "touch /tmp/private kept");
    let update = |settings| {
        let params = json!({"agentId": "bird", "settings": settings});
        let reply = gateway.ask("POST", "/v1/rpc/agents.update").json(&params).send();
        assert_eq!(reply.status, 200, "{}", reply.text());
    };
    update(json!({"readOnly": true}));
    assert_eq!(containers(machine, &data).len(), 0);
    let ran = gateway.told("bird", "bash", &json!({"command": "ls /tmp kept; touch other"}));
    assert_eq!((&ran["exit_code"], &ran["stdout"]), (&json!(1), &json!("kept\n\n/tmp:\n")));
    update(json!({"provider": "local", "readOnly": false}));
    assert_eq!(containers(machine, &data).len(), 0);
    assert_eq!(gateway.say("bird", "ls"), "kept\n");
    update(json!({"provider": "gvisor"}));
    assert_eq!(gateway.say("bird", "ls"), "kept\n");
    assert_eq!(sandboxes(&data), 1);
    update(json!({"provider": "none"}));
    assert_eq!(sandboxes(&data), 0);
    let ran = gateway.tool("bird", "bash", &json!({"command": "true"}));
    assert_eq!(ran.refusal(), (501, "UNSUPPORTED".to_owned()));
}

#[test]
fn what_a_killed_gateway_left_is_cleaned_at_the_next_start() {
    let Some(machine) = machine() else { return };
    let data = Data::new(&configuration(machine));
    let gateway = data.start();
    for (agent, provider) in [("gone", "podman"), ("moved", "gvisor"), ("kept", "podman")] {
        gateway.made(agent, provider);
        gateway.say(agent, "true");
    }
    gateway.kill();
    assert_eq!((containers(machine, &data).len(), sandboxes(&data)), (2, 1));
    for arguments in
        [&["agent", "delete", "gone"][..], &["agent", "update", "moved", "--provider", "local"]]
    {
        let output = data.garth(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let gateway = data.start();
    eventually("what nobody wants is gone", || {
        containers(machine, &data).len() == 1 && sandboxes(&data) == 0
    });
    // One that was never asked for since is met all the same.
    assert_eq!(gateway.ask("DELETE", "/v1/workspaces/kept").send().status, 200);
    eventually("nothing is left", || containers(machine, &data).is_empty());
    let places = std::fs::read_dir(data.path().join("run")).unwrap();
    let names = places.map(|place| place.unwrap().file_name().into_string().unwrap());
    let left: Vec<_> = names.filter(|name| name.starts_with("garth-")).collect();
    assert!(left.len() <= 1, "only that of the one who moved: {left:?}");
}
