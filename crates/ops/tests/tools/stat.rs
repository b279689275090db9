//! What `stat` says of each kind of entry.

use std::os::unix::fs::symlink;

use garth_contract::Code;
use serde_json::json;

use crate::stage::{Ground, Setting, Stage, everywhere};

#[test]
fn files_and_directories_are_described() {
    everywhere(&[("d/a.txt", "12345")], |stage| {
        let reply = stage.ok("stat", json!({"path": "d/a.txt"}));
        assert_eq!(reply.payload["kind"], "file");
        assert_eq!(reply.payload["size_bytes"], 5);
        assert!(reply.payload["modified_at"].as_str().unwrap().ends_with('Z'));
        assert!(reply.text.starts_with("d/a.txt: file, 5 bytes, mode 06"), "{}", reply.text);
        let reply = stage.ok("stat", json!({"path": "d"}));
        assert_eq!(reply.payload["kind"], "dir");
        assert!(!reply.payload.contains_key("size_bytes"));
        stage.refused(Code::FileNotFound, "stat", json!({"path": "nope"}));
    });
}

#[test]
fn a_link_is_described_with_what_it_leads_to_inside() {
    let stage = Stage::new(Ground::Host, &[("a", "123")], Setting::usual());
    let root = stage.root.path();
    symlink("a", root.join("in")).unwrap();
    symlink("/etc/passwd", root.join("out")).unwrap();
    symlink("gone", root.join("dangling")).unwrap();
    let reply = stage.ok("stat", json!({"path": "in"}));
    assert_eq!(reply.payload["kind"], "symlink");
    assert_eq!(reply.payload["target"]["size_bytes"], 3);
    for path in ["out", "dangling"] {
        let reply = stage.ok("stat", json!({"path": path}));
        assert!(!reply.payload.contains_key("target"));
        let expected = format!("{path}: symlink that leads nowhere inside the workspace");
        assert_eq!(reply.text.as_ref(), expected);
    }
}
