//! How it ends: asked to, or by a client that leaves with something unsaid. Nothing of the
//! agent is left then, and the record is whole.

use std::{io::Read, path::Path};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{
    between::{Between, descendants, is_gone},
    run::{bounded, printed},
};

fn asks_to_stop(between: &Between) {
    let pid = Pid::from_raw(between.pid().cast_signed()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
}

/// Shows that nothing of what it started is left, and that the record is whole.
fn nothing_is_left(between: &Between, started: &[u32]) {
    for pid in started {
        assert!(is_gone(*pid), "{pid} lives on");
    }
    let mut verify = bounded(Path::new(env!("CARGO_BIN_EXE_garth")));
    let told =
        printed(verify.args(["audit", "verify", "--json", "--data"]).arg(between.scene.data()));
    let told: Value = serde_json::from_str(&told).unwrap();
    // To its last record, which the anchor has.
    assert_eq!(told["payload"]["unprotected"], 0, "{told}");
}

#[test]
fn asked_to_stop_it_ends_the_agent_and_closes_the_record() {
    let mut between = Between::start(&[]);
    between.begin(true);
    let path = between.scene.at("a.txt");
    let params = json!({ "sessionId": "s", "path": path });
    let asked = json!({ "id": 5, "method": "fs/read_text_file", "params": params });
    between.agent_says(format!("{asked}\n"));
    assert_eq!(between.client_hears_json()["id"], 5);
    let started = descendants(between.pid());
    assert!(started.len() >= 2, "{started:?}");
    asks_to_stop(&between);
    // The agent is told that nobody will answer, then hears nothing more.
    let answer = between.agent_hears_json();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(5), &json!(-32_603)));
    assert!(between.agent_hears_the_end());
    assert_eq!(between.ends(), 0);
    nothing_is_left(&between, &started);
    let records = between.scene.recorded();
    let cancelled = |(name, outcome, _): &&(String, String, String)| {
        name == "acp:fs/read_text_file (client)" && outcome == "CANCELLED"
    };
    assert_eq!(records.iter().filter(cancelled).count(), 1, "{records:#?}");
}

#[test]
fn asked_to_stop_it_ends_an_agent_that_does_not_want_to() {
    let script = "trap '' TERM; sleep 1000 & echo '{\"method\":\"_up\"}'; \
                  while :; do sleep 1000; done";
    let mut between = Between::with_agent(&["sh", "-c", script]);
    assert_eq!(between.client_hears_json()["method"], "_up");
    let started = descendants(between.pid());
    assert!(started.len() >= 2, "{started:?}");
    asks_to_stop(&between);
    assert_eq!(between.ends(), 0);
    nothing_is_left(&between, &started);
}

#[test]
fn asked_to_stop_it_does_not_wait_for_a_client_that_does_not_read() {
    let line = r#"{"jsonrpc":"2.0","method":"session/update","params":{"update":{}}}"#;
    let (mut between, mut heard) = Between::with_agent_unheard(&["yes", line]);
    let mut some = vec![0; 1 << 20];
    heard.read_exact(&mut some).unwrap();
    let started = descendants(between.pid());
    asks_to_stop(&between);
    assert_eq!(between.ends(), 0);
    nothing_is_left(&between, &started);
}

#[test]
fn a_client_that_hangs_up_with_a_message_that_is_stuck_ends_everything() {
    let script = "sleep 1000 & echo '{\"method\":\"_up\"}'; exec sleep 1000";
    let (mut between, mut heard) = Between::with_agent_unheard(&["sh", "-c", script]);
    let mut up = [0; 10];
    heard.read_exact(&mut up).unwrap();
    let started = descendants(between.pid());
    assert_eq!(started.len(), 2, "{started:?}");
    // More than all pipes on the way hold, for an agent that never reads.
    let text = "x".repeat(8 << 20);
    let prompt = json!({ "id": 1, "method": "session/prompt", "params": { "x": text } });
    between.client_says(format!("{prompt}\n"));
    between.client_leaves();
    drop(heard);
    assert_eq!(between.ends(), 0);
    nothing_is_left(&between, &started);
}
