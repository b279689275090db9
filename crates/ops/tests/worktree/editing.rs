//! `worktree.edit`: fields, defaults, refusals, and secrets on the way.

use garth_contract::{Code, Version};
use serde_json::{Value, json};

use crate::asking::{Asking, everywhere};

const ONE: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
const TWO: &str = "sk_live_9aB71KrPwmXEtskvU2yfq8eb";

fn env() -> String {
    format!("name = one\na = \"{ONE}\"\nport = 80\nb = \"{TWO}\"\n")
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "edits": [{"oldText": old, "newText": new}]})
}

#[test]
fn an_edit_says_what_it_did() {
    everywhere(&[("a.txt", "one\r\ntwo\r\none\r\n")], |asking| {
        let params = json!({"path": "./a.txt", "edits": [
            {"oldText": "two", "newText": "2"},
            {"oldText": "one", "newText": "1", "replaceAll": true},
        ]});
        let mut dry = params.clone();
        dry["dryRun"] = true.into();
        let would = asking.ok("edit", dry);
        assert_eq!(asking.stage.content("a.txt"), "one\r\ntwo\r\none\r\n");
        let mut reply = asking.ok("edit", params);
        let after = "1\r\n2\r\n1\r\n";
        assert_eq!(asking.stage.content("a.txt"), after);
        assert!(reply.as_object_mut().unwrap().shift_remove("modifiedAt").is_some());
        let expected = json!({
            "path": "a.txt", "created": false, "dryRun": false, "replacements": 3,
            "edits": [{"replacements": 1, "lines": [2]}, {"replacements": 2, "lines": [1, 3]}],
            "linesAdded": 3, "linesRemoved": 3,
            "diff": "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n-one\r\n-two\r\n-one\r\n+1\r\n+2\r\n+1\r",
            "truncated": false, "redacted": false, "sizeBytes": after.len(),
            "version": Version::of(after.as_bytes()).to_string(),
        });
        assert_eq!(reply, expected);
        assert_eq!((&would["dryRun"], would.get("modifiedAt")), (&json!(true), None));
        assert_eq!(would["version"], Version::of(b"one\r\ntwo\r\none\r\n").to_string());
        for key in ["diff", "replacements", "edits", "sizeBytes"] {
            assert_eq!(would[key], expected[key], "{key}");
        }
    });
}

#[test]
fn an_edit_of_nothing_creates_a_file() {
    everywhere(&[("a", "x")], |asking| {
        let reply = asking.ok("edit", edit("d/new", "", "text\n"));
        assert_eq!((&reply["created"], &reply["replacements"]), (&json!(true), &json!(0)));
        assert_eq!(asking.stage.content("d/new"), "text\n");
        asking.refused(Code::FileExists, "edit", edit("a", "", "text\n"));
        asking.refused(Code::RedactedContent, "edit", edit("new", "", "[REDACTED: API_KEY]"));
    });
}

#[test]
fn what_cannot_be_edited_is_refused_and_nothing_is_changed() {
    everywhere(&[("a", "one\none\ntwo\n"), ("d/x", "")], |asking| {
        asking.stage.put("bin", b"a\0b");
        for (code, params) in [
            (Code::TextNotFound, edit("a", "three", "3")),
            (Code::AmbiguousMatch, edit("a", "one", "1")),
            (Code::InvalidParams, edit("a", "two", "two")),
            (Code::FileNotFound, edit("nope", "a", "b")),
            (Code::NotAFile, edit("d", "a", "b")),
            (Code::PathOutsideWorkspace, edit("../a", "a", "b")),
            (Code::UnsupportedEncoding, edit("bin", "a", "b")),
            (Code::InvalidParams, json!({"path": "a", "edits": []})),
            (
                Code::InvalidEncoding,
                json!({"path": "a", "encoding": "nope",
                "edits": [{"oldText": "two", "newText": "2"}]}),
            ),
            (
                Code::TextNotFound,
                json!({"path": "a", "edits": [
                {"oldText": "two", "newText": "2"}, {"oldText": "two", "newText": "2"}]}),
            ),
            (
                Code::TextNotFound,
                json!({"path": "a", "match": "exact",
                "edits": [{"oldText": "two  ", "newText": "2"}]}),
            ),
        ] {
            asking.refused(code, "edit", params);
        }
        let error = asking.refused(Code::AmbiguousMatch, "edit", edit("a", "one", "1"));
        assert!(error.advice().contains("replaceAll"), "{}", error.advice());
        assert_eq!(asking.stage.content("a"), "one\none\ntwo\n");
        let nested = json!({"path": "a", "edits": [{"oldText": 1, "newText": "2"}]});
        let error = asking.refused(Code::InvalidParams, "edit", nested);
        assert!(error.message().contains("edits[0].oldText must be text"), "{error}");
    });
}

