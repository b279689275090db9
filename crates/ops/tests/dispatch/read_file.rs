//! What `read_file` shows: lines counted from 0, each after its number.

use garth_contract::{Code, Detail};
use garth_ops::dispatch::TOOLS;
use garth_workspace::Limits;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::{
    everywhere,
    stage::{Ground, Setting, Stage},
};

const FIVE: &str = "zero\none\ntwo\nthree\nfour\n";

#[test]
fn a_whole_file_comes_with_a_number_before_each_line() {
    everywhere(&[("a", FIVE)], |stage| {
        let reply = stage.ok("read_file", json!({"path": "a"}));
        assert_eq!(reply.text.as_ref(), "0: zero\n1: one\n2: two\n3: three\n4: four");
        assert_eq!(
            serde_json::Value::Object(reply.payload),
            json!({
                "path": "a",
                "content": "0: zero\n1: one\n2: two\n3: three\n4: four",
                "start_line": 0,
                "end_line": 4,
                "total_lines": 5,
                "truncated": false,
                "size_bytes": 24,
            })
        );
    });
}

#[test]
fn a_range_counts_from_0_and_has_its_last_line() {
    everywhere(&[("a", FIVE)], |stage| {
        let read = |start: i64, end: i64| {
            stage.text("read_file", json!({"path": "a", "start_line": start, "end_line": end}))
        };
        assert_eq!(read(3, 4), "3: three\n4: four");
        assert_eq!(read(3, -1), "3: three\n4: four");
        assert_eq!(read(3, 1_000), "3: three\n4: four");
        assert_eq!(read(4, 4), "4: four");
        assert_eq!(read(1, 2), "1: one\n2: two\n[lines 1-2 of 5; read on with start_line 3]");
        assert_eq!(read(0, 0), "0: zero\n[lines 0-0 of 5; read on with start_line 1]");
        let only_end = stage.text("read_file", json!({"path": "a", "end_line": 0}));
        assert_eq!(only_end, read(0, 0));
        let only_start = stage.text("read_file", json!({"path": "a", "start_line": "4"}));
        assert_eq!(only_start, "4: four");
    });
}

#[test]
fn a_range_that_is_none_is_refused() {
    everywhere(&[("a", FIVE)], |stage| {
        for (params, message) in [
            (json!({"start_line": 5}), "start_line 5 is past the end: a has 5 lines"),
            (json!({"start_line": 2, "end_line": 1}), "end_line must not be before start_line"),
            (json!({"end_line": -2}), "end_line must be -1, or 0 or more"),
        ] {
            let mut params = params;
            params["path"] = "a".into();
            let error = stage.refused(Code::InvalidParams, "read_file", params);
            assert_eq!(error.message(), message);
        }
        let error = json!({"path": "a", "start_line": 9});
        let error = stage.refused(Code::InvalidParams, "read_file", error);
        assert_eq!(error.details(), [Detail::Limit { limit: 5, actual: 9 }]);
        let error = json!({"path": "a", "start_line": -1});
        let error = stage.refused(Code::InvalidParams, "read_file", error);
        assert!(error.message().contains("start_line must be a whole number, 0 or more, not -1"));
    });
}

#[test]
fn no_more_than_2000_lines_and_2000_characters_come_and_the_text_says_so() {
    let lines = "x\n".repeat(2_001);
    let long = format!("a\n{}\n", "é".repeat(2_001));
    everywhere(&[("n", &lines), ("long", &long)], |stage| {
        let reply = stage.ok("read_file", json!({"path": "n"}));
        let note = "1999: x\n[lines 0-1,999 of 2,001; read on with start_line 2000]";
        assert!(reply.text.ends_with(note));
        assert_eq!(reply.payload["truncated"], true);
        let rest = stage.text("read_file", json!({"path": "n", "start_line": 2_000}));
        assert_eq!(rest, "2000: x");
        let reply = stage.ok("read_file", json!({"path": "long"}));
        let cut = "… [1 character more]\n[1 line cut, the first is 1; search_files shows what is \
                   around a match]";
        assert!(reply.text.ends_with(cut), "{}", reply.text);
        assert_eq!(reply.payload["cut_lines"], json!([1]));
    });
}

#[test]
fn a_file_that_is_missing_empty_binary_or_no_file_says_so() {
    everywhere(&[("empty", ""), ("d/a", "x")], |stage| {
        stage.put("data", &[b'a', 0, b'b']);
        assert_eq!(stage.text("read_file", json!({"path": "empty"})), "[empty is empty]");
        stage.ok("read_file", json!({"path": "empty", "start_line": 0, "end_line": -1}));
        let error = stage.refused(Code::FileNotFound, "read_file", json!({"path": "nope"}));
        assert_eq!(error.message(), "file not found: nope");
        let error = stage.refused(Code::UnsupportedEncoding, "read_file", json!({"path": "data"}));
        assert_eq!(error.message(), "a binary file cannot be read as text: data");
        stage.refused(Code::NotAFile, "read_file", json!({"path": "d"}));
    });
}

#[test]
fn a_large_file_is_read_in_parts() {
    let text: String = (0..50_000).map(|number| format!("{number}\n")).collect();
    for ground in [Ground::Memory, Ground::Host] {
        let limits = Limits { text_bytes: 100_000, ..Limits::standard() };
        let setting = Setting { limits, ..Setting::speaking(TOOLS) };
        let stage = Stage::new(ground, &[("n", &text)], setting);
        let two = json!({"path": "n", "start_line": 40_000, "end_line": 40_001});
        let note = "[lines 40,000-40,001 of more; read on with start_line 40002]";
        let lines = format!("40000: 40000\n40001: 40001\n{note}");
        assert_eq!(stage.text("read_file", two), lines);
        let past = json!({"path": "n", "start_line": 50_000});
        stage.refused(Code::InvalidParams, "read_file", past);
    }
}

#[test]
fn a_secret_is_shown_as_its_placeholder() {
    let key = "aws_access_key_id = AKIAQYLPMN5HHHFPZAM2\n";
    everywhere(&[("env", key)], |stage| {
        let reply = stage.ok("read_file", json!({"path": "env"}));
        assert!(!reply.text.contains("AKIAQYLPMN5HHHFPZAM2"), "{}", reply.text);
        assert!(reply.text.contains("[REDACTED: "), "{}", reply.text);
        assert_eq!(reply.payload["redacted"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn a_pipe_is_refused_at_once() {
    let stage = Stage::new(Ground::Host, &[], Setting::speaking(TOOLS));
    let pipe = stage.root.path().join("pipe");
    mknodat(CWD, pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    stage.refused(Code::NotAFile, "read_file", json!({"path": "pipe"}));
    stage.refused(Code::NotAFile, "write_file", json!({"path": "pipe", "content": "x"}));
}
