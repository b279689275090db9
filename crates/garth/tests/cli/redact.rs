//! `garth redact` as a filter.

use crate::scene::{Scene, garth};

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

#[test]
fn standard_input_comes_out_without_its_secrets() {
    let run = garth(&["redact"], &format!("a\nkey = \"{SECRET}\"\nno newline"));
    assert_eq!(run.code, 0);
    assert_eq!(run.stdout, "a\nkey = \"[REDACTED: STRIPE_KEY]\"\nno newline");
}

#[test]
fn files_come_out_one_after_the_other() {
    let scene = Scene::new(&[("a", &format!("{SECRET}\n")), ("b", "plain\n")]);
    let path = |name: &str| scene.path().join(name).to_str().unwrap().to_owned();
    let run = garth(&["redact", &path("a"), &path("b")], "");
    assert_eq!((run.code, run.stdout.as_str()), (0, "[REDACTED: STRIPE_KEY]\nplain\n"));
    let run = garth(&["redact", &path("nope")], "");
    assert!(run.code == 1 && run.stderr.contains("FILE_NOT_FOUND"), "{run:?}");
    let run = garth(&["redact", scene.path().to_str().unwrap()], "");
    assert!(run.code == 1 && run.stderr.contains("NOT_A_FILE"), "{run:?}");
}

#[test]
fn a_summary_by_rule_is_told_beside_the_text() {
    let run = garth(&["redact"], &format!("{SECRET}\npassword = \"hunter2\"\n"));
    assert_eq!(run.stderr, "2 secrets: DATABASE_PASSWORD 1, STRIPE_KEY 1\n");
    assert_eq!(garth(&["redact"], "nothing\n").stderr, "");
}

#[test]
fn a_check_tells_rule_and_line_and_fails_where_there_is_a_secret() {
    let scene = Scene::new(&[
        ("a/one.txt", &format!("x\ny = {SECRET}\n")),
        ("a/.git/config", SECRET),
        ("a/binary", &format!("\0{SECRET}")),
        ("b.txt", "plain\n"),
    ]);
    let path = |name: &str| scene.path().join(name).to_str().unwrap().to_owned();
    let run = garth(&["redact", "--check", scene.path().to_str().unwrap()], "");
    assert_eq!((run.code, run.stdout), (1, format!("{}:2: STRIPE_KEY\n", path("a/one.txt"))));
    assert_eq!(run.stderr, "1 secret: STRIPE_KEY 1 in 2 files\n");
    let run = garth(&["redact", "--check", &path("b.txt")], "");
    assert_eq!((run.code, run.stderr.as_str()), (0, "no secret in 1 file\n"));
    let run = garth(&["redact", "--check", &path("nope")], "");
    assert!(run.code == 1 && run.stderr.contains("FILE_NOT_FOUND"), "{run:?}");
}

#[test]
fn a_check_in_json_counts_by_rule_and_holds_no_secret() {
    let run = garth(&["redact", "--json"], &format!("{SECRET}\n"));
    let body: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let payload = serde_json::json!({
        "files": 1,
        "secrets": 1,
        "rules": { "STRIPE_KEY": 1 },
        "places": [{ "path": "-", "line": 1, "rule": "STRIPE_KEY" }],
    });
    assert_eq!((run.code, &body["payload"]), (1, &payload));
    assert_eq!(garth(&["redact", "--json"], "plain\n").code, 0);
}

#[test]
fn a_long_text_is_not_cut_and_no_border_hides_a_secret() {
    let line = format!("{} {SECRET}\n", "x".repeat(997));
    let run = garth(&["redact"], &line.repeat(300));
    assert_eq!(run.stdout, line.replace(SECRET, "[REDACTED: STRIPE_KEY]").repeat(300));
}
