//! `shell` and `eval` of the dialect `vfs`.

use garth_contract::Code;
use garth_ops::vfs::TOOLS;
use serde_json::{Value, json};

use crate::place::{Place, Setting, place_with, text};

fn place() -> Place {
    place_with(Setting { tools: TOOLS, ..Setting::usual() })
}

#[test]
fn shell_gives_what_a_command_printed_and_how_it_ended() {
    let place = place();
    let params = json!({
        "command": "echo $A; cat; echo err >&2; exit 3", "env": {"A": "a"}, "stdin": "in\n",
    });
    let mut payload = place.ok("shell", params).payload;
    payload.shift_remove("duration_ms").unwrap();
    assert_eq!(
        Value::Object(payload),
        json!({
            "stdout": "a\nin\n", "stderr": "err\n", "exit_code": 3, "truncated": false,
            "stdout_bytes": 5, "stderr_bytes": 4,
        })
    );
    place.ok("write_file", json!({"path": "d/a.txt", "content": "x"}));
    assert_eq!(place.ok("shell", json!({"command": "ls", "workdir": "d"})).text.as_ref(), "a.txt");
}

#[test]
fn long_output_says_how_to_see_all_of_it() {
    let reply = place().ok("shell", json!({"command": "yes | head -c 100000"}));
    let stdout = text(&reply, "stdout");
    assert!(stdout.contains("left out; send it to a file to read all of it"), "{}", stdout.len());
}

#[test]
fn a_shell_that_runs_out_of_time_fails_with_what_it_printed() {
    let params = json!({"command": "sleep 3600", "timeout_ms": 100});
    let failure = place().refused(Code::CommandTimeout, "shell", params);
    assert_eq!(failure.error.advice(), "Allow more time with timeout_ms.");
    assert_eq!(failure.body()["details"]["exit_code"], 143);
}

#[test]
fn code_runs_in_its_language() {
    let place = place();
    for (language, code) in [
        ("python", "import sys\nprint(6 * 7)\nsys.exit(3)"),
        ("node", "console.log(6 * 7);\nprocess.exit(3)"),
        ("bash", "echo $((6 * 7))\nexit 3"),
    ] {
        let reply = place.ok("eval", json!({"language": language, "code": code}));
        if reply.payload["exit_code"] == 127 {
            println!("skipped: {language} is not installed");
            continue;
        }
        assert_eq!(text(&reply, "stdout"), "42\n", "{}", reply.text);
        assert_eq!(reply.payload["exit_code"], 3, "{language}");
    }
}

#[test]
fn code_for_bash_does_not_share_its_input_with_its_commands() {
    let params = json!({"language": "bash", "code": "cat\necho end"});
    assert_eq!(place().ok("eval", params).text.as_ref(), "end");
}

#[test]
fn code_runs_where_it_is_told_to() {
    let place = place();
    place.ok("write_file", json!({"path": "d/a.txt", "content": "x"}));
    let params = json!({"language": "sh", "code": "ls; echo $A", "workdir": "d", "env": {"A": 1}});
    assert_eq!(place.ok("eval", params).text.as_ref(), "a.txt\n1");
}

#[test]
fn wrong_code_is_refused() {
    let place = place();
    for params in [
        json!({"language": "python", "code": ""}),
        json!({"language": "node", "code": " \n"}),
        json!({"language": "cobol", "code": "x"}),
        json!({"language": "bash", "code": "a\0b"}),
        json!({"language": "bash"}),
        json!({"language": "python", "code": "1", "timeout_ms": 0}),
    ] {
        place.refused(Code::InvalidParams, "eval", params);
    }
}
