//! What processes do better here than where the wire comes from, and its details.

use serde_json::{Value, json};

use crate::gateway::{Gateway, decoded, started, until};

fn printed(messages: &[Value]) -> String {
    let pieces = messages.iter().filter_map(|message| message["event"]["data"]["stdout"].as_str());
    String::from_utf8(pieces.flat_map(decoded).collect()).unwrap()
}

#[test]
fn a_stream_begins_with_the_start_and_ends_with_the_end() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let told = sandbox.stream("process.Process/Start", &started("printf out; exit 3"));
    assert!(told[0]["event"]["start"]["pid"].is_u64(), "{told:?}");
    assert_eq!(printed(&told), "out");
    let end = &told[told.len() - 2]["event"]["end"];
    let expected = json!({ "exitCode": 3, "exited": true, "status": "exit status 3", "error": "exit status 3" });
    assert_eq!(*end, expected);
    assert_eq!(told[told.len() - 1], json!({}));
}

#[test]
fn a_process_outlives_whoever_started_it_and_can_be_met_by_its_tag() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let mut asked = started("echo one; until [ -e go ]; do sleep 0.05; done; echo two");
    asked["tag"] = json!("mine");
    let mut stream = sandbox.streaming("process.Process/Start", &asked).begin(&gateway.address);
    let pid = stream.message()["event"]["start"]["pid"].as_u64().unwrap();
    drop(stream);
    let listed = sandbox.call("process.Process/List", &json!({})).json();
    assert_eq!(listed["processes"][0]["pid"], pid);
    assert_eq!(listed["processes"][0]["tag"], "mine");
    let met = json!({ "process": { "tag": "mine" } });
    let mut again = sandbox.streaming("process.Process/Connect", &met).begin(&gateway.address);
    assert_eq!(again.message()["event"]["start"]["pid"], pid);
    assert_eq!(sandbox.run("touch go"), "");
    // What it printed while nobody listened comes first.
    let mut all = Vec::new();
    loop {
        let message = again.message();
        let ended = !message["event"]["end"].is_null();
        all.push(message);
        if ended {
            break;
        }
    }
    assert_eq!(printed(&all), "one\ntwo\n");
    let gone = sandbox.stream("process.Process/Connect", &json!({ "process": { "pid": pid } }));
    assert_eq!(gone[0]["error"]["code"], "not_found", "{gone:?}");
}

#[test]
fn a_silent_process_gives_signs_of_life() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let asked = sandbox.streaming("process.Process/Start", &started("sleep 1000"));
    let mut stream = asked.header("Keepalive-Ping-Interval", "1").begin(&gateway.address);
    assert!(stream.message()["event"]["start"].is_object());
    assert_eq!(stream.message(), json!({ "event": { "keepalive": {} } }));
}

#[test]
fn the_time_of_a_command_ends_all_of_it_and_is_told() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let script = "setsid sleep 5001 & sleep 5002";
    let asked = sandbox.streaming("process.Process/Start", &started(script));
    let told = asked.header("Connect-Timeout-Ms", "500").send(&gateway.address).messages();
    let end = told.last().unwrap();
    assert_eq!(end["error"]["code"], "deadline_exceeded", "{told:?}");
    until("that nothing is left", || {
        sandbox.run("pgrep -f '^sleep 500[12]$' || echo none") == "none\n"
    });
}

#[test]
fn a_process_that_is_killed_says_so() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let asked = sandbox.streaming("process.Process/Start", &started("sleep 1000"));
    let mut stream = asked.begin(&gateway.address);
    let pid = stream.message()["event"]["start"]["pid"].as_u64().unwrap();
    let signal = json!({ "process": { "pid": pid }, "signal": "SIGNAL_SIGKILL" });
    assert_eq!(sandbox.call("process.Process/SendSignal", &signal).status, 200);
    let end = stream.message();
    let expected = json!({ "exitCode": -1, "status": "signal: killed", "error": "signal: killed" });
    assert_eq!(end["event"]["end"], expected);
}

