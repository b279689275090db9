//! Processes in the background: what they print, read and end by.

use std::time::Instant;

use garth_contract::Code;
use serde_json::json;

use crate::place::{PATIENCE, place, text};

#[test]
fn a_process_in_the_background_is_followed_written_to_and_ended() {
    let place = place();
    let started = place.ok("bash", json!({"command": "echo ready; cat", "background": true}));
    assert_eq!(serde_json::Value::from(started.payload), json!({"id": "p1"}));
    assert!(started.text.starts_with("Started in the background as p1;"), "{}", started.text);
    assert_eq!(place.until_printed("p1", "ready\n"), "ready\n");

    let sent = place.ok("input", json!({"id": "p1", "text": "hello\n"}));
    assert_eq!(
        serde_json::Value::from(sent.payload),
        json!({"id": "p1", "bytes": 6, "closed": false})
    );
    assert_eq!(place.until_printed("p1", "hello\n"), "ready\nhello\n");

    let running = place.ok("output", json!({"id": "p1", "position": 12, "wait_ms": 0}));
    assert_eq!(running.text.as_ref(), "[p1 runs; go on with position 12]");
    assert_eq!(running.payload["running"], true);

    place.ok("input", json!({"id": "p1", "close": true}));
    let ended = place.until_ended("p1");
    assert_eq!((&ended.payload["exit_code"], ended.payload.get("signal")), (&json!(0), None));
    assert!(ended.payload["duration_ms"].is_u64());
}

#[test]
fn text_and_the_end_of_input_can_be_sent_at_once() {
    let place = place();
    let id = place.start("cat");
    let sent = place.ok("input", json!({"id": id, "text": "all", "close": true}));
    assert_eq!(sent.text.as_ref(), "Sent 3 bytes to p1, and closed its input.");
    assert_eq!(text(&place.until_ended(&id), "output"), "all");
    assert_eq!(place.until_printed(&id, "all"), "all");
}

#[test]
fn input_that_is_sent_with_the_command_is_all_that_it_reads() {
    let place = place();
    let params = json!({"command": "cat; echo end", "background": true, "stdin": "given\n"});
    place.ok("bash", params);
    assert_eq!(place.until_printed("p1", "end\n"), "given\nend\n");
}

#[test]
fn a_process_is_ended_with_everything_that_it_started() {
    let place = place();
    let id = place.start("setsid sleep 3600 & echo $!; wait");
    let child = place.until_printed(&id, "\n");
    let ended = place.ok("kill", json!({"id": id}));
    assert_eq!(ended.payload["exit_code"], 143);
    assert_eq!(ended.text.as_ref(), "p1 has ended: ended by SIGTERM, exit code 143.");
    let alive = format!("/proc/{}/cmdline", child.trim());
    #[allow(clippy::disallowed_methods, reason = "the kernel is asked about a process")]
    let left = std::fs::read_to_string(alive).unwrap_or_default();
    assert!(!left.contains("sleep"), "{left}");
    let again = place.ok("kill", json!({"id": id}));
    assert_eq!(again.payload["exit_code"], 143);
}

#[test]
fn a_signal_is_sent_by_name_or_number_and_not_waited_for() {
    let place = place();
    for signal in [json!("usr1"), json!("SIGUSR1"), json!(10), json!("10")] {
        let script = "trap 'echo caught; exit 5' USR1; echo ready; while :; do sleep 0.05; done";
        let id = place.start(script);
        place.until_printed(&id, "ready");
        let sent = place.ok("kill", json!({"id": id, "signal": signal}));
        assert_eq!(serde_json::Value::from(sent.payload), json!({"id": id, "sent": "SIGUSR1"}));
        assert_eq!(place.until_ended(&id).payload["exit_code"], 5, "{signal}");
    }
}

