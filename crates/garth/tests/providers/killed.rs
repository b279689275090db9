//! A gateway that is killed, and a container that is: what runs is met again or said to
//! be lost, and nothing runs that nobody knows.

use serde_json::{Value, json};

use crate::gateway::{
    Data, Gateway, configuration, containers, eventually, machine, processes_with, sandboxes,
};

/// Starts a process in the background.
fn started(gateway: &Gateway<'_>, agent: &str, command: &str) -> Value {
    let params = json!({"command": command, "background": true});
    gateway.told(agent, "bash", &params)["id"].take()
}

fn printed(gateway: &Gateway<'_>, agent: &str, id: &Value) -> String {
    let told = gateway.told(agent, "output", &json!({ "id": id }));
    told["output"].as_str().unwrap().to_owned()
}

/// What a process prints once, and then each time it is told to.
const TALKS: &str = "echo before; while read word; do echo heard $word; done";

fn met_again(provider: &str) {
    let Some(machine) = machine() else { return };
    let data = Data::new(&configuration(machine));
    let gateway = data.start();
    gateway.made("bird", provider);
    gateway.made("local", "local");
    let mark = format!("mark-{provider}-{}", std::process::id());
    let local = format!("setsid bash -c 'exec -a {mark} sleep 1000' & exec -a {mark} sleep 1000");
    started(&gateway, "local", &local);
    gateway.say("bird", "true");
    let talks = started(&gateway, "bird", TALKS);
    let path = "/v1/workspaces/bird/bash";
    let running = json!({"command": format!("touch begun; exec -a {mark}-call sleep 1000")});
    let call = gateway.ask("POST", path).json(&running).open();
    eventually("all of them run", || {
        processes_with(&mark).len() >= 2
            && gateway.files("bird").join("begun").exists()
            && printed(&gateway, "bird", &talks) == "before\n"
    });
    gateway.kill();
    drop(call);
    eventually("no process of the local sandbox is left", || {
        let call = format!("{mark}-call");
        processes_with(&mark).len() == processes_with(&call).len()
    });
    let gateway = data.start();
    // What it printed is there, and it goes on.
    assert_eq!(printed(&gateway, "bird", &talks), "before\n");
    gateway.told("bird", "input", &json!({"id": talks, "text": "after\n"}));
    eventually("it hears", || printed(&gateway, "bird", &talks) == "before\nheard after\n");
    eventually("the call that nobody waits for is over", || {
        let listed = gateway.told("bird", "ps", &json!({}));
        let all = listed["processes"].as_array().unwrap();
        all.iter().filter(|process| process["running"] == true).count() == 1
    });
    let lost = gateway.tool("local", "output", &json!({"id": "p1"}));
    assert_eq!(lost.refusal().1, "INVALID_PARAMS");
    gateway.stop();
    eventually("a gateway that stops ends them", || {
        containers(machine, &data).is_empty() && sandboxes(&data) == 0
    });
    let gateway = data.start();
    let lost = gateway.tool("bird", "output", &json!({ "id": talks }));
    assert_eq!(lost.refusal(), (400, "INVALID_PARAMS".to_owned()));
    assert!(lost.text().contains("is lost"), "{}", lost.text());
    // No number is used twice.
    gateway.say("bird", "true");
    assert_ne!(started(&gateway, "bird", "true"), talks);
}

#[test]
fn processes_in_podman_are_met_again_after_the_gateway_was_killed() {
    met_again("podman");
}

#[test]
fn processes_in_gvisor_are_met_again_after_the_gateway_was_killed() {
    met_again("gvisor");
}

#[test]
fn a_killed_container_fails_its_calls_and_comes_back() {
    let Some(machine) = machine() else { return };
    let data = Data::new(&configuration(machine));
    let gateway = data.start();
    gateway.made("bird", "podman");
    gateway.say("bird", "true");
    let id = started(&gateway, "bird", "exec sleep 1000");
    let names = containers(machine, &data);
    assert_eq!(names.len(), 1, "{names:?}");
    let sleep = json!({"command": "touch begun; exec sleep 1000"});
    std::thread::scope(|scope| {
        let call = scope.spawn(|| gateway.tool("bird", "bash", &sleep));
        eventually("it runs", || gateway.files("bird").join("begun").exists());
        assert!(machine.podman(&["kill", &names[0]]).status.success());
        let reply = call.join().unwrap();
        assert_eq!(reply.refusal(), (503, "PROVIDER_UNAVAILABLE".to_owned()));
    });
    // Files are there meanwhile, and commands again.
    gateway.told("bird", "write", &json!({"file_path": "kept", "content": "kept"}));
    eventually("it comes back", || {
        let reply = gateway.tool("bird", "bash", &json!({"command": "cat kept"}));
        assert!(reply.status == 200 || reply.refusal().1 == "PROVIDER_UNAVAILABLE");
        reply.status == 200 && reply.value()["stdout"] == "kept"
    });
    let lost = gateway.tool("bird", "output", &json!({ "id": id }));
    assert!(lost.text().contains("is lost"), "{}", lost.text());
}
