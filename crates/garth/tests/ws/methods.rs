//! Every method of `worktree.*` over the socket: its fields, its defaults, its errors.

use std::fs;

use serde_json::{Value, json};

use crate::rows::{
    Caller,
    Comes::{Refused, To},
    dir, file, like, stage,
};

#[test]
fn listing_has_its_fields_defaults_and_errors() {
    let server = stage();
    let mut caller = Caller::new(&server);
    let reply = caller.call("worktree.list", json!({}));
    let listed = &reply["payload"];
    assert_eq!(listed["path"], "/");
    let entries = listed["entries"].as_array().unwrap();
    let names: Vec<_> = entries.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a..b", "a.txt", "bin", "in", "out", "src"], "by name, without dotfiles");
    let of = |name: &str| entries.iter().find(|entry| entry["name"] == name).unwrap();
    assert!(like(of("a.txt"), &file("a.txt", 8)), "{}", of("a.txt"));
    assert!(like(of("src"), &dir("src")), "{}", of("src"));
    for path in ["", ".", "/", "/workspace", "src/.."] {
        let same = caller.call("worktree.list", json!({"path": path}));
        assert_eq!(same["payload"], *listed, "{path:?}");
    }
    let paths = |reply: &Value| -> Vec<String> {
        let entries = reply["payload"]["entries"].as_array().unwrap().iter();
        entries.map(|entry| entry["path"].as_str().unwrap().to_owned()).collect()
    };
    let all = caller.call("worktree.list", json!({"path": "src", "recursive": true}));
    assert_eq!(all["payload"]["path"], "src");
    let mut found = paths(&all);
    found.sort();
    assert_eq!(found, ["src/deep", "src/deep/x", "src/lib.rs"]);
    let hidden = caller.call("worktree.list", json!({"includeHidden": true}));
    assert!(paths(&hidden).contains(&".hidden".to_owned()));
    caller.check(vec![
        ("worktree.list", json!({"path": "a.txt"}), Refused("NOT_A_DIRECTORY")),
        ("worktree.list", json!({"path": "nowhere"}), Refused("FILE_NOT_FOUND")),
        ("worktree.list", json!({"path": ".."}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.list", json!({"path": "out"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.list", json!({"path": "/etc"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.list", json!({"path": "a\u{0}"}), Refused("INVALID_PATH")),
        ("worktree.list", json!({"path": "x".repeat(5_000)}), Refused("INVALID_PATH")),
    ]);
}

#[test]
fn reading_has_its_fields_defaults_and_errors() {
    let server = stage();
    let mut caller = Caller::new(&server);
    let read = |content: &str, encoding: &str, size: u64, truncated: bool| {
        json!({
            "path": "a.txt", "content": content, "encoding": encoding, "sizeBytes": size,
            "modifiedAt": "*", "truncated": truncated, "redacted": false, "version": "*",
        })
    };
    let mut cut = read("one", "utf8", 8, true);
    cut["nextOffset"] = 3.into();
    cut.as_object_mut().unwrap().shift_remove("version");
    let outcome = caller.call("worktree.read", json!({"path": "a.txt", "maxBytes": 3}));
    let mut given = outcome["payload"].clone();
    given.as_object_mut().unwrap().shift_remove("version");
    assert!(like(&given, &cut), "{given}");
    caller.check(vec![
        ("worktree.read", json!({"path": "a.txt"}), To(read("one\ntwo\n", "utf8", 8, false))),
        (
            "worktree.read",
            json!({"path": "/workspace/a.txt"}),
            To(read("one\ntwo\n", "utf8", 8, false)),
        ),
        (
            "worktree.read",
            json!({"path": "a.txt", "encoding": "base64"}),
            To(read("b25lCnR3bwo=", "base64", 8, false)),
        ),
        (
            "worktree.read",
            json!({"path": "a.txt", "redact": true}),
            To(read("one\ntwo\n", "utf8", 8, false)),
        ),
        ("worktree.read", json!({}), Refused("INVALID_PARAMS")),
        ("worktree.read", json!({"path": "nowhere"}), Refused("FILE_NOT_FOUND")),
        ("worktree.read", json!({"path": "src"}), Refused("NOT_A_FILE")),
        ("worktree.read", json!({"path": "../a"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.read", json!({"path": "out/passwd"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.read", json!({"path": "bin"}), Refused("UNSUPPORTED_ENCODING")),
        (
            "worktree.read",
            json!({"path": "a.txt", "encoding": "klingon"}),
            Refused("INVALID_ENCODING"),
        ),
        (
            "worktree.read",
            json!({"path": "a.txt", "encoding": "base64", "maxBytes": 3}),
            Refused("FILE_TOO_LARGE"),
        ),
        ("worktree.read", json!({"path": "a.txt", "redact": false}), Refused("PERMISSION_DENIED")),
        ("worktree.read", json!({"path": "a.txt", "maxBytes": -1}), Refused("INVALID_PARAMS")),
        ("worktree.read", json!({"path": "a.txt", "maxBytes": 1.5}), Refused("INVALID_PARAMS")),
    ]);
    let legal = caller.call("worktree.read", json!({"path": "a..b"}));
    assert_eq!(legal["payload"]["content"], "legal");
}

#[test]
fn secrets_are_read_as_placeholders_and_only_the_operator_sees_them() {
    let server = stage();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    fs::write(server.files("bird").join("env"), format!("t = \"{secret}\"\n")).unwrap();
    let mut caller = Caller::new(&server);
    let reply = caller.call("worktree.read", json!({"path": "env"}));
    assert_eq!(reply["payload"]["content"], "t = \"[REDACTED: GITHUB_TOKEN]\"\n");
    assert_eq!(reply["payload"]["redacted"], true);
    let mut operator = server.operator();
    let raw = json!({"agentId": "bird", "path": "env", "redact": false});
    assert_eq!(operator.ok("worktree.read", raw)["content"], format!("t = \"{secret}\"\n"));
    let records = operator.ok("audit.list", json!({"operation": "worktree.read", "limit": 1}));
    assert_eq!(records["records"][0]["summary"], "env; unredacted");
    // What is written back from it destroys nothing.
    let back = json!({"path": "env", "content": "t = \"[REDACTED: GITHUB_TOKEN]\"\nmore\n"});
    assert_eq!(caller.call("worktree.write", back)["ok"], true);
    let now = fs::read_to_string(server.files("bird").join("env")).unwrap();
    assert_eq!(now, format!("t = \"{secret}\"\nmore\n"));
    let invented = json!({"path": "env", "content": "t = \"[REDACTED: JWT_TOKEN]\"\n"});
    let refused = caller.call("worktree.write", invented);
    assert_eq!(refused["error"]["code"], "REDACTED_CONTENT", "{refused}");
}

#[test]
fn writing_has_its_fields_defaults_and_errors() {
    let server = stage();
    let mut caller = Caller::new(&server);
    let written = |path: &str, size: u64, created: bool| {
        To(
            json!({"path": path, "sizeBytes": size, "modifiedAt": "*", "created": created, "version": "*"}),
        )
    };
    caller.check(vec![
        (
            "worktree.write",
            json!({"path": "new/dir/f", "content": "x"}),
            written("new/dir/f", 1, true),
        ),
        (
            "worktree.write",
            json!({"path": "new/dir/f", "content": "xy"}),
            written("new/dir/f", 2, false),
        ),
        (
            "worktree.write",
            json!({"path": "b64", "content": "AAEC", "encoding": "base64"}),
            written("b64", 3, true),
        ),
        (
            "worktree.write",
            json!({"path": "a.txt", "content": "", "overwrite": false}),
            Refused("FILE_EXISTS"),
        ),
        (
            "worktree.write",
            json!({"path": "gone/f", "content": "", "createDirs": false}),
            Refused("PARENT_NOT_FOUND"),
        ),
        ("worktree.write", json!({"path": "src", "content": ""}), Refused("NOT_A_FILE")),
        ("worktree.write", json!({"path": "/", "content": ""}), Refused("NOT_A_FILE")),
        (
            "worktree.write",
            json!({"path": "../x", "content": ""}),
            Refused("PATH_OUTSIDE_WORKSPACE"),
        ),
        (
            "worktree.write",
            json!({"path": "out/x", "content": ""}),
            Refused("PATH_OUTSIDE_WORKSPACE"),
        ),
        ("worktree.write", json!({"path": "a.txt/x", "content": ""}), Refused("NOT_A_DIRECTORY")),
        (
            "worktree.write",
            json!({"path": "x", "content": "%", "encoding": "base64"}),
            Refused("INVALID_ENCODING"),
        ),
        (
            "worktree.write",
            json!({"path": "x", "content": "", "encoding": "?"}),
            Refused("INVALID_ENCODING"),
        ),
        ("worktree.write", json!({"path": "x"}), Refused("INVALID_PARAMS")),
        ("worktree.write", json!({"path": "x", "content": 7}), Refused("INVALID_PARAMS")),
        (
            "worktree.write",
            json!({"path": "x", "content": "", "mode": 7}),
            Refused("INVALID_PARAMS"),
        ),
    ]);
    assert_eq!(fs::read(server.files("bird").join("b64")).unwrap(), [0, 1, 2]);
    let version =
        caller.call("worktree.read", json!({"path": "a.txt"}))["payload"]["version"].clone();
    let guarded = json!({"path": "a.txt", "content": "1", "expectedVersion": version});
    assert_eq!(caller.call("worktree.write", guarded.clone())["ok"], true);
    let refused = caller.call("worktree.write", guarded);
    assert_eq!(refused["error"]["code"], "CONFLICT");
    let now = caller.call("worktree.read", json!({"path": "a.txt"}))["payload"]["version"].clone();
    assert_eq!(refused["error"]["details"]["currentVersion"], now, "{refused}");
}

#[test]
fn making_moving_and_deleting_have_their_fields_defaults_and_errors() {
    let server = stage();
    let mut caller = Caller::new(&server);
    let moved = |from: &str, to: &str, overwritten: bool| {
        To(json!({"fromPath": from, "toPath": to, "kind": "file", "overwritten": overwritten}))
    };
    caller.check(vec![
        ("worktree.mkdir", json!({"path": "m/n"}), To(json!({"path": "m/n", "created": true}))),
        ("worktree.mkdir", json!({"path": "/m/n/"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.mkdir", json!({"path": "m/n"}), To(json!({"path": "m/n", "created": false}))),
        ("worktree.mkdir", json!({"path": "q/r", "recursive": false}), Refused("PARENT_NOT_FOUND")),
        ("worktree.mkdir", json!({"path": "a.txt"}), Refused("FILE_EXISTS")),
        ("worktree.mkdir", json!({"path": "../q"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.mkdir", json!({}), Refused("INVALID_PARAMS")),
        (
            "worktree.move",
            json!({"fromPath": "a.txt", "toPath": "c.txt"}),
            moved("a.txt", "c.txt", false),
        ),
        ("worktree.move", json!({"fromPath": "a.txt", "toPath": "d"}), Refused("SOURCE_NOT_FOUND")),
        (
            "worktree.move",
            json!({"fromPath": "c.txt", "toPath": "a..b"}),
            Refused("DESTINATION_EXISTS"),
        ),
        (
            "worktree.move",
            json!({"fromPath": "c.txt", "toPath": "a..b", "overwrite": true}),
            moved("c.txt", "a..b", true),
        ),
        (
            "worktree.move",
            json!({"fromPath": "src", "toPath": "src/deep/s"}),
            Refused("CANNOT_MOVE_TO_SUBDIRECTORY"),
        ),
        (
            "worktree.move",
            json!({"fromPath": "../x", "toPath": "y"}),
            Refused("PATH_OUTSIDE_WORKSPACE"),
        ),
        (
            "worktree.move",
            json!({"fromPath": "a..b", "toPath": "../y"}),
            Refused("PATH_OUTSIDE_WORKSPACE"),
        ),
        ("worktree.move", json!({"fromPath": "/", "toPath": "y"}), Refused("CANNOT_DELETE_ROOT")),
        ("worktree.move", json!({"fromPath": "a..b"}), Refused("INVALID_PARAMS")),
        ("worktree.delete", json!({"path": "a..b"}), To(json!({"path": "a..b", "kind": "file"}))),
        ("worktree.delete", json!({"path": "a..b"}), Refused("FILE_NOT_FOUND")),
        ("worktree.delete", json!({"path": "src"}), Refused("DIRECTORY_NOT_EMPTY")),
        (
            "worktree.delete",
            json!({"path": "src", "recursive": true}),
            To(json!({"path": "src", "kind": "dir", "itemsDeleted": 4})),
        ),
        (
            "worktree.delete",
            json!({"path": "m/n"}),
            To(json!({"path": "m/n", "kind": "dir", "itemsDeleted": 1})),
        ),
        ("worktree.delete", json!({"path": "/"}), Refused("CANNOT_DELETE_ROOT")),
        ("worktree.delete", json!({"path": "", "recursive": true}), Refused("CANNOT_DELETE_ROOT")),
        ("worktree.delete", json!({"path": "../x"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        (
            "worktree.delete",
            json!({"path": "out", "recursive": true}),
            To(json!({"path": "out", "kind": "file", "type": "symlink"})),
        ),
    ]);
    assert!(fs::metadata("/etc/passwd").is_ok(), "the link went, not what it points to");
}

#[test]
fn a_directory_that_is_gone_and_an_agent_that_may_not_write_say_so() {
    let server = stage();
    let mut operator = server.operator();
    operator.ok("agents.update", json!({"agentId": "bird", "settings": {"readOnly": true}}));
    let mut caller = Caller::new(&server);
    caller.check(vec![
        ("worktree.read", json!({"path": "a.txt"}), To(json!({
            "path": "a.txt", "content": "*", "encoding": "utf8", "sizeBytes": 8, "modifiedAt": "*",
            "truncated": false, "redacted": false, "version": "*",
        }))),
        ("worktree.write", json!({"path": "a.txt", "content": "x"}), Refused("READ_ONLY")),
        ("worktree.delete", json!({"path": "a.txt"}), Refused("READ_ONLY")),
        ("worktree.move", json!({"fromPath": "a.txt", "toPath": "b"}), Refused("READ_ONLY")),
        ("worktree.mkdir", json!({"path": "d"}), Refused("READ_ONLY")),
        ("worktree.upload.begin", json!({"path": "d"}), Refused("READ_ONLY")),
    ]);
    operator.ok("agents.create", json!({"agentId": "gone"}));
    fs::remove_dir_all(server.files("gone")).unwrap();
    let list = json!({"agentId": "gone"});
    assert_eq!(operator.refused("worktree.list", list), "WORKSPACE_NOT_FOUND");
    // The rest keeps working.
    operator.ok("worktree.list", json!({"agentId": "bird"}));
}
