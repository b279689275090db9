//! `worktree.write`, `mkdir`, `move` and `delete`: fields, defaults and refusals.

use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::{Code, Version};
use serde_json::{Value, json};

use crate::{
    asking::{Asking, everywhere},
    stage::{Ground, Setting, Stage},
};

/// A reply without what differs from run to run.
fn steady(mut reply: Value) -> Value {
    let modified = reply.as_object_mut().unwrap().shift_remove("modifiedAt").unwrap();
    assert!(modified.as_str().unwrap().ends_with('Z'));
    reply
}

#[test]
fn a_write_says_what_it_made() {
    everywhere(&[], |asking| {
        for (content, created) in [("one\r\n", true), ("two", false), ("", false)] {
            let reply = asking.ok("write", json!({"path": "a/./b/c.txt", "content": content}));
            let expected = json!({
                "path": "a/b/c.txt", "sizeBytes": content.len(), "created": created,
                "version": Version::of(content.as_bytes()).to_string(),
            });
            assert_eq!(steady(reply), expected);
            assert_eq!(asking.stage.content("a/b/c.txt"), content);
        }
    });
}

#[test]
fn what_is_sent_lands_as_it_was_sent() {
    everywhere(&[("crlf", "a\r\nb\r\n"), ("mark", "\u{feff}x")], |asking| {
        asking.ok("write", json!({"path": "crlf", "content": "a\nb\n"}));
        assert_eq!(asking.stage.content("crlf"), "a\nb\n");
        asking.ok("write", json!({"path": "mark", "content": "x"}));
        assert_eq!(asking.stage.content("mark"), "x");
        let bytes = b"\0\x01\xff[REDACTED: X]";
        let content = STANDARD.encode(bytes);
        let reply =
            asking.ok("write", json!({"path": "b", "content": content, "encoding": "base64"}));
        assert_eq!(reply["sizeBytes"], bytes.len());
        assert_eq!(asking.stage.bytes("b").unwrap(), bytes);
        asking.ok("write", json!({"path": "l", "content": "é", "encoding": "latin1"}));
        assert_eq!(asking.stage.bytes("l").unwrap(), b"\xe9");
    });
}

#[test]
fn a_write_is_held_to_the_version_that_it_expects() {
    everywhere(&[("a", "old")], |asking| {
        let version = asking.ok("read", json!({"path": "a"}))["version"].clone();
        let write = |content: &str, version: &Value| json!({"path": "a", "content": content, "expectedVersion": version});
        let reply = asking.ok("write", write("new", &version));
        asking.refused(Code::Conflict, "write", write("lost", &version));
        assert_eq!(asking.stage.content("a"), "new");
        asking.ok("write", write("newer", &reply["version"]));
        let missing = json!({"path": "nope", "content": "", "expectedVersion": version});
        asking.refused(Code::Conflict, "write", missing);
        asking.refused(Code::InvalidParams, "write", write("", &json!("nonsense")));
        let both = json!({
            "path": "a", "content": "", "expectedVersion": version, "overwrite": false,
        });
        asking.refused(Code::InvalidParams, "write", both);
    });
}

#[test]
fn what_cannot_be_written_is_refused_and_nothing_is_changed() {
    everywhere(&[("a", "old"), ("d/x", "")], |asking| {
        for (code, params) in [
            (Code::FileExists, json!({"path": "a", "content": "", "overwrite": false})),
            (Code::ParentNotFound, json!({"path": "n/o", "content": "", "createDirs": false})),
            (Code::NotAFile, json!({"path": "d", "content": ""})),
            (Code::NotAFile, json!({"path": "/", "content": ""})),
            (Code::NotADirectory, json!({"path": "a/b", "content": ""})),
            (Code::PathOutsideWorkspace, json!({"path": "../a", "content": ""})),
            (Code::InvalidEncoding, json!({"path": "a", "content": "?", "encoding": "base64"})),
            (Code::InvalidEncoding, json!({"path": "a", "content": "", "encoding": "nope"})),
            (Code::InvalidEncoding, json!({"path": "a", "content": "世", "encoding": "latin1"})),
            (Code::InvalidPath, json!({"path": "x".repeat(256), "content": ""})),
        ] {
            asking.refused(code, "write", params);
        }
        assert_eq!(asking.stage.content("a"), "old");
        assert_eq!(asking.stage.tree(), ["a", "d", "d/x"]);
        asking.ok(
            "write",
            json!({"path": "d/y", "content": "", "createDirs": false, "overwrite": false}),
        );
    });
}

#[test]
fn a_directory_is_made_once() {
    everywhere(&[("a", "file")], |asking| {
        for (params, created) in [
            (json!({"path": "x/y/"}), true),
            (json!({"path": "x/y"}), false),
            (json!({"path": "x/y", "recursive": false}), false),
            (json!({"path": "x/z", "recursive": false}), true),
            (json!({"path": "/"}), false),
        ] {
            let reply = asking.ok("mkdir", params.clone());
            assert_eq!(reply["created"], created, "{params}");
            assert_eq!(reply.as_object().unwrap().len(), 2);
        }
        assert_eq!(asking.ok("mkdir", json!({"path": "x/./y"}))["path"], "x/y");
        for (code, params) in [
            (Code::FileExists, json!({"path": "a"})),
            (Code::ParentNotFound, json!({"path": "p/q", "recursive": false})),
            (Code::NotADirectory, json!({"path": "a/b"})),
            (Code::PathOutsideWorkspace, json!({"path": ".."})),
        ] {
            asking.refused(code, "mkdir", params);
        }
        assert_eq!(asking.stage.tree(), ["a", "x", "x/y", "x/z"]);
    });
}

