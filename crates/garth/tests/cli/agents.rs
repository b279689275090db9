//! `garth agent` on a data directory.

use serde_json::json;

use crate::{
    scene::{Scene, garth},
    serving::{Data, until},
};

#[test]
fn an_agent_is_made_shown_changed_and_forgotten() {
    let data = Data::new();
    let made = data.done(&["agent", "create", "coder", "--quota", "5MiB", "--deny", "**/.env"]);
    assert!(made.contains("coder has its workspace in "), "{made}");
    assert!(data.path().join("agents/coder/workspace").is_dir());
    let shown = data.payload(&["agent", "show", "coder"]);
    assert_eq!(shown["settings"]["provider"], "local");
    assert_eq!(shown["settings"]["quotaBytes"], 5 << 20);
    assert_eq!(shown["settings"]["deny"], json!(["**/.env"]));

    let more = r#"{"limits":{"processes":4},"quotaBytes":null}"#;
    data.done(&["agent", "update", "coder", "--read-only", "--settings", more]);
    let shown = data.payload(&["agent", "show", "coder"]);
    let settings = &shown["settings"];
    assert_eq!(
        (&settings["readOnly"], &settings["limits"]["processes"]),
        (&json!(true), &json!(4))
    );
    assert_eq!((&settings["quotaBytes"], &settings["deny"]), (&json!(null), &json!(["**/.env"])));
    let pattern = r#"{"redaction":{"customPatterns":[{"name":"BADGE","regex":"badge-\\d+"}]}}"#;
    data.done(&["agent", "update", "coder", "--settings", pattern]);
    data.done(&["agent", "update", "coder", "--read-only", "false", "--no-redact"]);
    let redaction = data.payload(&["agent", "show", "coder"])["settings"]["redaction"].clone();
    assert_eq!(
        (&redaction["enabled"], &redaction["customPatterns"][0]["name"]),
        (&json!(false), &json!("BADGE"))
    );
    assert_eq!(data.payload(&["agent", "show", "coder"])["settings"]["readOnly"], false);

    data.done(&["agent", "create", "other", "--provider", "none"]);
    let listed = data.done(&["agent", "list"]);
    let lines: Vec<_> = listed.lines().collect();
    assert!(lines[0].starts_with("AGENT  PROVIDER  ACCESS"), "{listed}");
    assert!(lines[1].starts_with("coder  local     read, write  2"), "{listed}");
    assert!(lines[2].starts_with("other  none "), "{listed}");

    let forgotten = data.done(&["agent", "delete", "coder"]);
    assert!(forgotten.contains("its files stay in "), "{forgotten}");
    assert!(data.path().join("agents/coder/workspace").is_dir());
    assert_eq!(data.refused(&["agent", "show", "coder"]), (1, "AGENT_NOT_FOUND".to_owned()));
    assert_eq!(data.payload(&["agent", "list"])["agents"].as_array().unwrap().len(), 1);
}

#[test]
fn a_directory_is_adopted_where_it_is() {
    let (data, scene) = (Data::new(), Scene::new(&[("a.txt", "one\n")]));
    let path = scene.path().to_str().unwrap();
    data.done(&["agent", "create", "docs", "--dir", path, "--read-only"]);
    #[allow(clippy::disallowed_methods, reason = "it only names the directory")]
    let real = scene.path().canonicalize().unwrap();
    let shown = data.payload(&["agent", "show", "docs"]);
    assert_eq!(shown["settings"]["directory"], real.to_str().unwrap());
    assert!(!data.path().join("agents/docs").is_dir());
    let missing = scene.path().join("nope");
    let refused = data.refused(&["agent", "create", "x", "--dir", missing.to_str().unwrap()]);
    assert_eq!(refused, (2, "INVALID_PARAMS".to_owned()));
}

#[test]
fn what_cannot_be_set_up_is_refused_and_changes_nothing() {
    let data = Data::new();
    data.done(&["agent", "create", "coder"]);
    assert_eq!(data.refused(&["agent", "create", "coder"]), (1, "CONFLICT".to_owned()));
    for (arguments, code) in [
        (&["--settings", r#"{"nonsense":1}"#][..], "INVALID_PARAMS"),
        (&["--settings", "[]"], "INVALID_PARAMS"),
        (&["--settings", r#"{"readOnly":"yes"}"#], "INVALID_PARAMS"),
        (&["--deny", "[a"], "INVALID_PATTERN"),
        (&["--provider", "nonsense"], "INVALID_PARAMS"),
    ] {
        for verb in [&["agent", "create", "new"], &["agent", "update", "coder"]] {
            let refused = data.refused(&[&verb[..], arguments].concat());
            assert_eq!(refused, (2, code.to_owned()), "{verb:?} {arguments:?}");
        }
    }
    for arguments in [&["create", "../x"][..], &["create", "a", "--quota", "much"], &["list", "x"]]
    {
        let run = data.run(&[&["agent"], arguments].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    }
    assert_eq!(data.payload(&["agent", "list"])["agents"].as_array().unwrap().len(), 1);
    assert!(!data.path().join("agents/new").is_dir());
}

#[test]
fn a_directory_without_a_gateway_is_not_made_by_looking() {
    let data = Data::new();
    let nowhere = data.path().join("nowhere");
    let nowhere = nowhere.to_str().unwrap();
    for arguments in [&["agent", "list"][..], &["token", "list"], &["audit", "verify"]] {
        let run = garth(&[arguments, &["--data", nowhere]].concat(), "");
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stderr.contains("there is no gateway's data in "), "{run:?}");
    }
    assert!(!data.path().join("nowhere").is_dir());
}

#[test]
fn a_running_gateway_notices_what_is_changed_beside_it() {
    let data = Data::new();
    let served = data.serve(&[]);
    let token = data.done(&["token", "create", "--role", "operator"]);
    let token = token.trim();
    data.done(&["agent", "create", "beside"]);
    let list = ["worktree.list", r#"{"agentId":"beside","path":"/"}"#];
    let run = served.ask(token, &list);
    assert_eq!(run.code, 0, "{run:?}");
    data.done(&["agent", "delete", "beside"]);
    let gone = until(|| Some(served.ask(token, &list)).filter(|run| run.code == 1));
    assert!(gone.stdout.contains("AGENT_NOT_FOUND"), "{gone:?}");
}
