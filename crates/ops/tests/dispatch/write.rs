//! What `write_file`, `create_file` and `edit_file` do to a file, and say of it.

use garth_contract::{Code, Detail};
use serde_json::{Value, json};

use crate::everywhere;

#[test]
fn a_write_confirms_path_and_bytes_and_makes_directories() {
    everywhere(&[], |stage| {
        let reply = stage.ok("write_file", json!({"path": "a/b/c.txt", "content": "héllo\n"}));
        assert_eq!(reply.text.as_ref(), "Created a/b/c.txt (7 bytes)");
        assert_eq!(reply.payload["path"], "a/b/c.txt");
        assert_eq!(reply.payload["size_bytes"], 7);
        assert_eq!(stage.content("a/b/c.txt"), "héllo\n");
    });
}

#[test]
fn a_write_replaces_the_whole_file_and_keeps_how_its_lines_end() {
    everywhere(&[("a", "one\ntwo\n"), ("crlf", "one\r\ntwo\r\n")], |stage| {
        let reply = stage.ok("write_file", json!({"path": "a", "content": "1\n"}));
        assert!(reply.text.starts_with("Wrote a (2 bytes)\n--- a\n+++ a\n"), "{}", reply.text);
        assert_eq!(stage.content("a"), "1\n");
        let reply = stage.ok("write_file", json!({"path": "crlf", "content": "1\n2\n"}));
        let kept = "Wrote crlf (6 bytes)\n[kept the CRLF line endings of the file that was there]";
        assert!(reply.text.starts_with(kept), "{}", reply.text);
        assert_eq!(stage.content("crlf"), "1\r\n2\r\n");
    });
}

#[test]
fn a_file_is_created_once() {
    everywhere(&[("old", "x"), ("d/", "")], |stage| {
        let reply = stage.ok("create_file", json!({"path": "p/q/new", "content": "abc"}));
        assert_eq!(reply.text.as_ref(), "Created p/q/new (3 bytes)");
        assert_eq!(stage.content("p/q/new"), "abc");
        for path in ["old", "p/q/new"] {
            let again = json!({"path": path, "content": "other"});
            let error = stage.refused(Code::FileExists, "create_file", again);
            assert!(error.advice().starts_with("Use write_file to overwrite it"), "{error}");
        }
        let over = json!({"path": "d", "content": "x"});
        assert!(stage.call("create_file", over).is_err());
        assert_eq!(stage.content("old"), "x");
        assert_eq!(stage.content("p/q/new"), "abc");
    });
}

fn edits(edits: &Value) -> Value {
    json!({"path": "a", "edits": edits})
}

#[test]
fn one_edit_is_confirmed_with_the_number_of_edits() {
    everywhere(&[("a", "one\ntwo\nthree\n")], |stage| {
        let reply = stage.ok("edit_file", edits(&json!([{"old_text": "two", "new_text": "2"}])));
        let text = "Applied 1 edit to a: 1 replacement, 1 line changed\n--- a\n+++ a\n@@ -1,3 \
                    +1,3 @@\n one\n-two\n+2\n three";
        assert_eq!(reply.text.as_ref(), text);
        assert_eq!(reply.payload["edits"], json!([{"replacements": 1, "lines": [1]}]));
        assert_eq!(stage.content("a"), "one\n2\nthree\n");
    });
}

#[test]
fn edits_apply_one_after_the_other() {
    everywhere(&[("a", "one\n")], |stage| {
        let both = json!([
            {"old_text": "one", "new_text": "two"},
            {"old_text": "two", "new_text": "three $& \\1"},
        ]);
        let text = stage.text("edit_file", edits(&both));
        assert!(text.starts_with("Applied 2 edits to a: 2 replacements, 1 line changed"), "{text}");
        assert_eq!(stage.content("a"), "three $& \\1\n");
    });
}

#[test]
fn an_edit_that_fails_takes_the_others_with_it() {
    everywhere(&[("a", "one\ntwo or more words\nother\n")], |stage| {
        let missing = json!([
            {"old_text": "one", "new_text": "1"},
            {"old_text": "two or more wordz", "new_text": "2"},
        ]);
        let error = stage.refused(Code::TextNotFound, "edit_file", edits(&missing));
        assert!(error.message().starts_with("oldString not found in content"), "{error}");
        assert!(error.message().contains("the nearest place is line 1 "), "{error}");
        assert_eq!(error.details(), [Detail::Nearest(1), Detail::Edit(1)]);
        assert_eq!(stage.content("a"), "one\ntwo or more words\nother\n");
    });
}

#[test]
fn an_old_text_in_several_places_needs_more_of_it() {
    everywhere(&[("a", "x\ny\nx\n")], |stage| {
        let edit = edits(&json!([{"old_text": "x", "new_text": "z"}]));
        let error = stage.refused(Code::AmbiguousMatch, "edit_file", edit);
        assert!(error.message().starts_with("Found multiple matches for oldString"), "{error}");
        assert_eq!(error.details(), [Detail::Lines(vec![0, 2]), Detail::Places(2)]);
        let advice = "Give more surrounding lines, so that old_text stands in one place only.";
        assert_eq!(error.advice(), advice);
        assert_eq!(stage.content("a"), "x\ny\nx\n");
        stage.ok("edit_file", edits(&json!([{"old_text": "y\nx", "new_text": "y\nz"}])));
        assert_eq!(stage.content("a"), "x\ny\nz\n");
    });
}

#[test]
fn an_edit_of_no_file_and_no_edit_of_a_file_are_refused() {
    everywhere(&[("a", "x\n")], |stage| {
        let edit = json!([{"old_text": "x", "new_text": "y"}]);
        let missing = json!({"path": "nope", "edits": edit});
        stage.refused(Code::FileNotFound, "edit_file", missing);
        for params in [
            json!({"path": "a"}),
            edits(&json!([])),
            edits(&json!([{"old_text": "x"}])),
            edits(&json!([{"old_text": "x", "new_text": "x"}])),
            json!({"path": "a", "old_text": "x"}),
            json!({"path": "a", "old_text": "x", "new_text": "y", "edits": edit}),
            edits(&json!([{"old_text": "x", "new_text": "y", "replace_all": true}])),
        ] {
            stage.refused(Code::InvalidParams, "edit_file", params);
        }
        let empty = edits(&json!([{"old_text": "", "new_text": "y"}]));
        let error = stage.refused(Code::FileExists, "edit_file", empty);
        assert!(error.advice().contains("as old_text, or use write_file"), "{error}");
        assert_eq!(stage.content("a"), "x\n");
    });
}

#[test]
fn an_empty_old_text_makes_a_new_file() {
    everywhere(&[], |stage| {
        let edit = json!({"path": "d/new", "edits": [{"old_text": "", "new_text": "x\n"}]});
        assert!(stage.text("edit_file", edit).starts_with("Created d/new"));
        assert_eq!(stage.content("d/new"), "x\n");
    });
}
