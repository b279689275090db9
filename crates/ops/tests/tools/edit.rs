//! What `edit` changes, forgives and refuses.

use std::sync::Arc;

use garth_contract::{Code, Detail, Version};
use serde_json::json;

use crate::stage::{Ground, Setting, Stage, everywhere};

#[test]
fn one_place_is_replaced_and_the_difference_told() {
    everywhere(&[("a.ts", "const x = 1;\nconst port = 3000;\n")], |stage| {
        let params = json!({
            "file_path": "a.ts",
            "old_string": "const port = 3000",
            "new_string": "const port = 8080",
        });
        let reply = stage.ok("edit", params);
        let diff = "--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n const x = 1;\n-const port = 3000;\n+const port = 8080;";
        let head = "Edited a.ts: 1 replacement, 1 line changed";
        assert_eq!(reply.text.as_ref(), format!("{head}\n{diff}"));
        let after = "const x = 1;\nconst port = 8080;\n";
        assert_eq!(stage.content("a.ts"), after);
        assert_eq!(reply.payload["replacements"], 1);
        assert_eq!(reply.payload["lines_changed"], 1);
        assert_eq!(reply.payload["edits"], json!([{"replacements": 1, "lines": [2]}]));
        assert_eq!(reply.payload["diff"], diff);
        assert_eq!(reply.payload["version"], Version::of(after.as_bytes()).to_string());
    });
}

#[test]
fn text_that_is_not_there_is_refused_with_the_nearest_line() {
    everywhere(&[("a", "alpha\nbeta gamma\ndelta\n")], |stage| {
        let params = json!({"path": "a", "old_string": "beta gamma\nDELTA", "new_string": "x"});
        let error = stage.refused(Code::TextNotFound, "edit", params);
        assert!(error.message().starts_with("oldString not found in content"), "{error}");
        assert_eq!(error.details(), [Detail::Nearest(2)]);
        assert_eq!(stage.content("a"), "alpha\nbeta gamma\ndelta\n");
    });
}

#[test]
fn line_numbers_in_the_old_text_are_pointed_out() {
    everywhere(&[("a", "one\ntwo\n")], |stage| {
        let params = json!({"path": "a", "old_string": "1: one\n2: two", "new_string": "x"});
        let error = stage.refused(Code::TextNotFound, "edit", params);
        assert_eq!(error.advice(), "Leave out the line numbers that read puts before lines.");
        let params = json!({"path": "a", "old_string": "none: x", "new_string": "x"});
        let error = stage.refused(Code::TextNotFound, "edit", params);
        assert_eq!(error.advice(), Code::TextNotFound.row().hint);
    });
}

#[test]
fn several_places_are_refused_with_their_lines_or_all_replaced() {
    everywhere(&[("a", "x\ny\nx\nx\n")], |stage| {
        let mut params = json!({"path": "a", "old_string": "x", "new_string": "$&"});
        let error = stage.refused(Code::AmbiguousMatch, "edit", params.clone());
        let begin = "Found multiple matches for oldString";
        assert!(error.message().starts_with(begin), "{error}");
        assert_eq!(error.details(), [Detail::Lines(vec![1, 3, 4]), Detail::Places(3)]);
        params["replace_all"] = true.into();
        let reply = stage.ok("edit", params);
        assert_eq!(reply.payload["replacements"], 3);
        assert_eq!(stage.content("a"), "$&\ny\n$&\n$&\n");
    });
}

#[test]
fn several_edits_apply_in_order_all_or_none() {
    everywhere(&[("a", "one\ntwo\n")], |stage| {
        let edits = json!([
            {"old_string": "one", "new_string": "1"},
            {"old_string": "1\ntwo", "new_string": "2"},
        ]);
        let broken = json!([
            {"old_string": "one", "new_string": "1"},
            {"old_string": "three", "new_string": "3"},
        ]);
        let error =
            stage.refused(Code::TextNotFound, "edit", json!({"path": "a", "edits": broken}));
        assert!(error.details().contains(&Detail::Edit(1)), "{error:?}");
        assert_eq!(stage.content("a"), "one\ntwo\n");
        let reply = stage.ok("edit", json!({"path": "a", "edits": edits}));
        assert_eq!(stage.content("a"), "2\n");
        assert_eq!(reply.payload["edits"].as_array().unwrap().len(), 2);
    });
}

#[test]
fn an_empty_old_string_creates_a_file_and_never_replaces_one() {
    everywhere(&[("old", "x"), ("void", "")], |stage| {
        let create = |path: &str| json!({"path": path, "old_string": "", "new_string": "new\n"});
        let reply = stage.ok("edit", create("d/new"));
        assert_eq!(reply.payload["created"], true);
        assert_eq!(stage.content("d/new"), "new\n");
        for path in ["old", "void"] {
            stage.refused(Code::FileExists, "edit", create(path));
        }
        assert_eq!((stage.content("old").as_str(), stage.content("void").as_str()), ("x", ""));
    });
}

