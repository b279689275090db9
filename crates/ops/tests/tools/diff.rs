//! What `diff` compares.

use garth_contract::Code;
use garth_workspace::Limits;
use serde_json::json;

use crate::stage::{Ground, Setting, Stage, everywhere};

#[test]
fn two_files_are_compared_line_by_line() {
    everywhere(&[("a", "1\n2\n3\n"), ("b", "1\n2\nX\n4")], |stage| {
        let reply = stage.ok("diff", json!({"from": "a", "to": "b"}));
        let diff =
            "--- a\n+++ b\n@@ -1,3 +1,4 @@\n 1\n 2\n-3\n+X\n+4\n\\ No newline at end of file";
        assert_eq!(reply.text.as_ref(), format!("2 lines added, 1 removed\n{diff}"));
        assert_eq!(reply.payload["diff"], diff);
        assert_eq!(reply.payload["identical"], false);
        let same = stage.ok("diff", json!({"from": "a", "to": "a"}));
        assert_eq!(same.text.as_ref(), "[no difference]");
        assert_eq!(same.payload["identical"], true);
    });
}

#[test]
fn a_file_is_compared_with_a_given_text_as_write_would_write_it() {
    everywhere(&[("a", "1\r\n2\r\n")], |stage| {
        let same = stage.ok("diff", json!({"path": "a", "content": "1\n2\n"}));
        assert_eq!(same.payload["identical"], true);
        let other = stage.ok("diff", json!({"path": "a", "content": "1\n3\n"}));
        let diff = "--- a\n+++ a (given content)\n@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+3\r";
        assert_eq!(other.payload["diff"], diff);
    });
}

#[test]
fn a_long_diff_is_cut_and_says_so() {
    let new: String = (0..5_000).map(|n| format!("{n}\n")).collect();
    everywhere(&[("a", ""), ("b", &new)], |stage| {
        let reply = stage.ok("diff", json!({"from": "a", "to": "b"}));
        assert!(reply.text.ends_with("[3,003 lines of the diff left out]"), "{}", reply.text.len());
        assert_eq!(reply.payload["diff_truncated"], true);
        let reply = stage.ok("diff", json!({"from": "a", "to": "b", "limit": 4}));
        assert_eq!(reply.payload["diff"].as_str().unwrap().lines().count(), 4);
    });
}

#[test]
fn every_line_that_is_left_out_is_counted_over_all_hunks() {
    let text = |mark: &str| -> String {
        (0..100).map(|n| format!("{}\n", if n % 20 == 10 { mark } else { "same" })).collect()
    };
    everywhere(&[("a", &text("old")), ("b", &text("new"))], |stage| {
        let whole = stage.ok("diff", json!({"from": "a", "to": "b"}));
        let all = whole.payload["diff"].as_str().unwrap().lines().count();
        for limit in 1..all {
            let cut = stage.ok("diff", json!({"from": "a", "to": "b", "limit": limit}));
            let missing = all - limit;
            let noun = if missing == 1 { "line" } else { "lines" };
            let note = format!("[{missing} {noun} of the diff left out]");
            assert!(cut.text.ends_with(&note), "{limit}: {}", cut.text);
        }
    });
}

#[test]
fn binary_files_are_told_apart_by_their_bytes() {
    everywhere(&[("t", "x")], |stage| {
        stage.put("a", &[0, 1]);
        stage.put("b", &[0, 2]);
        let text = |from: &str, to: &str| stage.text("diff", json!({"from": from, "to": to}));
        assert_eq!(text("a", "b"), "[a and b are no text, and differ]");
        assert_eq!(text("a", "a"), "[a and a are the same bytes]");
        assert_eq!(text("a", "t"), "[a and t are no text, and differ]");
        stage.refused(Code::UnsupportedEncoding, "diff", json!({"path": "a", "content": "x"}));
    });
}

#[test]
fn each_refusal_has_its_code() {
    everywhere(&[("a", "x"), ("d/x", "")], |stage| {
        stage.refused(Code::FileNotFound, "diff", json!({"from": "a", "to": "nope"}));
        stage.refused(Code::NotAFile, "diff", json!({"from": "a", "to": "d"}));
        for params in [
            json!({}),
            json!({"from": "a"}),
            json!({"path": "a"}),
            json!({"from": "a", "to": "a", "path": "a"}),
            json!({"from": "a", "to": "a", "limit": 0}),
        ] {
            stage.refused(Code::InvalidParams, "diff", params);
        }
    });
    let limits = Limits { text_bytes: 10, ..Limits::standard() };
    let setting = Setting { limits, ..Setting::usual() };
    let stage = Stage::new(Ground::Memory, &[("a", "12345678901")], setting);
    stage.refused(Code::FileTooLarge, "diff", json!({"path": "a", "content": "x"}));
}
