//! What `delete` removes and refuses.

use garth_contract::Code;
use serde_json::{Value, json};

use crate::stage::everywhere;

#[test]
fn a_file_and_a_whole_directory_are_removed() {
    everywhere(&[("a", "1"), ("d/x", "2"), ("d/e/y", "3"), ("-rf", "4")], |stage| {
        let reply = stage.ok("delete", json!({"path": "a"}));
        assert_eq!(reply.text.as_ref(), "Deleted a");
        let expected = json!({"path": "a", "kind": "file", "deleted": 1});
        assert_eq!(Value::Object(reply.payload), expected);
        let reply = stage.ok("delete", json!({"path": "d", "recursive": true}));
        assert_eq!(reply.text.as_ref(), "Deleted d/ with 3 entries in it");
        assert_eq!(reply.payload["deleted"], 4);
        stage.ok("delete", json!({"path": "-rf"}));
        assert_eq!(stage.tree(), [""; 0]);
    });
}

#[test]
fn each_refusal_has_its_code() {
    everywhere(&[("d/x", "1")], |stage| {
        stage.refused(Code::FileNotFound, "delete", json!({"path": "nope"}));
        stage.refused(Code::DirectoryNotEmpty, "delete", json!({"path": "d"}));
        for root in ["", ".", "/", "/workspace", "d/.."] {
            let params = json!({"path": root, "recursive": true});
            stage.refused(Code::CannotDeleteRoot, "delete", params);
        }
        assert_eq!(stage.tree(), ["d", "d/x"]);
    });
}