#[test]
fn events_that_nobody_asks_for_are_kept_so_far_and_no_further() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    sandbox.run("mkdir crowd");
    let made = sandbox.call("filesystem.Filesystem/CreateWatcher", &json!({ "path": "crowd" }));
    let watcher = made.json()["watcherId"].as_str().unwrap().to_owned();
    sandbox.run("cd crowd && for n in $(seq 1 6000); do : > f$n; done");
    // However they were lost, on the way or here, it is said by an event of the directory.
    let mut seen = Vec::new();
    until("a word of what was lost", || {
        let asked = json!({ "watcherId": watcher });
        let told = sandbox.call("filesystem.Filesystem/GetWatcherEvents", &asked).json();
        seen.extend(told["events"].as_array().cloned().unwrap_or_default());
        let all = seen.iter().filter(|event| event["type"] == "EVENT_TYPE_CREATE").count();
        all >= 6_000 || seen.iter().any(|event| event["name"] == ".")
    });
    assert!(seen.len() < 20_000, "{}", seen.len());
    let ended = json!({ "watcherId": watcher });
    assert_eq!(sandbox.call("filesystem.Filesystem/RemoveWatcher", &ended).status, 200);
    assert_eq!(sandbox.call("filesystem.Filesystem/RemoveWatcher", &ended).status, 404);
}

#[test]
fn an_event_is_told_once() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    sandbox.run("mkdir seen");
    let made = sandbox.call("filesystem.Filesystem/CreateWatcher", &json!({ "path": "seen" }));
    let asked = json!({ "watcherId": made.json()["watcherId"] });
    let mut seen: Vec<String> = Vec::new();
    for name in ["one", "two", "three"] {
        sandbox.run(&format!(": > seen/{name}"));
        until("a creation", || {
            let told = sandbox.call("filesystem.Filesystem/GetWatcherEvents", &asked).json();
            let events = told["events"].as_array().cloned().unwrap_or_default();
            let created = events.iter().filter(|event| event["type"] == "EVENT_TYPE_CREATE");
            seen.extend(created.map(|event| event["name"].as_str().unwrap().to_owned()));
            seen.iter().any(|there| there == name)
        });
    }
    assert_eq!(seen, ["one", "two", "three"]);
}

#[test]
fn files_are_put_together_and_taken_in_parts() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    for (name, text) in [("one", "abc"), ("two", "def")] {
        let asked = sandbox.asked("POST", &format!("/files?path={name}"));
        let asked = asked.header("Content-Type", "application/octet-stream");
        let answer = asked.body(text.into()).send(&gateway.address);
        let expected =
            json!([{ "name": name, "type": "file", "path": format!("/home/user/{name}") }]);
        assert_eq!((answer.status, answer.json()), (200, expected));
    }
    let asked = sandbox.asked("POST", "/files/compose");
    let parts = json!({ "source_paths": ["one", "two"], "destination": "/tmp/all" });
    let answer = asked.json(&parts).send(&gateway.address);
    assert_eq!(answer.json()["path"], "/tmp/all", "{answer:?}");
    assert_eq!(sandbox.run("ls; cat /tmp/all"), "abcdef");
    let asked = sandbox.asked("GET", "/files?path=/tmp/all").header("Range", "bytes=2-3");
    let answer = asked.send(&gateway.address);
    assert_eq!((answer.status, &answer.body[..]), (206, &b"cd"[..]));
    assert_eq!(answer.header("content-range"), Some("bytes 2-3/6"));
}

/// Prints more than is kept, then says so and stays.
const MUCH: &str =
    "head -c 120000000 /dev/zero; touch /tmp/all; until [ -e /tmp/go ]; do sleep 0.05; done";

#[test]
fn who_is_outrun_hears_that_something_is_lost() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let asked = sandbox.streaming("process.Process/Start", &started(MUCH));
    let mut stream = asked.begin(&gateway.address);
    let pid = stream.message()["event"]["start"]["pid"].as_u64().unwrap();
    let all = || sandbox.run("ls /tmp/all 2>/dev/null || true");
    until("that all is printed", || !all().is_empty());
    // Who comes later hears what is still kept, to the end.
    let met = json!({ "process": { "pid": pid } });
    let mut later = sandbox.streaming("process.Process/Connect", &met).begin(&gateway.address);
    assert_eq!(later.message()["event"]["start"]["pid"], pid);
    assert_eq!(sandbox.run("touch /tmp/go"), "");
    let told = later.rest().messages();
    assert_eq!(told.last(), Some(&json!({})), "{:?}", told.last());
    assert!(told.iter().any(|message| message["event"]["end"]["exited"] == true));
    // Who was there from the beginning is told, and hears no end that would mean all was told.
    let told = stream.rest().messages();
    let last = told.last().unwrap();
    assert_eq!(last["error"]["code"], "data_loss", "{last}");
    assert!(told.iter().all(|message| message["event"]["end"].is_null()));
}
