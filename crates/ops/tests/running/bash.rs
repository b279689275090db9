//! Commands that run to their end.

use garth_contract::Code;
use serde_json::{Value, json};

use crate::place::{Place, Setting, announced, place, place_with, text};

/// The facts of a reply but for its time, which is that of the machine.
fn facts(place: &Place, command: &str) -> Value {
    let mut payload = place.bash(command).payload;
    assert!(payload.shift_remove("duration_ms").unwrap().is_u64());
    Value::Object(payload)
}

#[test]
fn a_reply_has_what_was_printed_and_how_it_ended() {
    let place = place();
    let expected = json!({
        "id": "p1", "stdout": "out\n", "stderr": "err\n", "exit_code": 3,
        "truncated": false, "stdout_bytes": 4, "stderr_bytes": 4,
    });
    assert_eq!(facts(&place, "echo out; echo err >&2; exit 3"), expected);
}

#[test]
fn a_death_by_signal_has_its_name_and_a_code_over_128() {
    let facts = facts(&place(), "kill -9 $$");
    assert_eq!((&facts["exit_code"], &facts["signal"]), (&json!(137), &json!("SIGKILL")));
}

#[test]
fn the_text_is_what_a_reader_needs_and_no_more() {
    let place = place();
    for (command, shown) in [
        ("echo one; echo two", "one\ntwo"),
        ("true", "[no output, exit code 0]"),
        ("exit 4", "[exit code 4]"),
        ("echo a; exit 4", "a\n[exit code 4]"),
        ("echo a; echo b >&2", "a\n[stderr]\nb"),
        ("echo b >&2; exit 1", "[stderr]\nb\n[exit code 1]"),
        ("kill -TERM $$", "[ended by SIGTERM, exit code 143]"),
        ("printf 'no line feed'", "no line feed"),
    ] {
        assert_eq!(place.bash(command).text.as_ref(), shown, "{command}");
    }
}

#[test]
fn a_program_that_is_missing_is_an_answer() {
    let reply = place().bash("no-such-program-here");
    assert_eq!(reply.payload["exit_code"], 127);
    assert!(text(&reply, "stderr").contains("no-such-program-here"), "{}", reply.text);
}

#[test]
fn a_command_runs_where_it_is_told_to_and_in_the_root_otherwise() {
    let place = place();
    place.bash("mkdir -p src/deep && ln -s src/deep link && touch src/deep/here");
    let inside = |params: Value| place.ok("bash", params).text.into_string();
    assert_eq!(inside(json!({"command": "ls"})), "link\nsrc");
    for workdir in ["src/deep", "/workspace/src/deep", "./src//deep/", "link"] {
        assert_eq!(inside(json!({"command": "ls", "workdir": workdir})), "here", "{workdir}");
    }
    for workdir in [".", "/workspace", ""] {
        assert_eq!(inside(json!({"command": "ls", "workdir": workdir})), "link\nsrc", "{workdir}");
    }
    assert_eq!(inside(json!({"cmd": "ls", "cwd": "src"})), "deep");
}

#[test]
fn variables_and_input_reach_the_command() {
    let reply = place().ok(
        "bash",
        json!({
            "command": "echo \"$NAME $PORT\"; cat; echo end",
            "env": {"NAME": "a b", "PORT": 3000}, "stdin": "first\nsecond",
            "description": "Says what it got",
        }),
    );
    assert_eq!(text(&reply, "stdout"), "a b 3000\nfirst\nsecondend\n");
}

#[test]
fn without_input_there_is_its_end() {
    assert_eq!(place().bash("cat; echo read").text.as_ref(), "read");
}

#[test]
fn each_call_starts_anew() {
    let place = place();
    place.bash("mkdir d; cd d; export KEPT=yes");
    assert_eq!(place.bash("echo \"[$KEPT]\"; ls").text.as_ref(), "[]\nd");
}

#[test]
fn a_command_of_several_lines_is_one_script() {
    let script = "for name in a b\ndo\n  echo \"$name\"\ndone";
    assert_eq!(place().bash(script).text.as_ref(), "a\nb");
}

#[test]
fn files_that_a_command_makes_are_those_of_the_workspace() {
    let place = place();
    place.bash("echo hello > a.txt");
    assert_eq!(place.ok("read", json!({"path": "a.txt"})).text.as_ref(), "1: hello");
    place.ok("write", json!({"path": "b.txt", "content": "written\n"}));
    assert_eq!(place.bash("cat b.txt").text.as_ref(), "written");
}

