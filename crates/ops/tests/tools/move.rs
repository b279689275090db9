//! What `move` moves and refuses.

use garth_contract::Code;
use serde_json::{Value, json};

use crate::stage::everywhere;

#[test]
fn an_entry_moves_and_missing_directories_are_made() {
    everywhere(&[("a", "1"), ("d/x", "2")], |stage| {
        let reply = stage.ok("move", json!({"from": "a", "to": "new/b"}));
        assert_eq!(reply.text.as_ref(), "Moved a to new/b");
        let expected = json!({"from": "a", "to": "new/b", "kind": "file", "overwritten": false});
        assert_eq!(Value::Object(reply.payload), expected);
        stage.ok("move", json!({"source": "d", "destination": "e"}));
        assert_eq!(stage.tree(), ["e", "e/x", "new", "new/b"]);
        assert_eq!(stage.content("new/b"), "1");
    });
}

#[test]
fn what_is_there_is_replaced_only_when_asked() {
    everywhere(&[("a", "1"), ("b", "2")], |stage| {
        stage.refused(Code::DestinationExists, "move", json!({"from": "a", "to": "b"}));
        assert_eq!(stage.content("b"), "2");
        let reply = stage.ok("move", json!({"from": "a", "to": "b", "overwrite": true}));
        assert_eq!(reply.text.as_ref(), "Moved a to b, replacing what was there");
        assert_eq!((stage.content("b").as_str(), stage.bytes("a")), ("1", None));
    });
}

#[test]
fn each_refusal_has_its_code() {
    everywhere(&[("a", "1"), ("d/x", "2")], |stage| {
        let refused = |code, from: &str, to: &str| {
            stage.refused(code, "move", json!({"from": from, "to": to}));
        };
        refused(Code::SourceNotFound, "nope", "b");
        refused(Code::CannotMoveToSubdirectory, "d", "d/e/f");
        refused(Code::CannotDeleteRoot, ".", "e");
        refused(Code::PathOutsideWorkspace, "a", "../a");
        let params = json!({"from": "a", "to": "x/y", "create_dirs": false});
        stage.refused(Code::ParentNotFound, "move", params);
        let params = json!({"from": "d", "to": "a", "overwrite": true});
        stage.refused(Code::NotADirectory, "move", params);
        let params = json!({"from": "a", "to": "d", "overwrite": true});
        stage.refused(Code::NotAFile, "move", params);
        assert_eq!(stage.tree(), ["a", "d", "d/x"]);
    });
}
