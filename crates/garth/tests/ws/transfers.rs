//! Large files in chunks, up and down.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{
    client::Client,
    server::{PATIENCE, Server},
};

fn begun(client: &mut Client, params: Value) -> String {
    let told = client.ok("worktree.upload.begin", params);
    told["uploadId"].as_str().unwrap().to_owned()
}

fn sent(client: &mut Client, upload: &str, offset: usize, bytes: &[u8]) -> Value {
    let content = STANDARD.encode(bytes);
    client.call(
        "worktree.upload.chunk",
        json!({"uploadId": upload, "offset": offset, "content": content}),
    )
}

#[test]
fn a_file_goes_up_and_down_in_chunks_and_is_the_same() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let bytes: Vec<u8> =
        (0..9_000_001_u32).map(|number| number.wrapping_mul(31).to_le_bytes()[1]).collect();
    let upload = begun(&mut client, json!({"agentId": "bird", "path": "new/large.bin"}));
    let mut at = 0;
    for chunk in bytes.chunks(4 << 20) {
        let reply = sent(&mut client, &upload, at, chunk);
        at += chunk.len();
        assert_eq!(reply["payload"]["receivedBytes"], at, "{reply}");
        assert!(
            !server.files("bird").join("new/large.bin").exists(),
            "it lands whole or not at all"
        );
    }
    let told = client.ok("worktree.upload.commit", json!({"uploadId": upload}));
    assert_eq!(
        (&told["path"], &told["sizeBytes"], &told["created"]),
        (&json!("new/large.bin"), &json!(bytes.len()), &json!(true))
    );
    assert!(told["modifiedAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(fs::read(server.files("bird").join("new/large.bin")).unwrap(), bytes);
    let (mut got, mut offset, mut state) = (Vec::new(), json!(0), Value::Null);
    while !offset.is_null() {
        let params = json!({"agentId": "bird", "path": "new/large.bin", "offset": offset, "length": 4 << 20, "state": state});
        let mut chunk = client.ok("worktree.download", params);
        got.extend(STANDARD.decode(chunk["content"].as_str().unwrap()).unwrap());
        assert_eq!(chunk["sizeBytes"], bytes.len());
        state = chunk["state"].take();
        offset = chunk["nextOffset"].take();
    }
    assert_eq!(got, bytes);
    // A file that changed meanwhile is not joined with what it was.
    fs::write(server.files("bird").join("new/large.bin"), "other").unwrap();
    let params = json!({"agentId": "bird", "path": "new/large.bin", "offset": 1, "state": state});
    assert_eq!(client.refused("worktree.download", params), "CONFLICT");
}

#[test]
fn chunks_that_nobody_waits_for_arrive_in_their_order_whether_long_or_short() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let upload = begun(&mut client, json!({"agentId": "bird", "path": "a"}));
    let mut whole = Vec::new();
    for (letter, length) in (b'a'..=b'z').zip([100_000, 5].into_iter().cycle()) {
        let chunk = vec![letter; length];
        let content = STANDARD.encode(&chunk);
        let params = json!({"uploadId": upload, "offset": whole.len(), "content": content});
        client.begin("worktree.upload.chunk", params);
        whole.extend(chunk);
    }
    let told = client.ok("worktree.upload.commit", json!({"uploadId": upload}));
    assert_eq!(told["sizeBytes"], whole.len());
    assert_eq!(fs::read(server.files("bird").join("a")).unwrap(), whole);
}