#[test]
fn a_dry_run_tells_the_same_and_writes_nothing() {
    everywhere(&[("a", "one\n")], |stage| {
        let mut params =
            json!({"path": "a", "old_string": "one", "new_string": "1", "dry_run": true});
        let dry = stage.ok("edit", params.clone());
        assert_eq!(stage.content("a"), "one\n");
        assert_eq!(dry.payload["version"], Version::of(b"one\n").to_string());
        params["dry_run"] = false.into();
        let wet = stage.ok("edit", params);
        assert_eq!(dry.payload["diff"], wet.payload["diff"]);
        assert_eq!(dry.text.as_ref().replace("Would edit", "Edited"), wet.text.as_ref());
        let create = json!({"path": "b", "old_string": "", "new_string": "x", "dry_run": true});
        assert!(stage.text("edit", create).starts_with("Would create b\n"));
        assert_eq!(stage.bytes("b"), None);
    });
}

#[test]
fn a_near_match_is_forgiven_and_named_unless_it_must_be_exact() {
    everywhere(&[("a", "fn f() {\r\n    body();\r\n}\r\n")], |stage| {
        let mut params = json!({
            "path": "a", "old_string": "fn f() {\n    body();\n", "new_string": "fn f() {\n    x();\n",
            "match": "exact",
        });
        stage.refused(Code::TextNotFound, "edit", params.clone());
        params["match"] = "forgiving".into();
        let reply = stage.ok("edit", params);
        assert_eq!(stage.content("a"), "fn f() {\r\n    x();\r\n}\r\n");
        assert_eq!(reply.payload["edits"][0]["forgiven"], "line endings differ");
        assert!(reply.text.contains("[matched although line endings differ]"), "{}", reply.text);
    });
}

#[test]
fn what_is_not_edited_stays_byte_for_byte() {
    everywhere(&[], |stage| {
        stage.put("bom", b"\xEF\xBB\xBFone\r\ntwo\nthree\r");
        stage.put("wide", b"\xFF\xFEa\0\r\0\n\0b\0");
        stage.put("latin1", b"caf\xe9 one");
        let edit = |path: &str, old: &str, new: &str| json!({"path": path, "old_string": old, "new_string": new});
        stage.ok("edit", edit("bom", "two", "2"));
        assert_eq!(stage.bytes("bom").unwrap(), b"\xEF\xBB\xBFone\r\n2\nthree\r");
        stage.ok("edit", edit("wide", "b", "é"));
        assert_eq!(stage.bytes("wide").unwrap(), b"\xFF\xFEa\0\r\0\n\0\xe9\0");
        stage.refused(Code::UnsupportedEncoding, "edit", edit("latin1", "one", "1"));
        let mut named = edit("latin1", "one", "é");
        named["encoding"] = "latin1".into();
        stage.ok("edit", named.clone());
        assert_eq!(stage.bytes("latin1").unwrap(), b"caf\xe9 \xe9");
        named["old_string"] = "caf".into();
        named["new_string"] = "☃".into();
        stage.refused(Code::InvalidEncoding, "edit", named);
    });
}

#[test]
fn another_version_than_the_expected_one_is_a_conflict() {
    everywhere(&[("a", "one")], |stage| {
        let edit = |version: Version| {
            json!({
                "path": "a", "old_string": "one", "new_string": "1",
                "expected_version": version.to_string(),
            })
        };
        stage.refused(Code::Conflict, "edit", edit(Version::of(b"other")));
        assert_eq!(stage.content("a"), "one");
        stage.ok("edit", edit(Version::of(b"one")));
        assert_eq!(stage.content("a"), "1");
    });
}

#[test]
fn each_refusal_has_its_code() {
    everywhere(&[("a", "one"), ("d/x", "")], |stage| {
        let refused = |code, params| {
            stage.refused(code, "edit", params);
        };
        refused(Code::FileNotFound, json!({"path": "n", "old_string": "a", "new_string": "b"}));
        refused(Code::NotAFile, json!({"path": "d", "old_string": "a", "new_string": "b"}));
        for params in [
            json!({"path": "a"}),
            json!({"path": "a", "old_string": "one"}),
            json!({"path": "a", "new_string": "one"}),
            json!({"path": "a", "edits": []}),
            json!({"path": "a", "old_string": "one", "new_string": "one"}),
            json!({"path": "a", "old_string": "a", "new_string": "b", "edits": []}),
            json!({"path": "a", "replace_all": true, "edits": [{"old_string": "a", "new_string": "b"}]}),
            json!({"path": "a", "old_string": "one", "new_string": "// ... rest of code ..."}),
        ] {
            refused(Code::InvalidParams, params);
        }
        assert_eq!(stage.content("a"), "one");
    });
}

#[test]
fn edits_of_different_places_at_once_all_land() {
    const WRITERS: usize = 8;
    let text: String = (0..WRITERS).map(|n| format!("line {n}\n")).collect();
    for ground in [Ground::Memory, Ground::Host] {
        let stage = Arc::new(Stage::new(ground, &[("a", &text)], Setting::usual()));
        std::thread::scope(|scope| {
            for n in 0..WRITERS {
                let stage = &stage;
                scope.spawn(move || {
                    let (old, new) = (format!("line {n}"), format!("done {n}"));
                    stage.ok("edit", json!({"path": "a", "old_string": old, "new_string": new}));
                });
            }
        });
        assert_eq!(stage.content("a"), text.replace("line", "done"), "{ground:?}");
    }
}