#[test]
fn processes_are_listed_with_what_is_known_of_them() {
    let place = place();
    assert_eq!(place.ok("ps", json!({})).text.as_ref(), "There are no processes.");
    place.bash("echo done; exit 2");
    let id = place.start("echo up;\n cat");
    place.until_printed(&id, "up\n");
    let listed = place.ok("ps", json!({}));
    let mut rows = listed.payload["processes"].as_array().unwrap().clone();
    for row in &mut rows {
        assert!(row.as_object_mut().unwrap().shift_remove("age_ms").unwrap().is_u64());
    }
    assert_eq!(
        json!(rows),
        json!([
            {"id": "p1", "command": "echo done; exit 2", "running": false, "background": false,
             "printed_bytes": 5, "exit_code": 2},
            {"id": "p2", "command": "echo up; cat", "running": true, "background": true,
             "printed_bytes": 3},
        ])
    );
    let lines: Vec<_> = listed.text.lines().collect();
    assert_eq!(lines[0], "p1 ended, exit code 2, 5 bytes: echo done; exit 2");
    assert!(lines[1].starts_with("p2 runs since "), "{lines:?}");
    assert!(lines[1].ends_with(", 3 bytes: echo up; cat"), "{lines:?}");

    let running = place.ok("ps", json!({"running_only": true}));
    assert_eq!(
        (&running.payload["total"], &running.payload["processes"][0]["id"]),
        (&json!(1), &json!("p2"))
    );
    let first = place.ok("ps", json!({"limit": 1}));
    assert_eq!(first.payload["next_offset"], 1);
    assert!(first.text.ends_with("[1-1 of 2 processes; go on with offset 1]"), "{}", first.text);
}

#[test]
fn a_question_without_a_line_feed_is_seen_and_can_be_answered() {
    let place = place();
    let id = place.start("printf 'Name: '; read -r name; echo \"Hello $name\"");
    let begun = Instant::now();
    loop {
        let seen = place.ok("output", json!({"id": id, "wait_ms": 200}));
        if text(&seen, "output") == "Name: " {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "the question is never seen: {}", seen.text);
    }
    place.ok("input", json!({"id": id, "text": "Ada\n"}));
    assert!(place.until_printed(&id, "Ada\n").ends_with("Hello Ada\n"));
}

#[test]
fn both_streams_come_in_order_or_one_alone() {
    let place = place();
    let id = place.start("echo one; read -r go; echo two >&2; read -r go; echo three");
    for printed in ["one\n", "two\n", "three\n"] {
        place.until_printed(&id, printed);
        if printed != "three\n" {
            place.ok("input", json!({"id": id, "text": "\n"}));
        }
    }
    let read = |params| text(&place.ok("output", params), "output").to_owned();
    assert_eq!(read(json!({"id": id})), "one\ntwo\nthree\n");
    assert_eq!(read(json!({"id": id, "stream": "stdout"})), "one\nthree\n");
    assert_eq!(read(json!({"id": id, "stream": "stderr"})), "two\n");
}

#[test]
fn the_end_can_be_read_without_what_is_before_it() {
    let place = place();
    place.bash("seq 1 1000");
    let end = place.ok("output", json!({"id": "1", "tail": 9}));
    assert_eq!(text(&end, "output"), "999\n1000\n");
    assert_eq!(end.payload["next"], end.payload["total_bytes"]);
    let all = place.ok("output", json!({"id": "p1", "tail": 51_200}));
    assert!(text(&all, "output").starts_with("1\n2\n"));
}

#[test]
fn a_process_that_ended_takes_neither_input_nor_signals() {
    let place = place();
    let id = place.start("true");
    place.until_ended(&id);
    place.refused(Code::InvalidParams, "input", json!({"id": id, "text": "x"}));
    place.refused(Code::InvalidParams, "kill", json!({"id": id, "signal": "HUP"}));
    let closed = place.start("cat");
    place.ok("input", json!({"id": closed, "close": true}));
    place.until_ended(&closed);
}
