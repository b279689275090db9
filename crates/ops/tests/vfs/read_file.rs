//! What `read_file` gives: the text as it is, by lines skipped and taken.

use garth_contract::Code;
use garth_ops::vfs::TOOLS;
use garth_workspace::Limits;
use serde_json::{Value, json};

use crate::{
    everywhere,
    stage::{Ground, Setting, Stage},
};

#[test]
fn what_was_written_is_read() {
    let texts =
        ["hello", "hello\n", "a\r\nb\nc", "\n\n", "  x\t\n", "a\r\nb\r\n", "x\r", "é\u{2028}ü\n"];
    for text in texts {
        everywhere(&[], |stage| {
            stage.ok("write_file", json!({"path": "test.txt", "content": text}));
            let reply = stage.ok("read_file", json!({"path": "test.txt"}));
            assert_eq!(reply.payload["content"], text);
            assert_eq!(reply.text.as_ref(), text);
        });
    }
}

#[test]
fn the_facts_are_those_of_a_file_content() {
    everywhere(&[("d/a", "one\ntwo\nthree\n")], |stage| {
        let reply = stage.ok("read_file", json!({"path": "d/a"}));
        let facts = json!({
            "path": "d/a",
            "content": "one\ntwo\nthree\n",
            "total_lines": 3,
            "offset": 0,
            "limit": 2_000,
            "size_bytes": 14,
        });
        assert_eq!(Value::Object(reply.payload), facts);
    });
}

#[test]
fn offset_is_how_many_lines_are_skipped_and_limit_how_many_are_read() {
    everywhere(&[("a", "one\ntwo\nthree\nfour")], |stage| {
        let reply = stage.ok("read_file", json!({"path": "a", "offset": 1, "limit": 2}));
        let note = "[lines 2-3 of 4; read on with offset 3]";
        assert_eq!(reply.text.as_ref(), format!("two\nthree\n{note}"));
        let facts = json!({
            "path": "a",
            "content": "two\nthree\n",
            "total_lines": 4,
            "offset": 1,
            "limit": 2,
            "next_offset": 3,
            "size_bytes": 18,
        });
        assert_eq!(Value::Object(reply.payload), facts);
        let read = |offset: u64| stage.text("read_file", json!({"path": "a", "offset": offset}));
        assert_eq!(read(3), "four");
        assert_eq!(read(0), "one\ntwo\nthree\nfour");
        assert_eq!(read(4), "[nothing past the end: a has 4 lines]");
        assert_eq!(read(1_000), "[nothing past the end: a has 4 lines]");
        let past = stage.ok("read_file", json!({"path": "a", "offset": 4}));
        assert_eq!(past.payload["content"], "");
        stage.refused(Code::InvalidParams, "read_file", json!({"path": "a", "limit": 0}));
        stage.refused(Code::InvalidParams, "read_file", json!({"path": "a", "offset": -1}));
    });
}

#[test]
fn the_pages_of_a_file_make_the_file() {
    let text: String = (0..4_500).map(|line| format!("{line}\r\n")).collect();
    everywhere(&[("n", &text)], |stage| {
        let (mut whole, mut offset) = (String::new(), Some(0));
        while let Some(skip) = offset {
            let reply = stage.ok("read_file", json!({"path": "n", "offset": skip}));
            whole.push_str(reply.payload["content"].as_str().unwrap());
            offset = reply.payload.get("next_offset").and_then(Value::as_u64);
        }
        assert_eq!(whole, text);
    });
}

#[test]
fn a_line_of_more_than_2000_characters_is_cut_and_the_text_says_so() {
    let text = format!("a\n{}\n", "é".repeat(2_001));
    everywhere(&[("long", &text)], |stage| {
        let reply = stage.ok("read_file", json!({"path": "long"}));
        let cut =
            "… [1 character more]\n[1 line cut, the first is 2; grep shows what is around a match]";
        assert!(reply.text.ends_with(cut), "{}", reply.text);
        assert_eq!(reply.payload["cut_lines"], json!([2]));
    });
}

#[test]
fn what_is_no_text_is_described_and_what_is_no_file_refused() {
    everywhere(&[("d/a", "x"), ("empty", "")], |stage| {
        stage.put("data", &[0, 1, 2, 3]);
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        stage.put("logo.png", png);
        let reply = stage.ok("read_file", json!({"path": "data"}));
        assert_eq!(reply.text.as_ref(), "data: binary, application/octet-stream, 4 bytes");
        assert_eq!(reply.payload["size_bytes"], 4);
        assert!(!reply.payload.contains_key("content"));
        let reply = stage.ok("read_file", json!({"path": "logo.png"}));
        assert_eq!(reply.payload["media_type"], "image/png");
        assert_eq!(&reply.attachment.unwrap().bytes[..], png);
        let reply = stage.ok("read_file", json!({"path": "empty"}));
        assert_eq!(reply.text.as_ref(), "[empty is empty]");
        assert_eq!(reply.payload["content"], "");
        assert_eq!(reply.payload["total_lines"], 0);
        let error = stage.refused(Code::FileNotFound, "read_file", json!({"path": "nope"}));
        assert_eq!(error.message(), "file not found: nope");
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
        let reply = stage.ok("read_file", json!({"path": "n", "offset": 40_000, "limit": 2}));
        assert_eq!(reply.payload["content"], "40000\n40001\n");
        assert_eq!(reply.payload["next_offset"], 40_002);
        assert!(!reply.payload.contains_key("total_lines"), "nobody counted them");
        let last = stage.ok("read_file", json!({"path": "n", "offset": 49_999}));
        assert_eq!(last.payload["content"], "49999\n");
    }
}

#[test]
fn a_secret_is_shown_as_its_placeholder_and_the_lines_stay_what_they_were() {
    let key = "a\r\naws_access_key_id = AKIAQYLPMN5HHHFPZAM2\r\nb\n";
    everywhere(&[("env", key)], |stage| {
        let reply = stage.ok("read_file", json!({"path": "env"}));
        let content = reply.payload["content"].as_str().unwrap();
        assert!(!content.contains("AKIAQYLPMN5HHHFPZAM2"), "{content}");
        assert!(content.starts_with("a\r\naws_access_key_id = [REDACTED: "), "{content}");
        assert!(content.ends_with("]\r\nb\n"), "{content}");
        assert!(reply.text.ends_with("]"), "{}", reply.text);
    });
}
