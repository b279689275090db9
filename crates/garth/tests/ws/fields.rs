//! The methods beside the first six, field by field: what each field does, what is taken
//! where it is left out, and which error a wrong one is.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{
    client::Client,
    rows::{
        Caller,
        Comes::{Refused, To},
        dir, file, stage,
    },
    server::Server,
};

/// A method, parameters that it takes, and a value of the wrong type for each of them.
struct Shape {
    method: &'static str,
    good: Value,
    wrong: Value,
    required: &'static [&'static str],
}

fn shapes() -> Vec<Shape> {
    let shape = |method, good, wrong, required| Shape { method, good, wrong, required };
    vec![
        shape("worktree.stat", json!({"path": "a.txt"}), json!({"path": 1}), &["path"]),
        shape(
            "worktree.search",
            json!({"query": "x"}),
            json!({
                "query": 1, "glob": 1, "caseSensitive": "yes", "regex": 1, "path": 1,
                "contextLines": -1, "includeHidden": 1, "includeIgnored": 1, "limit": "1",
                "cursor": 1,
            }),
            &["query"],
        ),
        shape(
            "worktree.diff",
            json!({"path": "a.txt", "content": "x"}),
            json!({
                "fromPath": 1, "toPath": 1, "path": 1, "content": 1, "version": 1, "format": "x",
            }),
            &["path", "content"],
        ),
        shape(
            "worktree.edit",
            json!({"path": "a.txt", "edits": [{"oldText": "no", "newText": "y"}]}),
            json!({
                "path": 1, "edits": {}, "match": "x", "encoding": 1, "expectedVersion": 1,
                "dryRun": 1,
            }),
            &["path", "edits"],
        ),
        shape(
            "worktree.archive",
            json!({}),
            json!({"path": 1, "format": 1, "exclude": "x", "redact": 1}),
            &[],
        ),
        shape(
            "worktree.restore",
            json!({"uploadId": "u1"}),
            json!({
                "path": 1, "format": 1, "overwrite": 1, "strip": -1, "skipUnfit": 1, "uploadId": 1,
            }),
            &["uploadId"],
        ),
        shape(
            "worktree.upload.begin",
            json!({"path": "up"}),
            json!({"path": 1, "createDirs": 1, "overwrite": 1, "expectedVersion": 1}),
            &["path"],
        ),
        shape(
            "worktree.upload.chunk",
            json!({"uploadId": "u1", "offset": 0, "content": ""}),
            json!({"uploadId": 1, "offset": "0", "content": 1}),
            &["uploadId", "offset", "content"],
        ),
        shape(
            "worktree.upload.commit",
            json!({"uploadId": "u1"}),
            json!({"uploadId": 1, "version": 1}),
            &["uploadId"],
        ),
        shape(
            "worktree.upload.abort",
            json!({"uploadId": "u1"}),
            json!({"uploadId": 1}),
            &["uploadId"],
        ),
        shape(
            "worktree.download",
            json!({"path": "a.txt"}),
            json!({"path": 1, "offset": -1, "length": "1", "redact": 1, "state": 1}),
            &["path"],
        ),
        shape(
            "worktree.watch",
            json!({}),
            json!({"path": 1, "recursive": 1, "includeHidden": 1, "includeIgnored": 1}),
            &[],
        ),
        shape("worktree.unwatch", json!({"watchId": "w1"}), json!({"watchId": 1}), &["watchId"]),
        shape(
            "terminal.open",
            json!({"cols": 80, "rows": 24}),
            json!({"cols": 70_000, "rows": -1, "command": 1, "workdir": 1, "keep": 1}),
            &["cols", "rows"],
        ),
        shape(
            "terminal.attach",
            json!({"processId": "p1", "cols": 80, "rows": 24}),
            json!({"processId": 1, "cols": 70_000, "rows": -1}),
            &["processId", "cols", "rows"],
        ),
        shape(
            "terminal.input",
            json!({"sessionId": "t1", "data": ""}),
            json!({"sessionId": 1, "data": 1, "encoding": "rot13"}),
            &["sessionId", "data"],
        ),
        shape(
            "terminal.resize",
            json!({"sessionId": "t1", "cols": 80, "rows": 24}),
            json!({"sessionId": 1, "cols": "80", "rows": 1.5}),
            &["sessionId", "cols", "rows"],
        ),
        shape(
            "terminal.close",
            json!({"sessionId": "t1"}),
            json!({"sessionId": 1}),
            &["sessionId"],
        ),
    ]
}