#[test]
fn a_move_says_what_moved_and_what_it_replaced() {
    everywhere(&[("a", "1"), ("b", "2"), ("d/x", "3")], |asking| {
        let reply = asking.ok("move", json!({"fromPath": "./a", "toPath": "new/a"}));
        let expected = json!({
            "fromPath": "a", "toPath": "new/a", "kind": "file", "overwritten": false,
        });
        assert_eq!(reply, expected);
        let reply =
            asking.ok("move", json!({"fromPath": "b", "toPath": "new/a", "overwrite": true}));
        assert_eq!(reply["overwritten"], true);
        let reply = asking.ok("move", json!({"fromPath": "d", "toPath": "e"}));
        assert_eq!((&reply["kind"], &reply["overwritten"]), (&json!("dir"), &json!(false)));
        assert_eq!(asking.stage.tree(), ["e", "e/x", "new", "new/a"]);
        assert_eq!(asking.stage.content("new/a"), "2");
    });
}

#[test]
fn what_cannot_be_moved_is_refused_and_stays() {
    everywhere(&[("a", "1"), ("b", "2"), ("d/e/x", "3"), ("f/y", "")], |asking| {
        let tree = asking.stage.tree();
        for (code, params) in [
            (Code::SourceNotFound, json!({"fromPath": "nope", "toPath": "x"})),
            (Code::DestinationExists, json!({"fromPath": "a", "toPath": "b"})),
            (Code::DestinationExists, json!({"fromPath": "a", "toPath": "b", "overwrite": false})),
            (Code::CannotMoveToSubdirectory, json!({"fromPath": "d", "toPath": "d/e/d"})),
            (Code::CannotDeleteRoot, json!({"fromPath": "/", "toPath": "x"})),
            (Code::PathOutsideWorkspace, json!({"fromPath": "a", "toPath": "../a"})),
            (Code::PathOutsideWorkspace, json!({"fromPath": "../a", "toPath": "a"})),
            (Code::ParentNotFound, json!({"fromPath": "a", "toPath": "n/o", "createDirs": false})),
            (Code::DirectoryNotEmpty, json!({"fromPath": "d", "toPath": "f", "overwrite": true})),
        ] {
            asking.refused(code, "move", params);
        }
        assert_eq!(asking.stage.tree(), tree);
        assert_eq!(asking.stage.content("b"), "2");
    });
}

#[test]
fn a_delete_says_what_is_gone() {
    everywhere(&[("a", "1"), ("d/e/x", "3"), ("empty/", "")], |asking| {
        for (code, params) in [
            (Code::DirectoryNotEmpty, json!({"path": "d"})),
            (Code::DirectoryNotEmpty, json!({"path": "d", "recursive": false})),
            (Code::FileNotFound, json!({"path": "nope"})),
            (Code::CannotDeleteRoot, json!({"path": "/"})),
            (Code::CannotDeleteRoot, json!({"path": "d/..", "recursive": true})),
            (Code::PathOutsideWorkspace, json!({"path": "../a"})),
        ] {
            asking.refused(code, "delete", params);
        }
        let reply = asking.ok("delete", json!({"path": "a"}));
        assert_eq!(reply, json!({"path": "a", "kind": "file"}));
        let reply = asking.ok("delete", json!({"path": "empty"}));
        assert_eq!(reply, json!({"path": "empty", "kind": "dir", "itemsDeleted": 1}));
        let reply = asking.ok("delete", json!({"path": "d/", "recursive": true}));
        assert_eq!(reply, json!({"path": "d", "kind": "dir", "itemsDeleted": 3}));
        assert_eq!(asking.stage.tree(), [""; 0]);
    });
}

#[test]
fn a_link_is_deleted_and_moved_itself_and_written_through() {
    let asking = Asking::on(Stage::new(Ground::Host, &[("a", "1")], Setting::usual()));
    let root = asking.stage.root.path();
    rustix::fs::symlink("a", root.join("l")).unwrap();
    rustix::fs::symlink("/etc/passwd", root.join("out")).unwrap();
    asking.ok("write", json!({"path": "l", "content": "2"}));
    assert_eq!(asking.stage.content("a"), "2");
    let reply = asking.ok("move", json!({"fromPath": "l", "toPath": "m"}));
    assert_eq!((&reply["kind"], &reply["type"]), (&json!("file"), &json!("symlink")));
    for (method, params) in [
        ("read", json!({"path": "out"})),
        ("write", json!({"path": "out", "content": ""})),
        ("read", json!({"path": "out", "encoding": "base64"})),
    ] {
        asking.refused(Code::PathOutsideWorkspace, method, params);
    }
    for link in ["m", "out"] {
        let reply = asking.ok("delete", json!({"path": link, "recursive": true}));
        assert_eq!(reply, json!({"path": link, "kind": "file", "type": "symlink"}));
    }
    assert_eq!(asking.stage.tree(), ["a"]);
}
