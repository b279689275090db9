//! What a sandbox lives through: the end of the gateway, of its keeper, of its time.

use serde_json::{Value, json};

use crate::{
    gateway::{Gateway, eventually},
    keeper::Keeper,
};

/// Starts a process in the background.
fn started(gateway: &Gateway<'_>, command: &str) -> Value {
    let params = json!({"command": command, "background": true});
    gateway.told("bird", "bash", &params)["id"].take()
}

fn printed(gateway: &Gateway<'_>, id: &Value) -> String {
    let told = gateway.told("bird", "output", &json!({ "id": id }));
    told["output"].as_str().unwrap().to_owned()
}

/// What a process prints once, and then each time it is told to.
const TALKS: &str = "echo before; while read word; do echo heard $word; done";

#[test]
fn what_runs_is_met_again_by_a_gateway_that_was_killed() {
    let Some(keeper) = Keeper::start() else { return };
    let data = keeper.data();
    let gateway = data.start();
    gateway.made("bird", "e2b");
    gateway.say("bird", "echo kept > file");
    let talks = started(&gateway, TALKS);
    eventually("it talks", || printed(&gateway, &talks) == "before\n");
    let id = keeper.only_sandbox();
    gateway.kill();
    let gateway = data.start();
    assert_eq!(printed(&gateway, &talks), "before\n");
    gateway.told("bird", "input", &json!({"id": talks, "text": "after\n"}));
    eventually("it hears", || printed(&gateway, &talks) == "before\nheard after\n");
    assert_eq!(gateway.say("bird", "cat file"), "kept\n");
    assert_eq!(keeper.only_sandbox(), id);
    // One that stops by itself leaves nothing that runs, and the files.
    gateway.stop();
    assert_eq!(keeper.sandboxes()[0]["state"], "paused");
    let gateway = data.start();
    assert_eq!(gateway.say("bird", "cat file"), "kept\n");
    let lost = gateway.tool("bird", "output", &json!({ "id": talks }));
    assert_eq!(lost.refusal().1, "INVALID_PARAMS", "{}", lost.text());
    // With the agent goes the sandbox.
    let deleted = gateway.ask("DELETE", "/v1/workspaces/bird").send();
    assert_eq!(deleted.status, 200, "{}", deleted.text());
    eventually("its sandbox is gone", || keeper.sandboxes().is_empty());
}

#[test]
fn a_keeper_that_dies_is_said_to_be_away_and_files_are_there_when_it_is_back() {
    let Some(mut keeper) = Keeper::start() else { return };
    let data = keeper.data();
    let gateway = data.start();
    gateway.made("bird", "e2b");
    gateway.say("bird", "echo kept > file");
    let before = started(&gateway, "exec sleep 1000");
    keeper.kill();
    eventually("it is said to be away", || {
        let read = gateway.tool("bird", "read", &json!({"file_path": "file"}));
        read.status == 503 && read.refusal().1 == "PROVIDER_UNAVAILABLE"
    });
    keeper.start_again();
    assert_eq!(gateway.say("bird", "cat file"), "kept\n");
    let lost = gateway.tool("bird", "output", &json!({ "id": before }));
    assert_eq!(lost.refusal().1, "INVALID_PARAMS", "{}", lost.text());
    let after = started(&gateway, "exec sleep 1000");
    assert_ne!(before, after, "a number means one process");
}

#[test]
fn a_sandbox_that_was_paused_goes_on_with_the_next_call() {
    let Some(keeper) = Keeper::start() else { return };
    let data = keeper.data();
    let gateway = data.start();
    gateway.made("bird", "e2b");
    gateway.say("bird", "true");
    let talks = started(&gateway, TALKS);
    eventually("it talks", || printed(&gateway, &talks) == "before\n");
    let id = keeper.only_sandbox();
    let paused = keeper.control("POST", &format!("/sandboxes/{id}/pause"), &json!({}));
    assert_eq!(paused.status, 204, "{}", paused.text());
    eventually("it goes on", || {
        let told = gateway.tool("bird", "output", &json!({ "id": talks }));
        told.status == 200 && told.value()["output"] == "before\n"
    });
    gateway.told("bird", "input", &json!({"id": talks, "text": "after\n"}));
    eventually("it hears", || printed(&gateway, &talks) == "before\nheard after\n");
}

#[test]
fn the_time_of_a_sandbox_is_renewed_while_it_is_used() {
    let Some(keeper) = Keeper::start() else { return };
    let data = keeper.data();
    let gateway = data.start();
    gateway.made("bird", "e2b");
    gateway.say("bird", "true");
    let end = || keeper.sandboxes()[0]["endAt"].as_str().unwrap().to_owned();
    let first = end();
    started(&gateway, "exec sleep 1000");
    eventually("it has more time", || end() > first);
    assert_eq!(keeper.sandboxes()[0]["state"], "running");
}

#[test]
fn a_sandbox_that_is_gone_is_not_made_anew_in_silence() {
    let Some(keeper) = Keeper::start() else { return };
    let data = keeper.data();
    let gateway = data.start();
    gateway.made("bird", "e2b");
    gateway.say("bird", "echo kept > file");
    let id = keeper.only_sandbox();
    let killed = keeper.control("DELETE", &format!("/sandboxes/{id}"), &json!({}));
    assert_eq!(killed.status, 204, "{}", killed.text());
    eventually("it is said to be gone", || {
        let read = gateway.tool("bird", "read", &json!({"file_path": "file"}));
        read.status == 503 && read.text().contains("its files with it")
    });
    assert!(keeper.sandboxes().is_empty());
}

#[test]
fn what_a_gateway_left_is_found_by_its_metadata_and_ended() {
    let Some(keeper) = Keeper::start() else { return };
    let data = keeper.data();
    let gateway = data.start();
    gateway.made("bird", "e2b");
    gateway.say("bird", "echo kept > file");
    let wanted = keeper.only_sandbox();
    gateway.kill();
    let own = std::fs::read_to_string(data.path().join("run/e2b-owner")).unwrap();
    let made = |owner: &str, workspace: &str| {
        let metadata = json!({"garth-owner": owner, "garth-workspace": workspace});
        let body = json!({"templateID": "base", "timeout": 600, "metadata": metadata});
        let made = keeper.control("POST", "/v2/sandboxes", &body);
        assert_eq!(made.status, 201, "{}", made.text());
        made.value()["sandboxID"].as_str().unwrap().to_owned()
    };
    let (left, foreign) = (made(&own, "ghost@1"), made("another", "ghost@1"));
    let gateway = data.start();
    let ids = || -> Vec<String> {
        let all = keeper.sandboxes();
        all.iter().map(|one| one["sandboxID"].as_str().unwrap().to_owned()).collect()
    };
    eventually("what is not wanted is ended", || !ids().contains(&left));
    assert!(ids().contains(&wanted) && ids().contains(&foreign));
    assert_eq!(gateway.say("bird", "cat file"), "kept\n");
}
