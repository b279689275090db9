//! Files that are no plain text under a plain name: pipes, odd names, very large ones.

use std::os::unix::ffi::OsStrExt;

use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::Code;
use rustix::fs::{CWD, FileType, Mode, OFlags, ftruncate, mknodat, open};
use serde_json::json;

use crate::{
    asking::Asking,
    stage::{Ground, Setting, Stage},
};

fn on_disk(files: &[(&str, &str)]) -> Asking {
    Asking::on(Stage::new(Ground::Host, files, Setting::usual()))
}

#[test]
fn no_method_waits_for_a_pipe() {
    let asking = on_disk(&[("a", "x")]);
    let pipe = asking.stage.root.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    for (method, params) in [
        ("read", json!({"path": "pipe"})),
        ("read", json!({"path": "pipe", "encoding": "base64"})),
        ("write", json!({"path": "pipe", "content": "x"})),
        ("edit", json!({"path": "pipe", "edits": [{"oldText": "a", "newText": "b"}]})),
        ("diff", json!({"fromPath": "pipe", "toPath": "a"})),
        ("search", json!({"query": "x", "path": "pipe"})),
    ] {
        asking.refused(Code::NotAFile, method, params);
    }
    asking.refused(Code::NotADirectory, "list", json!({"path": "pipe"}));
    asking.refused(Code::FileExists, "mkdir", json!({"path": "pipe"}));
    let reply = asking.ok("delete", json!({"path": "pipe"}));
    assert_eq!(reply, json!({"path": "pipe", "kind": "file", "type": "fifo"}));
}

#[test]
fn a_name_that_is_no_text_can_be_used_as_it_is_listed() {
    let asking = on_disk(&[]);
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9\n[x]");
    let flags = OFlags::CREATE | OFlags::WRONLY;
    open(asking.stage.root.path().join(name), flags, Mode::from_raw_mode(0o644)).unwrap();
    let listed = asking.ok("list", json!({}))["entries"][0].clone();
    assert_eq!((&listed["path"], &listed["name"]), (&json!(r"caf\xe9\x0a[x]"), &listed["path"]));
    assert_eq!(asking.ok("stat", json!({"path": listed["path"]})), listed);
    asking.ok("write", json!({"path": listed["path"], "content": "new", "createDirs": false}));
    assert_eq!(asking.ok("read", json!({"path": listed["path"]}))["content"], "new");
    asking.ok("move", json!({"fromPath": listed["path"], "toPath": "plain"}));
    assert_eq!(asking.stage.tree(), ["plain"]);
}

#[test]
fn a_part_of_a_very_large_file_takes_no_more_than_the_part() {
    let asking = on_disk(&[("big", "start")]);
    let size = 10_u64 << 30;
    let file = open(asking.stage.root.path().join("big"), OFlags::WRONLY, Mode::empty()).unwrap();
    ftruncate(&file, size).unwrap();
    let part = json!({"path": "big", "encoding": "base64", "offset": size - 3, "length": 100});
    let reply = asking.ok("read", part);
    assert_eq!(
        (&reply["content"], &reply["sizeBytes"]),
        (&json!(STANDARD.encode([0; 3])), &json!(size))
    );
    assert_eq!((reply.get("nextOffset"), reply.get("version")), (None, None));
    let part = json!({"path": "big", "length": 5});
    asking.refused(Code::UnsupportedEncoding, "read", part);
    asking.refused(Code::FileTooLarge, "read", json!({"path": "big", "encoding": "base64"}));
    let edits = json!([{"oldText": "a", "newText": "b"}]);
    asking.refused(Code::FileTooLarge, "edit", json!({"path": "big", "edits": edits}));
    asking.refused(Code::FileTooLarge, "diff", json!({"path": "big", "content": ""}));
    asking.refused(Code::FileTooLarge, "write", json!({"path": "big", "content": "[REDACTED: X]"}));
    asking.ok("write", json!({"path": "big", "content": "small"}));
    assert_eq!(asking.stage.content("big"), "small");
}
