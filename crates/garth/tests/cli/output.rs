//! What is printed, where, and with which exit code.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::scene::{Scene, command, garth};

#[test]
fn an_answer_goes_to_standard_output_as_text() {
    let scene = Scene::new(&[("src/a.rs", "fn a() {}\n")]);
    let run = scene.tool(&["read", r#"{"path":"src/a.rs"}"#]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "1: fn a() {}\n", ""));
}

#[test]
fn with_json_exactly_one_object_is_printed() {
    let scene = Scene::new(&[("a", "x\n")]);
    let run = scene.tool(&["delete", r#"{"path":"a"}"#, "--json"]);
    assert_eq!(run.stdout.lines().count(), 1);
    let expected = json!({"ok": true, "payload": {"path": "a", "kind": "file", "deleted": 1}});
    assert_eq!(serde_json::from_str::<Value>(&run.stdout).unwrap(), expected);
    let error = scene.error(&["delete", r#"{"path":"a"}"#]);
    let expected = json!({
        "code": "FILE_NOT_FOUND",
        "message": "file not found: a",
        "details": {"hint": "List the directory or glob for the name.", "path": "a"},
    });
    assert_eq!(error, expected);
}

#[test]
fn a_refusal_goes_to_standard_error_with_its_hint() {
    let scene = Scene::new(&[]);
    let run = scene.tool(&["read", r#"{"path":"nope"}"#]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    let expected = "error: file not found: nope (FILE_NOT_FOUND)\n\
                    hint: List the directory or glob for the name.\n";
    assert_eq!(run.stderr, expected);
}

#[test]
fn an_edit_shows_its_difference_and_changes_the_file() {
    let scene = Scene::new(&[("a", "one\ntwo\n")]);
    let edit = r#"{"path":"a","old_string":"two","new_string":"2"}"#;
    let run = scene.tool(&["edit", edit]);
    let expected = "Edited a: 1 replacement, 1 line changed\n\
                    --- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    assert_eq!(run.stdout, expected, "no colours in a pipe");
    assert_eq!(scene.content("a"), "one\n2\n");
}

#[test]
fn parameters_come_from_standard_input_for_a_dash() {
    let scene = Scene::new(&[]);
    let root = scene.path().to_str().unwrap();
    let params = r#"{"path":"n.md","content":"a \"quoted\" $text\n"}"#;
    let run = garth(&["tool", "write", "-", "--root", root], params);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(scene.content("n.md"), "a \"quoted\" $text\n");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let text = "line\n".repeat(2_000);
    let scene = Scene::new(&[("a", &text)]);
    let root = scene.path().to_str().unwrap();
    let mut child = command(&["tool", "read", r#"{"path":"a"}"#, "--root", root])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.status.success());
}

#[test]
fn no_update_of_many_processes_is_lost() {
    const WRITERS: usize = 6;
    let text: String = (0..WRITERS).map(|n| format!("line {n}\n")).collect();
    let scene = Scene::new(&[("a", &text)]);
    std::thread::scope(|scope| {
        for n in 0..WRITERS {
            let scene = &scene;
            scope.spawn(move || {
                let params = json!({
                    "path": "a", "old_string": format!("line {n}"), "new_string": format!("done {n}"),
                });
                let run = scene.tool(&["edit", &params.to_string()]);
                assert_eq!(run.code, 0, "{run:?}");
            });
        }
    });
    assert_eq!(scene.content("a"), text.replace("line", "done"));
}
