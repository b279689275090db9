//! What `read` shows of a file, and what it says about the rest.

use garth_contract::{Code, Detail, Version};
use garth_workspace::Limits;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::stage::{Ground, Setting, Stage, everywhere};

fn numbers(count: u64) -> String {
    (1..=count).map(|number| format!("{number}\n")).collect()
}

#[test]
fn a_small_file_comes_whole_with_its_facts() {
    everywhere(&[("README.md", "# README\n\nContent...")], |stage| {
        let reply = stage.ok("read", json!({"file_path": "/workspace/README.md"}));
        assert_eq!(reply.text.as_ref(), "1: # README\n2: \n3: Content...");
        let payload = &reply.payload;
        assert_eq!(payload["content"], "1: # README\n2: \n3: Content...");
        assert_eq!(payload["kind"], "text");
        assert_eq!(payload["first_line"], 1);
        assert_eq!(payload["lines"], 3);
        assert_eq!(payload["total_lines"], 3);
        assert_eq!(payload["truncated"], false);
        assert_eq!(payload["size_bytes"], 20);
        assert_eq!(payload["encoding"], "UTF-8");
        assert_eq!(payload["line_endings"], "lf");
        assert_eq!(payload["version"], Version::of(b"# README\n\nContent...").to_string());
    });
}

#[test]
fn offset_and_limit_choose_lines_counted_from_1() {
    everywhere(&[("n", &numbers(200))], |stage| {
        let reply = stage.ok("read", json!({"path": "n", "offset": 100, "limit": 50}));
        let expected: Vec<_> = (100..150).map(|number| format!("{number}: {number}")).collect();
        let note = "[lines 100-149 of 200; read on with offset 150]";
        assert_eq!(reply.text.as_ref(), format!("{}\n{note}", expected.join("\n")));
        assert_eq!(reply.payload["next_offset"], 150);
        assert_eq!(stage.text("read", json!({"path": "n", "offset": 200})), "200: 200");
        assert_eq!(stage.text("read", json!({"path": "n", "tail": 2})), "199: 199\n200: 200");
        let all = stage.text("read", json!({"path": "n", "tail": 10_000}));
        assert_eq!(all.lines().count(), 200);
    });
}

#[test]
fn no_more_than_2000_lines_and_2000_characters_come_and_the_text_says_so() {
    let long = "é".repeat(2_001);
    everywhere(&[("n", &numbers(2_001)), ("long", &format!("a\n{long}\nb\n"))], |stage| {
        let text = stage.text("read", json!({"path": "n", "limit": 1_000_000}));
        assert_eq!(text.lines().count(), 2_001);
        assert!(text.ends_with("2000: 2000\n[lines 1-2,000 of 2,001; read on with offset 2001]"));
        let reply = stage.ok("read", json!({"path": "long"}));
        let cut = format!("1: a\n2: {}… [1 character more]\n3: b", "é".repeat(2_000));
        assert_eq!(reply.text.as_ref(), format!("{cut}\n[line 2 cut; column 2001 shows more]"));
        assert_eq!(reply.payload["cut_lines"], json!([2]));
        let rest = json!({"path": "long", "offset": 2, "limit": 1, "column": 2001});
        assert!(stage.text("read", rest).starts_with("2: é\n"));
    });
}

#[test]
fn an_empty_file_and_a_file_without_a_last_newline_are_no_special_cases() {
    everywhere(&[("empty", ""), ("one", "x"), ("blank", "\n")], |stage| {
        let reply = stage.ok("read", json!({"path": "empty"}));
        assert_eq!(reply.text.as_ref(), "[empty is empty]");
        assert_eq!(reply.payload["total_lines"], 0);
        assert_eq!(stage.text("read", json!({"path": "one"})), "1: x");
        assert_eq!(stage.text("read", json!({"path": "blank"})), "1: ");
    });
}

#[test]
fn a_range_past_the_end_says_how_long_the_file_is() {
    everywhere(&[("n", "1\n2\n"), ("empty", "")], |stage| {
        let error = stage.refused(Code::InvalidParams, "read", json!({"path": "n", "offset": 3}));
        assert_eq!(error.message(), "offset 3 is past the end: n has 2 lines");
        assert_eq!(error.details(), [Detail::Limit { limit: 2, actual: 3 }]);
        stage.refused(Code::InvalidParams, "read", json!({"path": "empty", "offset": 2}));
        stage.ok("read", json!({"path": "empty", "offset": 1}));
    });
}

#[test]
fn line_endings_and_encodings_are_told_and_shown_as_text() {
    everywhere(&[("crlf", "a\r\nb\r\n"), ("mixed", "a\r\nb\n")], |stage| {
        stage.put("bom", b"\xEF\xBB\xBFx\n");
        stage.put("utf16", b"\xFF\xFEh\0i\0\n\0\xe9\0");
        stage.put("latin1", b"caf\xe9\n");
        let facts = |path: &str| {
            let reply = stage.ok("read", json!({"path": path}));
            let Some(endings) = reply.payload.get("line_endings") else {
                return format!("{}", reply.text);
            };
            let mark = &reply.payload["byte_order_mark"];
            format!("{} {} {mark} {endings}", reply.text, reply.payload["encoding"])
        };
        assert_eq!(facts("crlf"), "1: a\n2: b \"UTF-8\" false \"crlf\"");
        assert_eq!(facts("mixed"), "1: a\n2: b \"UTF-8\" false \"mixed\"");
        assert_eq!(facts("bom"), "1: x \"UTF-8\" true \"lf\"");
        assert_eq!(facts("utf16"), "1: hi\n2: é \"UTF-16LE\" true \"lf\"");
        assert_eq!(facts("latin1"), "latin1: binary, application/octet-stream, 5 bytes");
        let named = json!({"path": "latin1", "encoding": "latin1"});
        assert_eq!(stage.text("read", named), "1: café");
        let wrong = json!({"path": "latin1", "encoding": "utf8"});
        stage.refused(Code::UnsupportedEncoding, "read", wrong);
        let unknown = json!({"path": "latin1", "encoding": "klingon"});
        stage.refused(Code::InvalidEncoding, "read", unknown);
    });
}