#[test]
fn an_edit_is_held_to_the_version_that_it_expects() {
    everywhere(&[("a", "one\n")], |asking| {
        let version = asking.ok("read", json!({"path": "a"}))["version"].clone();
        let held = |old: &str, new: &str| {
            let mut params = edit("a", old, new);
            params["expectedVersion"] = version.clone();
            params
        };
        asking.ok("edit", held("one", "two"));
        asking.refused(Code::Conflict, "edit", held("two", "three"));
        assert_eq!(asking.stage.content("a"), "two\n");
        // Without a version it goes by what is there.
        asking.ok("edit", edit("a", "two", "three"));
    });
}

#[test]
fn a_file_in_another_encoding_stays_in_it() {
    everywhere(&[], |asking| {
        asking.stage.put("latin", b"caf\xe9 1\n");
        let mut params = edit("latin", "é 1", "é 2");
        params["encoding"] = "latin1".into();
        asking.ok("edit", params);
        assert_eq!(asking.stage.bytes("latin").unwrap(), b"caf\xe9 2\n");
    });
}

fn shown(asking: &Asking, path: &str) {
    assert_eq!(asking.ok("read", json!({ "path": path }))["redacted"], true);
}

#[test]
fn a_placeholder_in_an_edit_is_the_secret_that_was_shown() {
    let (one, two) = ("a = \"[REDACTED: STRIPE_KEY]\"", "b = \"[REDACTED: STRIPE_KEY#2]\"");
    everywhere(&[("env", &env())], |asking| {
        // Nobody was shown anything yet.
        asking.refused(Code::RedactedContent, "edit", edit("env", one, "x"));
        asking.refused(Code::RedactedContent, "edit", edit("env", "name = one", one));
        shown(asking, "env");
        let turned = edit("env", &format!("port = 80\n{two}"), &format!("{two}\nport = 81"));
        let reply = asking.ok("edit", turned);
        let expected = format!("name = one\na = \"{ONE}\"\nb = \"{TWO}\"\nport = 81\n");
        assert_eq!(asking.stage.content("env"), expected);
        assert!(!reply.to_string().contains("sk_live"), "{reply}");
        assert_eq!((&reply["redacted"], &reply["secrets"]), (&json!(true), &json!(["STRIPE_KEY"])));
        let twice = edit("env", one, &format!("{one}\ncopy_{one}"));
        asking.refused(Code::RedactedContent, "edit", twice);
        assert_eq!(asking.stage.content("env").matches(ONE).count(), 1);
        // The caller may put something else in its place.
        asking.ok("edit", edit("env", two, "b = 2"));
        assert!(!asking.stage.content("env").contains(TWO));
        // What is gone cannot come back, and what was never shown is nothing.
        asking.refused(Code::RedactedContent, "edit", edit("env", "port = 81", two));
        let never = "[REDACTED: STRIPE_KEY#3]";
        asking.refused(Code::RedactedContent, "edit", edit("env", "port = 81", never));
        asking.refused(Code::RedactedContent, "edit", edit("env", never, "x"));
    });
}

#[test]
fn no_refusal_of_an_edit_shows_a_secret() {
    let one = "a = \"[REDACTED: STRIPE_KEY]\"";
    everywhere(&[("env", &env()), ("twice", &format!("{}{}", env(), env()))], |asking| {
        shown(asking, "env");
        shown(asking, "twice");
        for (code, path, old) in [
            (Code::TextNotFound, "env", format!("{one}\nnope")),
            (Code::AmbiguousMatch, "twice", one.to_owned()),
        ] {
            let error = asking.refused(code, "edit", edit(path, &old, "x"));
            let seen = format!("{error:?} {}", Value::Object(garth_ops::failure(&error)));
            assert!(!seen.contains("sk_live") && !seen.contains("4eC39"), "{seen}");
        }
    });
}
