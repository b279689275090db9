//! `read_text_file`, `read_file` and `read_multiple_files`.

use garth_contract::Code;
use garth_workspace::Limits;
use serde_json::json;

use crate::stage::{Ground, Setting, Stage, everywhere};

const LINES: &str = "one\ntwo\nthree\nfour\n";

#[test]
fn a_file_is_given_as_it_is() {
    let bom = "\u{feff}mark\n";
    let files = [("lines", LINES), ("crlf", "a\r\nb"), ("bom", bom), ("empty", "")];
    everywhere(&files, |stage| {
        for (name, content) in files {
            assert_eq!(stage.text("read_text_file", json!({"path": stage.at(name)})), content);
        }
    });
}

#[test]
fn the_old_name_gives_the_same() {
    everywhere(&[("lines", LINES)], |stage| {
        for params in [json!({"path": stage.at("lines")}), json!({"path": "lines", "head": 1})] {
            let old = stage.text("read_file", params.clone());
            assert_eq!(old, stage.text("read_text_file", params));
        }
    });
}

#[test]
fn head_and_tail_count_lines() {
    let files = [("lines", LINES), ("open", "a\nb\nc"), ("crlf", "a\r\nb\r\nc\r\n"), ("empty", "")];
    everywhere(&files, |stage| {
        for (name, key, count, text) in [
            ("lines", "head", 2, "one\ntwo"),
            ("lines", "head", 9, "one\ntwo\nthree\nfour"),
            ("lines", "tail", 2, "three\nfour"),
            ("lines", "tail", 1, "four"),
            ("open", "tail", 2, "b\nc"),
            ("open", "tail", 5, "a\nb\nc"),
            ("crlf", "tail", 2, "b\nc"),
            ("empty", "tail", 3, ""),
            ("empty", "head", 3, ""),
            ("lines", "head", 0, LINES),
            ("lines", "tail", 0, LINES),
        ] {
            let params = json!({"path": stage.at(name), key: count});
            assert_eq!(stage.text("read_text_file", params), text, "{name} {key} {count}");
        }
        let both = json!({"path": stage.at("lines"), "head": 1, "tail": 1});
        let error = stage.refused(Code::InvalidParams, "read_text_file", both);
        assert_eq!(error.message(), "Cannot specify both head and tail parameters simultaneously");
    });
}

#[test]
fn characters_at_the_border_of_a_read_stay_whole() {
    let text = format!("discard\n界{}\nlast", "a".repeat(1017));
    everywhere(&[("f", &text)], |stage| {
        let tail = stage.text("read_text_file", json!({"path": stage.at("f"), "tail": 2}));
        assert_eq!(tail, format!("界{}\nlast", "a".repeat(1017)));
    });
}

#[test]
fn what_cannot_be_read_is_said_in_the_words_clients_know() {
    everywhere(&[("d/f", "x"), ("f", "x")], |stage| {
        for (name, code, words) in [
            ("missing", Code::FileNotFound, "ENOENT: no such file or directory"),
            ("d", Code::NotAFile, "EISDIR: illegal operation on a directory"),
            ("f/below", Code::NotADirectory, "ENOTDIR: not a directory"),
        ] {
            let at = stage.at(name);
            let error = stage.refused(code, "read_text_file", json!({"path": at}));
            assert_eq!(error.message(), format!("{words}: {at}"));
        }
    });
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    everywhere(&[], |stage| {
        stage.put("latin1", b"caf\xe9\n");
        stage.put("nul", b"a\0b");
        stage.put("utf16", b"\xff\xfeh\0i\0");
        for name in ["latin1", "nul"] {
            for params in [json!({"path": stage.at(name)}), json!({"path": name, "tail": 1})] {
                let error = stage.refused(Code::UnsupportedEncoding, "read_text_file", params);
                assert!(error.advice().contains("read_media_file"));
            }
        }
        assert_eq!(stage.text("read_text_file", json!({"path": stage.at("utf16")})), "hi");
    });
}

#[test]
fn a_file_over_the_limit_is_refused_whole_and_read_in_parts() {
    for ground in [Ground::Memory, Ground::Host] {
        let limits = Limits { text_bytes: 100_000, ..Limits::standard() };
        let text = "0123456789\n".repeat(20_000);
        let stage = Stage::new(ground, &[("large", &text)], Setting { limits, ..Setting::usual() });
        let at = stage.at("large");
        let error = stage.refused(Code::FileTooLarge, "read_text_file", json!({"path": at}));
        assert!(error.advice().contains("head or tail"), "{error:?}");
        for key in ["head", "tail"] {
            let part = stage.text("read_text_file", json!({"path": at, key: 2}));
            assert_eq!(part, "0123456789\n0123456789");
            let params = json!({"path": at, key: 19_000});
            stage.refused(Code::FileTooLarge, "read_text_file", params);
        }
        let many = json!({"paths": [at]});
        let text = stage.text("read_multiple_files", many);
        assert!(text.contains(": Error - the file is too large"), "{text}");
    }
}

#[test]
fn several_files_come_in_one_text_with_failures_in_place() {
    everywhere(&[("a", "alpha"), ("b", "beta")], |stage| {
        let (a, b, missing) = (stage.at("a"), stage.at("b"), stage.at("missing"));
        let paths = json!({"paths": [a, missing, b, "/etc/hostname"]});
        let text = stage.text("read_multiple_files", paths);
        let parts: Vec<&str> = text.split("\n---\n").collect();
        assert_eq!(
            parts,
            [
                format!("{a}:\nalpha\n"),
                format!("{missing}: Error - ENOENT: no such file or directory: {missing}"),
                format!("{b}:\nbeta\n"),
                format!(
                    "/etc/hostname: Error - Access denied - path outside allowed directories: \
                     /etc/hostname not in {}",
                    stage.root
                ),
            ]
        );
        stage.refused(Code::InvalidParams, "read_multiple_files", json!({"paths": []}));
    });
}

#[test]
fn files_that_are_too_much_together_are_refused() {
    let limits = Limits { text_bytes: 1000, ..Limits::standard() };
    let text = "x".repeat(900);
    let setting = Setting { limits, ..Setting::usual() };
    let stage = Stage::new(Ground::Memory, &[("a", &text), ("b", &text)], setting);
    stage.refused(Code::FileTooLarge, "read_multiple_files", json!({"paths": ["a", "b"]}));
    assert!(stage.text("read_multiple_files", json!({"paths": ["a"]})).len() > 900);
}