#[test]
fn wrong_types_unknown_fields_and_missing_ones_are_refused() {
    let server = stage();
    let mut caller = Caller::new(&server);
    for Shape { method, good, wrong, required } in shapes() {
        let mut refused = |params: &Value, about: &str| {
            let reply = caller.call(method, params.clone());
            assert_eq!(reply["error"]["code"], "INVALID_PARAMS", "{method} {params}: {reply}");
            let message = reply["error"]["message"].as_str().unwrap();
            assert!(!message.is_empty() && message.len() < 500, "{method} {about}: {message}");
            message.to_owned()
        };
        for (field, value) in wrong.as_object().unwrap() {
            let mut params = good.clone();
            params[field] = value.clone();
            refused(&params, field);
        }
        let mut unknown = good.clone();
        unknown["nonsense"] = 1.into();
        let message = refused(&unknown, "nonsense");
        assert!(message.contains("nonsense"), "{method}: {message}");
        for field in required {
            let mut params = good.clone();
            params.as_object_mut().unwrap().remove(*field);
            refused(&params, field);
        }
    }
    // None of them left anything.
    assert!(!server.files("bird").join("up").exists());
}

#[test]
fn looking_at_one_entry_has_its_fields_and_errors() {
    let server = stage();
    let mut caller = Caller::new(&server);
    let root =
        json!({"path": "/", "name": "*", "kind": "dir", "modifiedAt": "*", "permissions": "*"});
    caller.check(vec![
        ("worktree.stat", json!({"path": "a.txt"}), To(file("a.txt", 8))),
        ("worktree.stat", json!({"path": "/workspace/src/lib.rs"}), To(file("src/lib.rs", 13))),
        ("worktree.stat", json!({"path": "src"}), To(dir("src"))),
        ("worktree.stat", json!({"path": ""}), To(root)),
        ("worktree.stat", json!({"path": "gone"}), Refused("FILE_NOT_FOUND")),
        ("worktree.stat", json!({"path": "a.txt/x"}), Refused("NOT_A_DIRECTORY")),
        ("worktree.stat", json!({"path": "../x"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.stat", json!({"path": "/etc/passwd"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.stat", json!({"path": "out/passwd"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.stat", json!({"path": "a\u{0}"}), Refused("INVALID_PATH")),
    ]);
}

/// A reply of a search with these lines.
fn found(matches: Value, more: Value) -> Value {
    let total = matches.as_array().unwrap().len();
    let mut reply = json!({
        "path": "/", "matches": matches, "total": total, "truncated": false, "filesSearched": "*",
        "binarySkipped": "*", "unreadable": 0,
    });
    reply.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    reply
}

#[test]
fn searching_has_its_fields_defaults_and_errors() {
    let server = stage();
    let files = server.files("bird");
    for (name, content) in [(".gitignore", "skipped\n"), ("skipped", "two\n"), (".dot", "two\n")] {
        fs::write(files.join(name), content).unwrap();
    }
    let mut caller = Caller::new(&server);
    let two = json!({"path": "a.txt", "line": 2, "column": 1, "text": "two"});
    let at = |path: &str| json!({"path": path, "line": 1, "column": 1, "text": "two"});
    let beside = json!({
        "path": "a.txt", "line": 2, "column": 1, "text": "two", "before": ["one"], "after": [],
    });
    let one = |value: &Value| To(found(json!([value]), json!({})));
    let none = || To(found(json!([]), json!({})));
    caller.check(vec![
        // Letters of either case, as they stand, without what is hidden or ignored.
        ("worktree.search", json!({"query": "TWO"}), one(&two)),
        ("worktree.search", json!({"query": "TWO", "caseSensitive": true}), none()),
        ("worktree.search", json!({"query": "t.o"}), none()),
        ("worktree.search", json!({"query": "^t.o$", "regex": true}), one(&two)),
        ("worktree.search", json!({"query": "two", "glob": "*.rs"}), none()),
        ("worktree.search", json!({"query": "two", "glob": "*.txt"}), one(&two)),
        ("worktree.search", json!({"query": "two", "contextLines": 1}), one(&beside)),
        (
            "worktree.search",
            json!({"query": "two", "includeHidden": true}),
            To(found(json!([at(".dot"), two]), json!({}))),
        ),
        (
            "worktree.search",
            json!({"query": "two", "includeIgnored": true}),
            To(found(json!([two, at("skipped")]), json!({}))),
        ),
        (
            "worktree.search",
            json!({"query": "fn", "path": "src"}),
            To(found(
                json!([{"path": "src/lib.rs", "line": 1, "column": 1, "text": "fn main() {}"}]),
                json!({"path": "src"}),
            )),
        ),
        ("worktree.search", json!({"query": ""}), Refused("INVALID_PARAMS")),
        ("worktree.search", json!({"query": "(", "regex": true}), Refused("INVALID_PATTERN")),
        ("worktree.search", json!({"query": "x", "glob": "[a"}), Refused("INVALID_PATTERN")),
        ("worktree.search", json!({"query": "x", "contextLines": 101}), Refused("INVALID_PARAMS")),
        ("worktree.search", json!({"query": "x", "limit": 0}), Refused("INVALID_PARAMS")),
        ("worktree.search", json!({"query": "x", "cursor": "?"}), Refused("INVALID_PARAMS")),
        ("worktree.search", json!({"query": "x", "path": "gone"}), Refused("FILE_NOT_FOUND")),
        ("worktree.search", json!({"query": "x", "path": ".."}), Refused("PATH_OUTSIDE_WORKSPACE")),
    ]);
    // Page by page.
    let all = json!({"query": "two", "includeHidden": true, "includeIgnored": true, "limit": 2});
    let first = caller.call("worktree.search", all.clone())["payload"].clone();
    assert_eq!(
        (&first["truncated"], first["matches"].as_array().unwrap().len()),
        (&json!(true), 2)
    );
    let mut next = all;
    next["cursor"] = first["nextCursor"].clone();
    let second = caller.call("worktree.search", next)["payload"].clone();
    assert_eq!(second["matches"], json!([at("skipped")]));
    assert_eq!((&second["truncated"], &second["nextCursor"]), (&json!(false), &Value::Null));
}

#[test]
fn comparing_has_its_fields_defaults_and_errors() {
    let server = stage();
    fs::write(server.files("bird").join("b.txt"), "one\nthree\n").unwrap();
    let mut caller = Caller::new(&server);
    let compared = |from: &str, more: Value| {
        let mut reply = json!({
            "fromPath": from, "format": "unified", "identical": false, "binary": false,
            "linesAdded": 1, "linesRemoved": 1, "diff": "*", "truncated": false, "redacted": false,
        });
        for (name, value) in more.as_object().unwrap() {
            reply[name] = value.clone();
            if value.is_null() {
                reply.as_object_mut().unwrap().remove(name);
            }
        }
        To(reply)
    };
    let both = json!({"fromPath": "a.txt", "toPath": "b.txt"});
    let with = |more: Value| {
        let mut params = both.clone();
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let diff = "--- a.txt\n+++ b.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three";
    let content = json!({"path": "a.txt", "content": "one\ntwo\n"});
    let same = json!({"identical": true, "linesAdded": 0, "linesRemoved": 0, "diff": ""});
    let binary = json!({
        "toPath": "a.txt", "binary": true, "linesAdded": 0, "linesRemoved": 0, "diff": "",
    });
    caller.check(vec![
        (
            "worktree.diff",
            both.clone(),
            compared("a.txt", json!({"toPath": "b.txt", "diff": diff})),
        ),
        (
            "worktree.diff",
            with(json!({"format": "json"})),
            compared(
                "a.txt",
                json!({"toPath": "b.txt", "format": "json", "hunks": "*", "diff": null}),
            ),
        ),
        ("worktree.diff", content, compared("a.txt", same)),
        ("worktree.diff", json!({"fromPath": "bin", "toPath": "a.txt"}), compared("bin", binary)),
        ("worktree.diff", json!({}), Refused("INVALID_PARAMS")),
        ("worktree.diff", json!({"fromPath": "a.txt"}), Refused("INVALID_PARAMS")),
        ("worktree.diff", with(json!({"path": "a.txt"})), Refused("INVALID_PARAMS")),
        ("worktree.diff", with(json!({"version": "x"})), Refused("INVALID_PARAMS")),
        (
            "worktree.diff",
            json!({"path": "a.txt", "content": "", "version": "x"}),
            Refused("INVALID_PARAMS"),
        ),
        ("worktree.diff", json!({"path": "a.txt", "version": "x"}), Refused("INVALID_PARAMS")),
        ("worktree.diff", json!({"path": "gone", "content": ""}), Refused("FILE_NOT_FOUND")),
        ("worktree.diff", json!({"path": "src", "content": ""}), Refused("NOT_A_FILE")),
        ("worktree.diff", json!({"path": "bin", "content": ""}), Refused("UNSUPPORTED_ENCODING")),
        (
            "worktree.diff",
            json!({"path": "../x", "content": ""}),
            Refused("PATH_OUTSIDE_WORKSPACE"),
        ),
        (
            "worktree.diff",
            json!({"fromPath": "a.txt", "toPath": "out/passwd"}),
            Refused("PATH_OUTSIDE_WORKSPACE"),
        ),
    ]);
}

#[test]
fn editing_has_its_fields_defaults_and_errors() {
    let server = stage();
    let mut caller = Caller::new(&server);
    let edit = |path: &str, old: &str, new: &str| json!({"path": path, "edits": [{"oldText": old, "newText": new}]});
    let with = |mut params: Value, name: &str, value: Value| {
        params[name] = value;
        params
    };
    let edited = |path: &str, more: Value| {
        let mut reply = json!({
            "path": path, "created": false, "dryRun": false, "replacements": 1, "edits": "*",
            "linesAdded": 1, "linesRemoved": 1, "diff": "*", "truncated": false, "redacted": false,
            "sizeBytes": "*", "modifiedAt": "*", "version": "*",
        });
        for (name, value) in more.as_object().unwrap() {
            reply[name] = value.clone();
            if value.is_null() {
                reply.as_object_mut().unwrap().remove(name);
            }
        }
        To(reply)
    };
    let stale =
        caller.call("worktree.read", json!({"path": "a.txt"}))["payload"]["version"].clone();
    let every =
        json!({"path": "many", "edits": [{"oldText": "x", "newText": "y", "replaceAll": true}]});
    fs::write(server.files("bird").join("many"), "x\nx\n").unwrap();
    caller.check(vec![
        (
            "worktree.edit",
            with(edit("a.txt", "two", "three"), "dryRun", true.into()),
            edited("a.txt", json!({"dryRun": true, "modifiedAt": null, "sizeBytes": 10})),
        ),
        ("worktree.edit", edit("a.txt", "two", "2"), edited("a.txt", json!({"sizeBytes": 6}))),
        ("worktree.edit", edit("a.txt", "two", "3"), Refused("TEXT_NOT_FOUND")),
        (
            "worktree.edit",
            with(edit("a.txt", "2", "3"), "expectedVersion", stale),
            Refused("CONFLICT"),
        ),
        (
            "worktree.edit",
            with(edit("a.txt", "2", "3"), "expectedVersion", "x".into()),
            Refused("INVALID_PARAMS"),
        ),
        ("worktree.edit", edit("many", "x", "y"), Refused("AMBIGUOUS_MATCH")),
        (
            "worktree.edit",
            every,
            edited("many", json!({"replacements": 2, "linesAdded": 2, "linesRemoved": 2})),
        ),
        // Near enough by default, and not where it must be exact.
        (
            "worktree.edit",
            with(edit("src/lib.rs", "fn main() {}  ", "fn other() {}"), "match", "exact".into()),
            Refused("TEXT_NOT_FOUND"),
        ),
        (
            "worktree.edit",
            edit("src/lib.rs", "fn main() {}  ", "fn other() {}"),
            edited("src/lib.rs", json!({})),
        ),
        (
            "worktree.edit",
            edit("new", "", "made\n"),
            edited(
                "new",
                json!({"created": true, "replacements": 0, "linesRemoved": 0, "sizeBytes": 5}),
            ),
        ),
        ("worktree.edit", json!({"path": "a.txt", "edits": []}), Refused("INVALID_PARAMS")),
        ("worktree.edit", edit("a.txt", "one", "one"), Refused("INVALID_PARAMS")),
        ("worktree.edit", edit("gone", "one", "two"), Refused("FILE_NOT_FOUND")),
        ("worktree.edit", edit("src", "one", "two"), Refused("NOT_A_FILE")),
        ("worktree.edit", edit("bin", "one", "two"), Refused("UNSUPPORTED_ENCODING")),
        ("worktree.edit", edit("../x", "one", "two"), Refused("PATH_OUTSIDE_WORKSPACE")),
        (
            "worktree.edit",
            with(edit("a.txt", "2", "3"), "encoding", "nope".into()),
            Refused("INVALID_ENCODING"),
        ),
        (
            "worktree.edit",
            json!({"path": "a.txt", "edits": [{"oldText": "2", "newText": "3", "all": true}]}),
            Refused("INVALID_PARAMS"),
        ),
    ]);
    assert_eq!(fs::read_to_string(server.files("bird").join("a.txt")).unwrap(), "one\n2\n");
    assert_eq!(fs::read_to_string(server.files("bird").join("many")).unwrap(), "y\ny\n");
}

#[test]
fn downloads_and_watches_have_their_fields_defaults_and_errors() {
    let server = stage();
    let mut caller = Caller::new(&server);
    let chunk = |content: &str, more: Value| {
        let mut reply = json!({
            "path": "a.txt", "content": STANDARD.encode(content), "encoding": "base64",
            "sizeBytes": 8, "modifiedAt": "*", "truncated": false, "redacted": false,
            "offset": 0, "state": "*", "version": "*",
        });
        for (name, value) in more.as_object().unwrap() {
            reply[name] = value.clone();
        }
        To(reply)
    };
    let watched = |path: &str, recursive: bool| {
        To(json!({"watchId": "*", "path": path, "recursive": recursive}))
    };
    caller.check(vec![
        ("worktree.download", json!({"path": "a.txt"}), chunk("one\ntwo\n", json!({}))),
        (
            "worktree.download",
            json!({"path": "a.txt", "offset": 0, "length": 3}),
            chunk("one", json!({"nextOffset": 3})),
        ),
        (
            "worktree.download",
            json!({"path": "a.txt", "offset": 4}),
            chunk("two\n", json!({"offset": 4})),
        ),
        ("worktree.download", json!({"path": "a.txt", "state": "0-0"}), Refused("CONFLICT")),
        (
            "worktree.download",
            json!({"path": "a.txt", "redact": false}),
            Refused("PERMISSION_DENIED"),
        ),
        ("worktree.download", json!({"path": "gone"}), Refused("FILE_NOT_FOUND")),
        ("worktree.download", json!({"path": "src"}), Refused("NOT_A_FILE")),
        ("worktree.download", json!({"path": "../x"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.watch", json!({}), watched("/", false)),
        ("worktree.watch", json!({"path": "src", "recursive": true}), watched("src", true)),
        (
            "worktree.watch",
            json!({"includeHidden": true, "includeIgnored": false}),
            watched("/", false),
        ),
        ("worktree.watch", json!({"path": "gone"}), Refused("FILE_NOT_FOUND")),
        ("worktree.watch", json!({"path": "../x"}), Refused("PATH_OUTSIDE_WORKSPACE")),
        ("worktree.unwatch", json!({"watchId": "w999"}), Refused("INVALID_PARAMS")),
    ]);
}

/// Uploads bytes under a name, and gives the id.
fn uploaded(client: &mut Client, params: Value, bytes: &[u8]) -> Value {
    let upload = client.ok("worktree.upload.begin", params)["uploadId"].clone();
    let content = STANDARD.encode(bytes);
    client
        .ok("worktree.upload.chunk", json!({"uploadId": upload, "offset": 0, "content": content}));
    upload
}

#[test]
fn uploads_have_their_fields_defaults_and_errors() {
    let server = stage();
    let mut client = server.client(&server.token(json!({"role": "agent", "agentId": "bird"})).0);
    let begun = client.ok("worktree.upload.begin", json!({"agentId": "bird", "path": "x/y"}));
    let id = begun["uploadId"].clone();
    assert_eq!(begun, json!({"uploadId": id, "maxBytes": begun["maxBytes"], "idleMs": 60_000}));
    let aborted = client.ok("worktree.upload.abort", json!({"uploadId": id}));
    assert_eq!(aborted, json!({"uploadId": id, "aborted": true}));
    // Missing directories are made, unless they are not to be.
    let begin = |path: &str, more: Value| {
        let mut params = json!({"agentId": "bird", "path": path});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let id = uploaded(&mut client, begin("made/f", json!({})), b"x");
    let told = client.ok("worktree.upload.commit", json!({"uploadId": id}));
    let expected = json!({
        "path": "made/f", "sizeBytes": 1, "created": true, "version": told["version"],
        "modifiedAt": told["modifiedAt"],
    });
    assert_eq!(told, expected);
    let mut commit = |params: Value| {
        let id = uploaded(&mut client, params, b"y");
        client.call("worktree.upload.commit", json!({"uploadId": id}))
    };
    let code = |reply: Value| reply["error"]["code"].as_str().unwrap_or("OK").to_owned();
    assert_eq!(code(commit(begin("no/f", json!({"createDirs": false})))), "PARENT_NOT_FOUND");
    assert_eq!(code(commit(begin("made/f", json!({"overwrite": false})))), "FILE_EXISTS");
    let version = json!({"expectedVersion": told["version"]});
    assert_eq!(code(commit(begin("made/f", version.clone()))), "OK");
    assert_eq!(code(commit(begin("made/f", version.clone()))), "CONFLICT");
    assert_eq!(code(commit(begin("src", json!({})))), "NOT_A_FILE");
    // What can never land is refused before anything is sent.
    for (path, code) in [("a.txt/x", "NOT_A_DIRECTORY"), ("out/x", "PATH_OUTSIDE_WORKSPACE")] {
        assert_eq!(client.refused("worktree.upload.begin", begin(path, json!({}))), code);
    }
    let mut both = version;
    both["overwrite"] = false.into();
    assert_eq!(client.refused("worktree.upload.begin", begin("made/f", both)), "INVALID_PARAMS");
}

/// The bytes of an archive, as they come.
fn archived(client: &mut Client, params: Value) -> (Value, Vec<u8>, Value) {
    let begun = client.ok("worktree.archive", params);
    let mut bytes = Vec::new();
    loop {
        let event = client.wait_for("a piece", |frame| {
            frame["payload"]["archiveId"] == begun["archiveId"] && frame["type"] == "event"
        });
        let payload = event["payload"].clone();
        if event["event"] == "worktree.archive.end" {
            return (begun, bytes, payload);
        }
        bytes.extend(STANDARD.decode(payload["content"].as_str().unwrap()).unwrap());
    }
}

#[test]
fn archives_have_their_fields_defaults_and_errors() {
    let server = stage();
    fs::remove_file(server.files("bird").join("out")).unwrap();
    let mut client = server.client(&server.token(json!({"role": "agent", "agentId": "bird"})).0);
    let about = |more: Value| {
        let mut params = json!({"agentId": "bird"});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let (begun, _, end) = archived(&mut client, about(json!({})));
    assert_eq!((&begun["format"], &begun["name"]), (&json!("tar"), &json!("bird.tar")));
    assert_eq!((&end["ok"], &end["summary"]["files"]), (&json!(true), &json!(6)), "{end}");
    let (begun, _, end) = archived(
        &mut client,
        about(json!({"path": "src", "format": "tar.zst", "exclude": ["*.rs"]})),
    );
    assert_eq!((&begun["format"], &begun["name"]), (&json!("tar.zst"), &json!("src.tar.zst")));
    assert_eq!(end["summary"]["files"], 1, "{end}");
    for (params, code) in [
        (json!({"format": "rar"}), "INVALID_PARAMS"),
        (json!({"path": "gone"}), "FILE_NOT_FOUND"),
        (json!({"path": "../x"}), "PATH_OUTSIDE_WORKSPACE"),
        (json!({"exclude": ["[a"]}), "INVALID_PATTERN"),
        (json!({"redact": false}), "PERMISSION_DENIED"),
    ] {
        assert_eq!(client.refused("worktree.archive", about(params.clone())), code, "{params}");
    }
    let (_, bytes, _) = archived(&mut client, about(json!({"path": "src"})));
    let up = |client: &mut Client| uploaded(client, about(json!({"path": "t.tar"})), &bytes);
    let mut other = server.client(&server.token(json!({"role": "agent", "agentId": "bird"})).0);
    // One that is refused for its format is still there.
    let id = up(&mut other);
    let mut params = about(json!({"path": "back", "format": "rar", "uploadId": id}));
    assert_eq!(other.refused("worktree.restore", params.clone()), "INVALID_PARAMS");
    params.as_object_mut().unwrap().remove("format");
    let told = other.ok("worktree.restore", params.clone());
    let fields = ["entries", "files", "dirs", "links", "sizeBytes", "leftOut", "replaced"];
    assert_eq!(told.as_object().unwrap().len(), fields.len(), "{told}");
    assert_eq!((&told["files"], &told["replaced"]), (&json!(2), &json!(0)), "{told}");
    // What is there stays, unless it is said.
    let mut again = |more: Value| {
        let mut params = about(more);
        params["uploadId"] = up(&mut other);
        other.call("worktree.restore", params)
    };
    let refused = again(json!({"path": "back"}));
    assert_eq!(refused["error"]["code"], "DESTINATION_EXISTS", "{refused}");
    let told = again(json!({"path": "back", "overwrite": true}));
    assert_eq!(told["payload"]["replaced"], 2, "{told}");
    let told = again(json!({"path": "flat", "strip": 1}));
    assert_eq!(told["ok"], true, "{told}");
    assert!(server.files("bird").join("flat/x").exists());
    let wrong = again(json!({"path": "z", "format": "zip"}));
    assert_eq!(wrong["ok"], false, "{wrong}");
    let outside = again(json!({"path": "../x"}));
    assert_eq!(outside["error"]["code"], "PATH_OUTSIDE_WORKSPACE", "{outside}");
}

#[test]
fn terminals_have_their_bounds_and_errors() {
    let server: Server = stage();
    let mut caller = Caller::new(&server);
    let gone = |more: Value| {
        let mut params = json!({"sessionId": "t999"});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    caller.check(vec![
        ("terminal.open", json!({"cols": 0, "rows": 24}), Refused("INVALID_PARAMS")),
        ("terminal.open", json!({"cols": 80, "rows": 2_001}), Refused("INVALID_PARAMS")),
        (
            "terminal.attach",
            json!({"processId": "p999", "cols": 80, "rows": 0}),
            Refused("INVALID_PARAMS"),
        ),
        (
            "terminal.attach",
            json!({"processId": "heron", "cols": 80, "rows": 24}),
            Refused("INVALID_PARAMS"),
        ),
        ("terminal.input", gone(json!({"data": "x"})), Refused("INVALID_PARAMS")),
        ("terminal.resize", gone(json!({"cols": 80, "rows": 24})), Refused("INVALID_PARAMS")),
        ("terminal.close", gone(json!({})), Refused("INVALID_PARAMS")),
    ]);
    let open = json!({"cols": 80, "rows": 24, "command": "cat", "workdir": "src"});
    let opened = caller.call("terminal.open", open);
    if opened["error"]["code"] == "PROVIDER_UNAVAILABLE" {
        println!("skipped: no sandbox can be made here");
        return;
    }
    let session = opened["payload"]["sessionId"].clone();
    let expected = json!({
        "sessionId": session, "agentId": "bird", "shell": "bash", "cwd": "src", "confined": true,
    });
    assert_eq!(opened["payload"], expected, "{opened}");
    let of = |more: Value| {
        let mut params = json!({"sessionId": session});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    caller.check(vec![
        (
            "terminal.input",
            of(json!({"data": "%", "encoding": "base64"})),
            Refused("INVALID_ENCODING"),
        ),
        ("terminal.input", of(json!({"data": "x\n"})), To(json!({"ok": true}))),
        ("terminal.resize", of(json!({"cols": 1, "rows": 1})), To(json!({"ok": true}))),
        ("terminal.resize", of(json!({"cols": 0, "rows": 1})), Refused("INVALID_PARAMS")),
        ("terminal.close", of(json!({})), To(json!({"ok": true}))),
        (
            "terminal.open",
            json!({"cols": 80, "rows": 24, "workdir": "../x"}),
            Refused("PATH_OUTSIDE_WORKSPACE"),
        ),
    ]);
}
