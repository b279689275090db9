//! Rules of the operator hold for every tool.

use garth_contract::{Access, Code, Policy};
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage};

/// A call of every tool that changes something at a path.
fn changes(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("write", json!({"path": path, "content": "x"})),
        ("write", json!({"path": path, "content": "x", "overwrite": false})),
        ("edit", json!({"path": path, "old_string": "secret", "new_string": "x"})),
        ("edit", json!({"path": path, "old_string": "", "new_string": "x"})),
        ("move", json!({"from": path, "to": "elsewhere"})),
        ("move", json!({"from": "free", "to": path, "overwrite": true})),
        ("delete", json!({"path": path, "recursive": true})),
    ]
}

fn stages(policy: &Policy) -> [Stage; 2] {
    let files = [("secret.env", "secret\n"), ("free", "free\n")];
    [Ground::Memory, Ground::Host].map(|ground| {
        let setting = Setting { policy: policy.clone(), ..Setting::usual() };
        Stage::new(ground, &files, setting)
    })
}

#[test]
fn what_is_denied_is_neither_seen_nor_touched() {
    for stage in stages(&Policy { deny: vec!["*.env".into()], ..Policy::open() }) {
        for path in ["secret.env", "new.env", "sub/new.env"] {
            for (tool, params) in changes(path) {
                stage.refused(Code::PermissionDenied, tool, params);
            }
            stage.refused(Code::PermissionDenied, "read", json!({"path": path}));
            stage.refused(Code::PermissionDenied, "stat", json!({"path": path}));
            stage.refused(Code::PermissionDenied, "diff", json!({"from": "free", "to": path}));
            stage.refused(Code::PermissionDenied, "mkdir", json!({"path": path}));
        }
        assert_eq!(stage.tree(), ["free"]);
        assert_eq!(stage.text("grep", json!({"pattern": "secret"})), "[no match in 1 file]");
        assert_eq!(stage.text("glob", json!({"pattern": "**"})), "free");
    }
}

#[test]
fn what_is_protected_is_read_and_not_changed() {
    for stage in stages(&Policy { protect: vec!["*.env".into()], ..Policy::open() }) {
        for path in ["secret.env", "new.env"] {
            for (tool, params) in changes(path) {
                let code = match (tool, path) {
                    // Nothing is there to be edited or moved away.
                    ("edit", "new.env") if params["old_string"] != "" => Code::FileNotFound,
                    ("move", "new.env") if params["from"] == path => Code::SourceNotFound,
                    ("delete", "new.env") => Code::FileNotFound,
                    // It is refused before anything is written.
                    ("edit", "secret.env") if params["old_string"] == "" => Code::FileExists,
                    ("write", "secret.env") if params["overwrite"] == false => Code::FileExists,
                    _ => Code::PermissionDenied,
                };
                let error = stage.call(tool, params.clone()).unwrap_err();
                let either = [code, Code::PermissionDenied];
                assert!(
                    either.contains(&error.code()),
                    "{:?} {tool} {params}: {error:?}",
                    stage.ground
                );
            }
        }
        assert_eq!(stage.text("read", json!({"path": "secret.env"})), "1: secret");
        assert_eq!(stage.tree(), ["free", "secret.env"]);
    }
}

#[test]
fn a_read_only_workspace_refuses_every_change() {
    for stage in stages(&Policy { access: Access::ReadOnly, ..Policy::open() }) {
        stage.refused(Code::ReadOnly, "write", json!({"path": "a", "content": "x"}));
        stage.refused(Code::ReadOnly, "mkdir", json!({"path": "d"}));
        stage.refused(Code::ReadOnly, "delete", json!({"path": "free"}));
        stage.refused(Code::ReadOnly, "move", json!({"from": "free", "to": "x"}));
        let edit = json!({"path": "free", "old_string": "free", "new_string": "x"});
        stage.refused(Code::ReadOnly, "edit", edit);
        let dry = json!({"path": "free", "old_string": "free", "new_string": "x", "dry_run": true});
        stage.ok("edit", dry);
        assert_eq!(stage.content("free"), "free\n");
    }
}

#[test]
fn a_file_over_the_largest_size_is_refused() {
    for stage in stages(&Policy { max_file: 10, ..Policy::open() }) {
        let params = json!({"path": "a", "content": "12345678901"});
        stage.refused(Code::FileTooLarge, "write", params);
        let edit = json!({"path": "free", "old_string": "free", "new_string": "12345678901"});
        stage.refused(Code::FileTooLarge, "edit", edit);
        assert_eq!(stage.tree(), ["free", "secret.env"]);
    }
}