#[test]
fn chunks_follow_each_other_and_a_guard_holds_until_the_commit() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let file = server.files("bird").join("a");
    fs::write(&file, "old").unwrap();
    let version =
        client.ok("worktree.read", json!({"agentId": "bird", "path": "a"}))["version"].clone();
    let upload =
        begun(&mut client, json!({"agentId": "bird", "path": "a", "expectedVersion": version}));
    assert_eq!(sent(&mut client, &upload, 0, b"new ")["ok"], true);
    let wrong = sent(&mut client, &upload, 0, b"new ");
    assert_eq!(
        (&wrong["error"]["code"], &wrong["error"]["details"]["position"]),
        (&json!("CONFLICT"), &json!(4))
    );
    assert_eq!(sent(&mut client, &upload, 4, b"text")["ok"], true);
    let bad = json!({"uploadId": upload, "offset": 8, "content": "%%%"});
    assert_eq!(client.refused("worktree.upload.chunk", bad), "INVALID_ENCODING");
    fs::write(&file, "changed").unwrap();
    assert_eq!(client.refused("worktree.upload.commit", json!({"uploadId": upload})), "CONFLICT");
    assert_eq!(fs::read_to_string(&file).unwrap(), "changed");
    let again = json!({"agentId": "bird", "uploadId": upload});
    assert_eq!(client.refused("worktree.upload.commit", again), "INVALID_PARAMS");
    // One that must not be there yet.
    let upload = begun(&mut client, json!({"agentId": "bird", "path": "a", "overwrite": false}));
    assert_eq!(
        client.refused("worktree.upload.commit", json!({"uploadId": upload})),
        "FILE_EXISTS"
    );
    // One whose bytes are not those that were meant.
    let upload = begun(&mut client, json!({"agentId": "bird", "path": "a"}));
    let mixed = json!({"uploadId": upload, "version": version});
    assert_eq!(client.refused("worktree.upload.commit", mixed), "CONFLICT");
    // One that is given up.
    let upload = begun(&mut client, json!({"agentId": "bird", "path": "b"}));
    sent(&mut client, &upload, 0, b"x");
    client.ok("worktree.upload.abort", json!({"uploadId": upload}));
    assert_eq!(
        client.refused("worktree.upload.commit", json!({"agentId": "bird", "uploadId": upload})),
        "INVALID_PARAMS"
    );
    assert!(!server.files("bird").join("b").exists());
}

#[test]
fn what_is_not_committed_leaves_nothing_of_itself() {
    let server = Server::start();
    let directory = server.files("bird");
    let mut client = server.agent("bird");
    let temporary = || {
        let entries = fs::read_dir(&directory).unwrap().map(Result::unwrap);
        entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".tmp")).count()
    };
    for path in ["a", "deep/er/b"] {
        let upload = begun(&mut client, json!({"agentId": "bird", "path": path}));
        sent(&mut client, &upload, 0, b"x");
    }
    assert_eq!(temporary(), 2);
    let upload = begun(&mut client, json!({"agentId": "bird", "path": "c"}));
    client.ok("worktree.upload.abort", json!({"uploadId": upload}));
    drop(client);
    let until = std::time::Instant::now() + PATIENCE;
    while temporary() > 0 {
        assert!(std::time::Instant::now() < until, "something is left");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(!directory.join("a").exists() && !directory.join("deep").exists());
}

#[test]
fn uploads_have_bounds() {
    let server = Server::start();
    let mut client = server.agent("bird");
    for (params, code) in [
        (json!({"agentId": "bird", "path": "../a"}), "PATH_OUTSIDE_WORKSPACE"),
        (json!({"agentId": "bird", "path": "/"}), "NOT_A_FILE"),
        (json!({"agentId": "bird"}), "INVALID_PARAMS"),
        (json!({"agentId": "bird", "path": "a", "expectedVersion": "x"}), "INVALID_PARAMS"),
        (json!({"agentId": "other", "path": "a"}), "PERMISSION_DENIED"),
    ] {
        assert_eq!(client.refused("worktree.upload.begin", params.clone()), code, "{params}");
    }
    for number in 0..4 {
        begun(&mut client, json!({"agentId": "bird", "path": format!("f{number}")}));
    }
    let more = json!({"agentId": "bird", "path": "more"});
    assert_eq!(client.refused("worktree.upload.begin", more), "QUOTA_EXCEEDED");
}

#[test]
fn a_secret_that_was_shown_as_a_placeholder_survives_an_upload() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let file = server.files("bird").join("env");
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    fs::write(&file, format!("token = \"{secret}\"\n")).unwrap();
    let shown = client.ok("worktree.read", json!({"agentId": "bird", "path": "env"}));
    let shown = shown["content"].as_str().unwrap().to_owned();
    assert!(!shown.contains(secret));
    let chunk = client.ok("worktree.download", json!({"agentId": "bird", "path": "env"}));
    let chunk = STANDARD.decode(chunk["content"].as_str().unwrap()).unwrap();
    assert_eq!(String::from_utf8(chunk).unwrap(), shown);
    let upload = begun(&mut client, json!({"agentId": "bird", "path": "env"}));
    sent(&mut client, &upload, 0, format!("{shown}more\n").as_bytes());
    client.ok("worktree.upload.commit", json!({"uploadId": upload}));
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("token = \"{secret}\"\nmore\n"));
}
