//! What `ls` shows of a directory.

use std::os::unix::fs::symlink;

use garth_contract::Code;
use garth_ops::vfs::TOOLS;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::{
    everywhere,
    stage::{Ground, Setting, Stage},
};

const TREE: &[(&str, &str)] = &[
    ("a.txt", "hello"),
    ("src/main.py", "x"),
    ("src/deep/b.py", ""),
    ("target/x", ""),
    (".gitignore", "target/\n"),
];

#[test]
fn an_empty_path_is_the_root_and_entries_have_path_kind_and_size() {
    everywhere(TREE, |stage| {
        for params in [json!({}), json!({"path": ""}), json!({"path": "."}), json!({"path": "/"})] {
            let reply = stage.ok("ls", params);
            assert_eq!(
                reply.payload["entries"],
                json!([
                    {"path": "a.txt", "kind": "file", "size_bytes": 5},
                    {"path": "src", "kind": "directory"},
                ])
            );
            let note = "[2 hidden or ignored entries left out; see include_hidden and \
                        include_ignored]";
            assert_eq!(reply.text.as_ref(), format!("a.txt\nsrc/\n{note}"));
            assert_eq!(reply.payload["left_out"], 2);
        }
    });
}

#[test]
fn only_the_directory_itself_is_listed_with_paths_from_the_root() {
    everywhere(TREE, |stage| {
        let reply = stage.ok("ls", json!({"path": "src"}));
        assert_eq!(reply.text.as_ref(), "src/deep/\nsrc/main.py");
        let entries = json!([
            {"path": "src/deep", "kind": "directory"},
            {"path": "src/main.py", "kind": "file", "size_bytes": 1},
        ]);
        let facts = json!({"path": "src", "entries": entries, "total": 2, "left_out": 0});
        let mut payload = Value::Object(reply.payload);
        payload["left_out"] = 0.into();
        assert_eq!(payload, facts);
    });
}

#[test]
fn hidden_and_ignored_entries_come_when_asked_for() {
    everywhere(TREE, |stage| {
        let all = json!({"include_hidden": true, "include_ignored": true});
        assert_eq!(stage.text("ls", all), ".gitignore\na.txt\nsrc/\ntarget/");
    });
}

#[test]
fn a_page_of_a_directory_says_how_to_go_on() {
    everywhere(&[("a", ""), ("b", ""), ("c", "")], |stage| {
        let reply = stage.ok("ls", json!({"limit": 2}));
        assert!(reply.text.starts_with("a\nb\n[1-2 of "), "{}", reply.text);
        assert!(reply.text.ends_with("; go on with offset 2]"), "{}", reply.text);
        assert_eq!(reply.payload["next_offset"], 2);
        let rest = stage.ok("ls", json!({"offset": 2}));
        assert_eq!(
            rest.payload["entries"],
            json!([{"path": "c", "kind": "file", "size_bytes": 0}])
        );
        assert!(!rest.payload.contains_key("next_offset"));
    });
}

#[test]
fn a_listing_of_no_directory_is_refused() {
    everywhere(TREE, |stage| {
        stage.refused(Code::FileNotFound, "ls", json!({"path": "nope"}));
        stage.refused(Code::NotADirectory, "ls", json!({"path": "a.txt"}));
    });
}

#[test]
fn what_is_neither_file_nor_directory_has_its_type_beside_the_kind() {
    let stage = Stage::new(Ground::Host, &[("d/a", "xyz")], Setting::speaking(TOOLS));
    let root = stage.root.path();
    symlink("d", root.join("to_dir")).unwrap();
    symlink("d/a", root.join("to_file")).unwrap();
    symlink("/etc/passwd", root.join("to_outside")).unwrap();
    mknodat(CWD, root.join("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert_eq!(
        stage.ok("ls", json!({})).payload["entries"],
        json!([
            {"path": "d", "kind": "directory"},
            {"path": "pipe", "kind": "file", "type": "fifo"},
            {"path": "to_dir", "kind": "directory", "type": "symlink"},
            {"path": "to_file", "kind": "file", "size_bytes": 3, "type": "symlink"},
            {"path": "to_outside", "kind": "file", "type": "symlink"},
        ])
    );
}
