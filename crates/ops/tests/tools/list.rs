//! What `list` shows, in which order, and what it leaves out.

use std::os::unix::{ffi::OsStrExt, fs::symlink};

use garth_contract::Code;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage, everywhere};

const TREE: &[(&str, &str)] = &[
    ("b.txt", "1"),
    ("a/z", "2"),
    ("a/deep/er/x", "3"),
    (".hidden", "4"),
    ("out.log", "5"),
    (".gitignore", "*.log\n"),
    ("B", "6"),
];

#[test]
fn entries_come_by_name_with_a_slash_after_directories() {
    everywhere(TREE, |stage| {
        let reply = stage.ok("list", json!({}));
        let left_out =
            "[3 hidden or ignored entries left out; see include_hidden and include_ignored]";
        assert_eq!(reply.text.as_ref(), format!("B\na/\nb.txt\n{left_out}"));
        assert_eq!(reply.payload["total"], 3);
        assert_eq!(reply.payload["left_out"], 3);
        assert_eq!(reply.payload["truncated"], false);
        assert_eq!(reply.payload["entries"][1]["kind"], "dir");
        assert_eq!(stage.text("list", json!({"path": "a"})), "a/deep/\na/z");
    });
}

#[test]
fn hidden_and_ignored_entries_come_when_asked_for() {
    everywhere(TREE, |stage| {
        let text = |params| stage.text("list", params);
        let more = text(json!({"include_hidden": true}));
        assert!(more.starts_with(".gitignore\n.hidden\nB\na/\nb.txt\n"), "{more}");
        let all = text(json!({"include_hidden": true, "include_ignored": true}));
        assert_eq!(all, ".gitignore\n.hidden\nB\na/\nb.txt\nout.log");
    });
}

#[test]
fn a_recursive_listing_goes_as_deep_as_asked() {
    everywhere(TREE, |stage| {
        let text = |params| stage.text("list", params);
        let all = text(json!({"recursive": true}));
        assert_eq!(all, "B\na/\na/deep/\na/deep/er/\na/deep/er/x\na/z\nb.txt");
        assert_eq!(text(json!({"depth": 2})), "B\na/\na/deep/\na/z\nb.txt");
        assert_eq!(text(json!({"path": "a", "recursive": true, "depth": 1})), "a/deep/\na/z");
    });
}

#[test]
fn a_cut_listing_says_so_and_can_be_continued() {
    everywhere(TREE, |stage| {
        let all = json!({"include_hidden": true, "include_ignored": true});
        let mut names = Vec::new();
        let mut offset = 0;
        loop {
            let mut params = all.clone();
            params["limit"] = 4.into();
            params["offset"] = offset.into();
            let reply = stage.ok("list", params);
            let entries = reply.payload["entries"].as_array().unwrap();
            names.extend(entries.iter().map(|entry| entry["path"].clone()));
            assert_eq!(reply.payload["total"], 6);
            match reply.payload.get("next_offset").and_then(Value::as_u64) {
                Some(next) => {
                    assert!(reply.text.ends_with("[1-4 of 6 entries; go on with offset 4]"));
                    offset = next;
                }
                None => break,
            }
        }
        assert_eq!(names, [".gitignore", ".hidden", "B", "a", "b.txt", "out.log"]);
    });
}

#[test]
fn each_refusal_has_its_code() {
    everywhere(TREE, |stage| {
        stage.refused(Code::NotADirectory, "list", json!({"path": "b.txt"}));
        stage.refused(Code::FileNotFound, "list", json!({"path": "nope"}));
        stage.refused(Code::PathOutsideWorkspace, "list", json!({"path": "/etc"}));
        stage.refused(Code::InvalidParams, "list", json!({"depth": 0}));
        stage.refused(Code::InvalidParams, "list", json!({"depth": 257}));
        stage.refused(Code::InvalidParams, "list", json!({"limit": 0}));
    });
}

#[test]
fn an_empty_directory_is_no_empty_text() {
    everywhere(&[("d/", "")], |stage| {
        assert_eq!(stage.text("list", json!({"path": "d"})), "[d/ has no entries to show]");
    });
}

#[test]
fn odd_entries_are_marked_and_odd_names_escaped() {
    let stage = Stage::new(Ground::Host, &[("a", "")], Setting::usual());
    let root = stage.root.path();
    symlink("a", root.join("link")).unwrap();
    mknodat(CWD, root.join("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let odd = root.join(std::ffi::OsStr::from_bytes(b"x\n[DIR] fake"));
    symlink("a", odd).unwrap();
    let not_utf8 = root.join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    symlink("a", not_utf8).unwrap();
    let text = stage.text("list", json!({}));
    let expected = "a\ncaf\\xe9 [symlink]\nlink [symlink]\npipe [fifo]\nx\\x0a[DIR] fake [symlink]";
    assert_eq!(text, expected);
    stage.ok("delete", json!({"path": "caf\\xe9"}));
    stage.ok("delete", json!({"path": "x\\x0a[DIR] fake"}));
    assert_eq!(stage.text("list", json!({})), "a\nlink [symlink]\npipe [fifo]");
}