#[test]
fn a_binary_file_is_described_and_an_image_comes_along() {
    everywhere(&[], |stage| {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        stage.put("logo.png", png);
        stage.put("data", &[0, 1, 2, 3]);
        let reply = stage.ok("read", json!({"path": "logo.png"}));
        assert_eq!(reply.text.as_ref(), "logo.png: image, image/png, 16 bytes");
        assert_eq!(reply.payload["media_type"], "image/png");
        let attached = reply.attachment.unwrap();
        assert_eq!((attached.media_type, &attached.bytes[..]), ("image/png", &png[..]));
        let reply = stage.ok("read", json!({"path": "data"}));
        assert_eq!(reply.text.as_ref(), "data: binary, application/octet-stream, 4 bytes");
        assert_eq!(reply.attachment, None);
    });
}

#[test]
fn a_directory_is_listed() {
    everywhere(&[("d/a", ""), ("d/e/x", "")], |stage| {
        let reply = stage.ok("read", json!({"path": "d"}));
        assert_eq!(reply.text.as_ref(), "d/a\nd/e/");
        assert_eq!(reply.payload["kind"], "dir");
        assert_eq!(reply.payload["listing"]["entries"][1]["path"], "d/e");
    });
}

#[test]
fn each_refusal_has_its_code() {
    everywhere(&[("a", "x")], |stage| {
        stage.refused(Code::FileNotFound, "read", json!({"path": "nope"}));
        stage.refused(Code::NotADirectory, "read", json!({"path": "a/b"}));
        stage.refused(Code::PathOutsideWorkspace, "read", json!({"path": "../../etc/passwd"}));
        stage.refused(Code::PathOutsideWorkspace, "read", json!({"path": "~/../../x"}));
        stage.refused(Code::InvalidPath, "read", json!({"path": "a\u{0}.png"}));
        stage.refused(Code::InvalidPath, "read", json!({"path": "x".repeat(5_000)}));
        for params in [
            json!({"path": "a", "offset": 0}),
            json!({"path": "a", "limit": 0}),
            json!({"path": "a", "tail": 0}),
            json!({"path": "a", "column": 0}),
            json!({"path": "a", "tail": 1, "offset": 1}),
        ] {
            stage.refused(Code::InvalidParams, "read", params);
        }
    });
}

#[test]
fn a_pipe_is_refused_at_once() {
    let stage = Stage::new(Ground::Host, &[], Setting::usual());
    let pipe = stage.root.path().join("pipe");
    mknodat(CWD, pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    stage.refused(Code::NotAFile, "read", json!({"path": "pipe"}));
    stage.refused(Code::NotAFile, "write", json!({"path": "pipe", "content": "x"}));
    let edit = json!({"path": "pipe", "old_string": "a", "new_string": "b"});
    stage.refused(Code::NotAFile, "edit", edit);
}

/// A stage on which a file of 1,000 bytes is too large to be read whole.
fn cramped(ground: Ground, files: &[(&str, &str)]) -> Stage {
    let limits = Limits { text_bytes: 100_000, ..Limits::standard() };
    Stage::new(ground, files, Setting { limits, ..Setting::usual() })
}

#[test]
fn a_large_file_is_read_in_parts() {
    let text = numbers(50_000);
    for ground in [Ground::Memory, Ground::Host] {
        let stage = cramped(ground, &[("n", &text)]);
        let reply = stage.ok("read", json!({"path": "n", "offset": 40_000, "limit": 2}));
        let note = "[lines 40,000-40,001 of more; read on with offset 40002]";
        assert_eq!(reply.text.as_ref(), format!("40000: 40000\n40001: 40001\n{note}"));
        assert!(!reply.payload.contains_key("version"));
        let last = stage.text("read", json!({"path": "n", "offset": 50_000}));
        assert_eq!(last, "50000: 50000");
        let tail = stage.text("read", json!({"path": "n", "tail": 2}));
        let note = "[the last 2 lines; the file is too large to count those before]";
        assert_eq!(tail, format!("-2: 49999\n-1: 50000\n{note}"));
        stage.refused(Code::InvalidParams, "read", json!({"path": "n", "offset": 50_001}));
        stage.ok("read", json!({"path": "n"}));
    }
}

#[test]
fn a_line_longer_than_a_read_is_not_passed_off_as_whole() {
    let text = format!("a\n{}\nz\n", "x".repeat(300_000));
    for ground in [Ground::Memory, Ground::Host] {
        let stage = cramped(ground, &[("n", &text)]);
        let first = stage.text("read", json!({"path": "n"}));
        assert!(first.contains("[a line is longer than what can be read at once"), "{ground:?}");
        let tail = stage.text("read", json!({"path": "n", "tail": 2}));
        assert!(tail.contains("-1: z\n"), "{ground:?} {}", &tail[tail.len() - 300..]);
        assert!(tail.contains("[a line is longer than what can be read at once"), "{ground:?}");
    }
}

#[test]
fn a_large_file_in_utf_16_is_too_large() {
    let stage = cramped(Ground::Memory, &[]);
    stage.put("w", &[&b"\xFF\xFE"[..], &b"a\0".repeat(60_000)].concat());
    stage.refused(Code::FileTooLarge, "read", json!({"path": "w"}));
}