#[test]
fn bytes_that_are_no_text_are_shown_as_such() {
    let reply = place().bash(r"printf 'a\xffb'");
    assert_eq!(text(&reply, "stdout"), "a\u{fffd}b");
    assert_eq!(reply.payload["stdout_bytes"], 3);
}

#[test]
fn of_long_output_the_beginning_and_the_end_are_shown() {
    let place = place();
    let reply = place.bash("head -c 200000 /dev/zero | tr '\\0' x; printf y >&2");
    let payload = &reply.payload;
    assert_eq!((&payload["truncated"], &payload["stdout_bytes"]), (&json!(true), &json!(200_000)));
    assert_eq!((&payload["stderr"], &payload["stderr_bytes"]), (&json!("y"), &json!(1)));
    let marker = "\n[… 148,800 bytes left out; output with id \"p1\" shows all …]\n";
    let (head, tail) = text(&reply, "stdout").split_once(marker).unwrap();
    assert_eq!((head.len(), tail.len()), (20_480, 30_720));
    assert!(head.bytes().chain(tail.bytes()).all(|byte| byte == b'x'));

    let whole = place.bash("head -c 51200 /dev/zero | tr '\\0' x");
    assert_eq!(whole.payload["truncated"], false);
    assert_eq!(text(&whole, "stdout").len(), 51_200);
}

#[test]
fn what_was_left_out_can_be_read_page_by_page() {
    let place = place();
    let reply = place.bash("for i in $(seq 20000); do echo \"line $i\"; done");
    let id = text(&reply, "id").to_owned();
    let mut all = String::new();
    let mut position = json!(0);
    loop {
        let page = place.ok("output", json!({"id": id, "position": position}));
        all.push_str(text(&page, "output"));
        position = page.payload["next"].clone();
        if position == page.payload["total_bytes"] {
            assert!(page.text.ends_with("[p1 has ended: exit code 0]"), "{}", page.text);
            break;
        }
        assert!(page.text.contains(&format!("go on with position {position}]")));
        assert!(text(&page, "output").len() <= 51_200);
    }
    let expected: String = (1..=20_000).map(|line| format!("line {line}\n")).collect();
    assert!(all == expected, "{} of {} bytes", all.len(), expected.len());
}

#[test]
fn a_command_that_runs_out_of_time_fails_with_what_it_printed() {
    let place = place();
    // A loaded machine may need more than the first of these to start it at all.
    for timeout_ms in [500, 2_000, 8_000, 30_000] {
        let params = json!({
            "command": "echo begun; echo trouble >&2; sleep 3600", "timeout_ms": timeout_ms,
        });
        let failure = place.refused(Code::CommandTimeout, "bash", params);
        let body = failure.body();
        let details = &body["details"];
        if details["stderr"] == "" {
            continue;
        }
        let message = format!("the command ran out of time after {timeout_ms} ms");
        assert_eq!((&body["code"], &body["message"]), (&json!("COMMAND_TIMEOUT"), &json!(message)));
        let hint = "Allow more time with timeout_ms, or start it in the background.";
        assert_eq!(details["hint"], hint);
        assert_eq!(
            (&details["stdout"], &details["stderr"]),
            (&json!("begun\n"), &json!("trouble\n"))
        );
        assert_eq!((&details["exit_code"], &details["signal"]), (&json!(143), &json!("SIGTERM")));
        assert!(details["duration_ms"].as_u64().unwrap() >= timeout_ms);
        let partial = failure.partial.unwrap();
        let shown = "begun\n[stderr]\ntrouble\n[ended by SIGTERM, exit code 143]";
        assert_eq!(partial.text.as_ref(), shown);
        return;
    }
    panic!("nothing was printed in any time");
}

#[test]
fn the_usual_time_is_that_of_the_workspace() {
    let limits = garth_workspace::Limits {
        command_time: std::time::Duration::from_millis(100),
        ..Setting::usual().limits
    };
    let place = place_with(Setting { limits, ..Setting::usual() });
    let failure = place.refused(Code::CommandTimeout, "bash", json!({"command": "sleep 3600"}));
    assert!(failure.error.message().ends_with("after 100 ms"), "{failure:?}");
    place.ok("bash", json!({"command": "sleep 0.2", "timeout_ms": 3_600_000}));
}

#[test]
fn a_call_that_is_dropped_kills_its_command() {
    let place = place();
    let (call, heard) = announced(json!({"command": "sleep 3600"}));
    let id = place.runtime.block_on(async {
        let run = place.calling("bash", call);
        tokio::select! {
            ended = run => panic!("it ended: {ended:?}"),
            id = heard => id.unwrap(),
        }
    });
    let ended = place.until_ended(&id.to_string());
    assert_eq!(ended.payload["signal"], "SIGKILL");
}
