//! What `write` writes, what it keeps, and what it refuses.

use garth_contract::{Code, Detail, Version};
use garth_workspace::Limits;
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage, everywhere};

#[test]
fn a_new_file_is_created_with_its_directories() {
    everywhere(&[], |stage| {
        let params = json!({"path": "src/new/deep/file.ts", "content": "export const x = 1;"});
        let reply = stage.ok("write", params);
        assert_eq!(reply.text.as_ref(), "Created src/new/deep/file.ts (19 bytes)");
        let expected = json!({
            "path": "src/new/deep/file.ts",
            "size_bytes": 19,
            "created": true,
            "version": Version::of(b"export const x = 1;").to_string(),
        });
        assert_eq!(Value::Object(reply.payload), expected);
        assert_eq!(stage.content("src/new/deep/file.ts"), "export const x = 1;");
    });
}

#[test]
fn an_existing_file_is_replaced_whole_and_the_difference_told() {
    everywhere(&[("a", "one\ntwo\n")], |stage| {
        let reply = stage.ok("write", json!({"path": "a", "content": "one\n2\n"}));
        let diff = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n+2";
        assert_eq!(reply.text.as_ref(), format!("Wrote a (6 bytes)\n{diff}"));
        assert_eq!(reply.payload["diff"], diff);
        assert_eq!(reply.payload["created"], false);
        assert_eq!(stage.content("a"), "one\n2\n");
        let same = stage.text("write", json!({"path": "a", "content": "one\n2\n"}));
        assert_eq!(same, "Wrote a (6 bytes)\n[no line changed]");
    });
}

#[test]
fn what_is_there_stays_when_overwriting_is_off() {
    everywhere(&[("a", "one")], |stage| {
        let params = json!({"path": "a", "content": "two", "overwrite": false});
        stage.refused(Code::FileExists, "write", params);
        assert_eq!(stage.content("a"), "one");
        stage.ok("write", json!({"path": "b", "content": "two", "overwrite": false}));
        assert_eq!(stage.content("b"), "two");
    });
}

#[test]
fn lf_text_over_a_crlf_file_keeps_crlf_and_says_so() {
    everywhere(&[("a", "one\r\ntwo\r\n")], |stage| {
        let reply = stage.ok("write", json!({"path": "a", "content": "one\n2\nthree"}));
        assert_eq!(stage.content("a"), "one\r\n2\r\nthree");
        assert_eq!(reply.payload["kept"], json!(["the CRLF line endings"]));
        let said = "[kept the CRLF line endings of the file that was there]";
        assert!(reply.text.contains(said), "{}", reply.text);
        let as_is = json!({"path": "a", "content": "x\n", "line_endings": "as_is"});
        stage.ok("write", as_is);
        assert_eq!(stage.content("a"), "x\n");
    });
}

#[test]
fn bytes_land_as_they_were_sent() {
    everywhere(&[("a", "one\r\n")], |stage| {
        let params = json!({"path": "a", "content": "AAEKAg==", "encoding": "base64"});
        assert_eq!(stage.ok("write", params).payload["size_bytes"], 4);
        assert_eq!(stage.bytes("a").unwrap(), [0, 1, b'\n', 2]);
        let params = json!({"path": "a", "content": "A!", "encoding": "base64"});
        stage.refused(Code::InvalidEncoding, "write", params);
        assert_eq!(stage.bytes("a").unwrap(), [0, 1, b'\n', 2]);
    });
}

#[test]
fn an_encoding_is_kept_unless_another_is_named() {
    everywhere(&[], |stage| {
        stage.put("w", b"\xFF\xFEa\0");
        stage.put("bom", b"\xEF\xBB\xBFa");
        let reply = stage.ok("write", json!({"path": "w", "content": "é"}));
        assert_eq!(stage.bytes("w").unwrap(), b"\xFF\xFE\xe9\0");
        assert_eq!(reply.payload["kept"], json!(["the encoding UTF-16LE"]));
        stage.ok("write", json!({"path": "bom", "content": "\u{feff}b"}));
        assert_eq!(stage.bytes("bom").unwrap(), b"\xEF\xBB\xBFb");
        stage.ok("write", json!({"path": "bom", "content": "c", "encoding": "utf8"}));
        assert_eq!(stage.bytes("bom").unwrap(), b"\xEF\xBB\xBFc", "the mark names the encoding");
        stage.ok("write", json!({"path": "l", "content": "é", "encoding": "latin1"}));
        assert_eq!(stage.bytes("l").unwrap(), b"\xe9");
        let lacks = json!({"path": "l", "content": "☃", "encoding": "latin1"});
        stage.refused(Code::InvalidEncoding, "write", lacks);
        let unknown = json!({"path": "l", "content": "x", "encoding": "klingon"});
        stage.refused(Code::InvalidEncoding, "write", unknown);
    });
}

#[test]
fn another_version_than_the_expected_one_is_a_conflict() {
    everywhere(&[("a", "one")], |stage| {
        let seen = stage.ok("read", json!({"path": "a"})).payload["version"].clone();
        stage.put("a", b"changed");
        let params = json!({"path": "a", "content": "two", "expected_version": seen});
        let error = stage.refused(Code::Conflict, "write", params);
        assert_eq!(error.details(), [Detail::Current(Version::of(b"changed"))]);
        assert_eq!(stage.content("a"), "changed");
        let now = Version::of(b"changed").to_string();
        let params = json!({"path": "a", "content": "two", "expected_version": now});
        stage.ok("write", params);
        assert_eq!(stage.content("a"), "two");
        let gone = json!({"path": "gone", "content": "x", "expected_version": now});
        stage.refused(Code::Conflict, "write", gone);
        assert_eq!(stage.bytes("gone"), None);
    });
}

#[test]
fn each_refusal_has_its_code() {
    everywhere(&[("d/x", "1")], |stage| {
        let refused = |code, params| {
            stage.refused(code, "write", params);
        };
        refused(Code::NotAFile, json!({"path": "d", "content": "x"}));
        refused(Code::NotAFile, json!({"path": "", "content": "x"}));
        refused(Code::NotADirectory, json!({"path": "d/x/y", "content": "x"}));
        let orphan = json!({"path": "a/b", "content": "x", "create_dirs": false});
        refused(Code::ParentNotFound, orphan);
        refused(Code::PathOutsideWorkspace, json!({"path": "../x", "content": "x"}));
        let version = json!({"path": "a", "content": "x", "expected_version": "1"});
        refused(Code::InvalidParams, version);
        let both = json!({
            "path": "a", "content": "x", "overwrite": false,
            "expected_version": Version::of(b"").to_string(),
        });
        refused(Code::InvalidParams, both);
        assert_eq!(stage.tree(), ["d", "d/x"]);
    });
}

#[test]
fn a_file_too_large_to_be_read_is_still_overwritten() {
    let limits = Limits { text_bytes: 10, ..Limits::standard() };
    for ground in [Ground::Memory, Ground::Host] {
        let setting = Setting { limits, ..Setting::usual() };
        let stage = Stage::new(ground, &[("a", "one two\r\nthree four\r\n")], setting);
        stage.ok("write", json!({"path": "a", "content": "x\ny\n"}));
        assert_eq!(stage.content("a"), "x\r\ny\r\n");
    }
}
