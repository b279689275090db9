//! Roots, rules and redaction, as the command line sets them.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::scene::{Scene, command, garth};

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

#[test]
fn secrets_are_hidden_unless_the_person_says_otherwise() {
    let scene = Scene::new(&[("s.toml", &format!("key = \"{SECRET}\"\n"))]);
    let hidden = scene.tool(&["read", r#"{"path":"s.toml"}"#]);
    assert!(!hidden.stdout.contains(SECRET) && hidden.stdout.contains("[REDACTED: "), "{hidden:?}");
    let shown = scene.tool(&["read", r#"{"path":"s.toml"}"#, "--no-redact"]);
    assert!(shown.stdout.contains(SECRET), "{shown:?}");
}

#[test]
fn a_read_only_root_refuses_changes() {
    let scene = Scene::new(&[("a", "x")]);
    let error = scene.error(&["delete", r#"{"path":"a"}"#, "--read-only"]);
    assert_eq!(error["code"], "READ_ONLY");
    assert_eq!(scene.content("a"), "x");
}

#[test]
fn rules_of_the_command_line_hold() {
    let scene = Scene::new(&[("a.env", "x"), ("lock/b", "y"), ("c", "z")]);
    let rules = ["--deny", "*.env", "--deny", "secret", "--protect", "lock"];
    let error = scene.error(&[&["read", r#"{"path":"a.env"}"#][..], &rules].concat());
    assert_eq!(error["code"], "PERMISSION_DENIED");
    let write = r#"{"path":"secret","content":"x"}"#;
    let error = scene.error(&[&["write", write][..], &rules].concat());
    assert_eq!(error["code"], "PERMISSION_DENIED");
    let error = scene.error(&[&["delete", r#"{"path":"lock/b"}"#][..], &rules].concat());
    assert_eq!(error["code"], "PERMISSION_DENIED");
    scene.payload(&[&["read", r#"{"path":"lock/b"}"#][..], &rules].concat());
    let bad = scene.error(&["read", r#"{"path":"c"}"#, "--deny", "[a"]);
    assert_eq!(bad["code"], "INVALID_PATTERN");
}

#[test]
fn only_what_is_allowed_is_there() {
    let scene = Scene::new(&[("src/a.rs", "x\n"), ("src/b.txt", "y\n"), ("c", "z\n")]);
    let listed = scene.tool(&["list", r#"{"recursive":true}"#, "--allow", "src/*.rs"]);
    assert_eq!(listed.stdout, "src/\nsrc/a.rs\n");
    let error = scene.error(&["read", r#"{"path":"c"}"#, "--allow", "src/*.rs"]);
    assert_eq!(error["code"], "PERMISSION_DENIED");
    let bad = scene.error(&["read", r#"{"path":"c"}"#, "--allow", "[a"]);
    assert_eq!(bad["code"], "INVALID_PATTERN");
}

#[test]
fn a_command_is_refused_where_none_may_run() {
    let scene = Scene::new(&[]);
    let params = r#"{"command":"touch ran"}"#;
    let error = scene.error(&["bash", params, "--no-exec"]);
    assert_eq!(error["code"], "UNSUPPORTED");
    assert!(!scene.path().join("ran").is_file());
}

#[test]
fn a_root_that_is_not_there_is_a_missing_workspace() {
    let scene = Scene::new(&[("file", "x")]);
    let missing = scene.path().join("nope");
    let run = garth(&["tool", "list", "{}", "--root", missing.to_str().unwrap()], "");
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("WORKSPACE_NOT_FOUND"), "{run:?}");
    let file = scene.path().join("file");
    let run = garth(&["tool", "list", "{}", "--root", file.to_str().unwrap()], "");
    assert!(run.code == 1 && run.stderr.contains("NOT_A_DIRECTORY"), "{run:?}");
}

#[test]
fn the_root_is_known_by_its_own_path_and_by_the_mount() {
    let scene = Scene::new(&[("ws/d/a", "x\n"), ("ws-evil/a", "evil\n")]);
    let root = scene.path().join("ws");
    let link = scene.path().join("link");
    symlink(&root, &link).unwrap();
    for given in [&root, &link] {
        let given = given.to_str().unwrap();
        for path in
            ["d/a", "/workspace/d/a", &format!("{given}/d/a"), &format!("{}/d/a", root.display())]
        {
            let params = json!({"path": path}).to_string();
            let run = garth(&["tool", "read", &params, "--root", given], "");
            assert_eq!((run.code, run.stdout.as_str()), (0, "1: x\n"), "{path} {run:?}");
        }
        for path in
            [format!("{}-evil/a", root.display()), "/etc/passwd".into(), "../ws-evil/a".into()]
        {
            let params = json!({"path": path}).to_string();
            let run = garth(&["tool", "read", &params, "--root", given], "");
            assert!(
                run.code == 1 && run.stderr.contains("PATH_OUTSIDE_WORKSPACE"),
                "{path} {run:?}"
            );
        }
    }
}

#[test]
fn the_current_directory_is_the_root_unless_one_is_named() {
    let scene = Scene::new(&[("a", "x\n")]);
    let output =
        command(&["tool", "read", r#"{"path":"a"}"#]).current_dir(scene.path()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1: x\n");
}

#[test]
fn no_answer_names_an_absolute_path_of_the_host() {
    let scene = Scene::new(&[("d/a", "x\n")]);
    let host = scene.path().to_str().unwrap();
    for arguments in [
        &["list", r#"{"recursive":true}"#][..],
        &["grep", r#"{"pattern":"x"}"#],
        &["read", r#"{"path":"nope"}"#],
        &["stat", r#"{"path":"d"}"#],
        &["write", r#"{"path":"d","content":""}"#],
        &["move", r#"{"from":"d","to":"d/e"}"#],
    ] {
        for json in [&[][..], &["--json"]] {
            let run = scene.tool(&[arguments, json].concat());
            assert!(!run.stdout.contains(host) && !run.stderr.contains(host), "{run:?}");
        }
    }
}
