//! Paths that lead out, and rules of the operator, hold for every method.

use std::os::unix::fs::symlink;

use garth_contract::{Access, Code, Policy};
use garth_ops::worktree::METHODS;
use serde_json::{Value, json};

use crate::{
    asking::{Asking, everywhere, everywhere_in},
    stage::{Ground, Setting, Stage},
};

/// A call of every method with this path, those that change something last.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("list", json!({"path": path})),
        ("list", json!({"path": path, "recursive": true, "includeHidden": true})),
        ("stat", json!({"path": path})),
        ("usage", json!({"path": path})),
        ("read", json!({"path": path})),
        ("read", json!({"path": path, "encoding": "base64", "offset": 100_000})),
        ("search", json!({"path": path, "query": "x"})),
        ("diff", json!({"fromPath": path, "toPath": "free"})),
        ("diff", json!({"fromPath": "free", "toPath": path})),
        ("diff", json!({"path": path, "content": ""})),
        ("write", json!({"path": path, "content": "x"})),
        ("write", json!({"path": path, "content": "[REDACTED: X]"})),
        ("edit", json!({"path": path, "edits": [{"oldText": "secret", "newText": "x"}]})),
        ("mkdir", json!({"path": path})),
        ("move", json!({"fromPath": path, "toPath": "elsewhere"})),
        ("move", json!({"fromPath": "free", "toPath": path, "overwrite": true})),
        ("delete", json!({"path": path, "recursive": true})),
    ]
}

#[test]
fn every_method_is_called() {
    for method in METHODS {
        let name = method.name.strip_prefix("worktree.").unwrap();
        assert!(calls("a").iter().any(|(called, _)| *called == name), "{name}");
    }
}

#[test]
fn no_text_leads_out() {
    everywhere(&[("free", "x"), ("in/a", "")], |asking| {
        for path in
            ["../x", "in/../../x", "/etc/passwd", "/free", "/workspace-evil/a", "/workspace/../x"]
        {
            for (method, params) in calls(path) {
                asking.refused(Code::PathOutsideWorkspace, method, params);
            }
        }
        for (method, params) in calls("a\0b") {
            asking.refused(Code::InvalidPath, method, params);
        }
        assert_eq!(asking.stage.tree(), ["free", "in", "in/a"]);
    });
}

#[test]
fn no_link_leads_out_and_nothing_tells_what_is_there() {
    let asking = Asking::on(Stage::new(Ground::Host, &[("free", "x")], Setting::usual()));
    let outside = tempfile::tempdir().unwrap();
    #[allow(clippy::disallowed_methods, reason = "the test lays out what is outside")]
    std::fs::write(outside.path().join("there"), "secret").unwrap();
    symlink(outside.path(), asking.stage.root.path().join("dir")).unwrap();
    for (there, missing) in calls("dir/there").into_iter().zip(calls("dir/missing")) {
        let (method, params) = there;
        let error = asking.refused(Code::PathOutsideWorkspace, method, params);
        let same = asking.refused(Code::PathOutsideWorkspace, method, missing.1);
        assert_eq!(error.message().replace("there", ""), same.message().replace("missing", ""));
    }
    #[allow(clippy::disallowed_methods, reason = "the test looks at what is outside")]
    let left = std::fs::read_to_string(outside.path().join("there")).unwrap();
    assert_eq!(left, "secret");
    assert_eq!(asking.stage.content("free"), "x");
}

#[test]
fn what_is_denied_is_neither_seen_nor_touched() {
    let policy = Policy { deny: vec!["*.env".into()], ..Policy::open() };
    let setting = || Setting { policy: policy.clone(), ..Setting::usual() };
    everywhere_in(setting, &[("secret.env", "secret x\n"), ("free", "x\n")], |asking| {
        for path in ["secret.env", "new.env", "sub/new.env"] {
            for (method, params) in calls(path) {
                asking.refused(Code::PermissionDenied, method, params);
            }
        }
        assert_eq!(asking.stage.tree(), ["free"]);
        let found = asking.ok("search", json!({"query": "x"}));
        assert_eq!(found["matches"].as_array().unwrap().len(), 1);
        let listed = asking.ok("list", json!({"recursive": true, "includeHidden": true}));
        assert_eq!(listed["entries"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn a_read_only_workspace_is_read_only() {
    let policy = Policy { access: Access::ReadOnly, ..Policy::open() };
    let setting = || Setting { policy: policy.clone(), ..Setting::usual() };
    everywhere_in(setting, &[("free", "secret x\n")], |asking| {
        for (method, params) in
            calls("free").into_iter().skip_while(|(method, _)| *method != "write")
        {
            // It is refused before anything is written.
            let placeholder = params["content"] == "[REDACTED: X]";
            let code = if placeholder { Code::RedactedContent } else { Code::ReadOnly };
            asking.refused(code, method, params);
        }
        asking.ok("read", json!({"path": "free"}));
        let edits = json!([{"oldText": "x", "newText": "y"}]);
        asking.ok("edit", json!({"path": "free", "edits": edits, "dryRun": true}));
        assert_eq!(asking.stage.content("free"), "secret x\n");
    });
}

#[test]
fn no_room_is_told_as_such() {
    let policy = Policy { quota: Some(100), max_file: 50, ..Policy::open() };
    let setting = || Setting { policy: policy.clone(), ..Setting::usual() };
    everywhere_in(setting, &[("free", "x")], |asking| {
        let long = "x".repeat(51);
        asking.refused(Code::FileTooLarge, "write", json!({"path": "a", "content": long}));
        let fits = "x".repeat(50);
        asking.ok("write", json!({"path": "a", "content": fits}));
        // On a disk the file system holds the quota.
        if asking.stage.ground == Ground::Memory {
            asking.refused(Code::QuotaExceeded, "write", json!({"path": "b", "content": fits}));
        }
    });
}
