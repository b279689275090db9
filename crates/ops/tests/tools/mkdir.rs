//! What `mkdir` makes and refuses.

use garth_contract::Code;
use serde_json::{Value, json};

use crate::stage::everywhere;

#[test]
fn a_directory_is_made_with_its_parents_and_may_exist() {
    everywhere(&[], |stage| {
        let reply = stage.ok("mkdir", json!({"path": "a/b/c"}));
        assert_eq!(reply.text.as_ref(), "Made a/b/c/");
        assert_eq!(Value::Object(reply.payload), json!({"path": "a/b/c", "created": true}));
        let reply = stage.ok("mkdir", json!({"path": "/workspace/a/b/"}));
        assert_eq!(Value::Object(reply.payload), json!({"path": "a/b", "created": false}));
        assert_eq!(stage.tree(), ["a", "a/b", "a/b/c"]);
    });
}

#[test]
fn each_refusal_has_its_code() {
    everywhere(&[("f", "x")], |stage| {
        stage.refused(Code::FileExists, "mkdir", json!({"path": "f"}));
        stage.refused(Code::NotADirectory, "mkdir", json!({"path": "f/d"}));
        stage.refused(Code::ParentNotFound, "mkdir", json!({"path": "x/y", "parents": false}));
        stage.refused(Code::PathOutsideWorkspace, "mkdir", json!({"path": "../x"}));
        stage.refused(Code::PathOutsideWorkspace, "mkdir", json!({"path": "/workspace-evil/x"}));
        stage.refused(Code::InvalidPath, "mkdir", json!({"path": "a\u{0}b"}));
        assert_eq!(stage.tree(), ["f"]);
    });
}
