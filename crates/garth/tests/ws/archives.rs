//! Trees in pieces over the connection, and back from an upload.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;

use crate::server::Server;

#[test]
fn a_tree_comes_in_pieces_and_is_restored_from_an_upload() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let root = server.files("bird");
    fs::create_dir_all(root.join("src")).unwrap();
    let noise: Vec<u8> =
        (0..700_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24).to_le_bytes()[0]).collect();
    fs::write(root.join("src/noise.bin"), &noise).unwrap();
    fs::write(root.join("src/a.txt"), "a\n").unwrap();
    let begun =
        client.ok("worktree.archive", json!({"agentId": "bird", "path": "src", "format": "zip"}));
    assert_eq!((&begun["format"], &begun["name"]), (&json!("zip"), &json!("src.zip")));
    let (mut bytes, mut seq) = (Vec::new(), 0);
    let end = loop {
        let event = client.wait_for("a piece", |frame| {
            let name = frame["event"].as_str().unwrap_or_default();
            name.starts_with("worktree.archive.")
        });
        let payload = &event["payload"];
        seq += 1;
        assert_eq!((&payload["archiveId"], &payload["seq"]), (&begun["archiveId"], &json!(seq)));
        if event["event"] == "worktree.archive.end" {
            break payload.clone();
        }
        bytes.extend(STANDARD.decode(payload["content"].as_str().unwrap()).unwrap());
    };
    assert_eq!((&end["ok"], &end["summary"]["files"]), (&json!(true), &json!(2)), "{end}");
    let upload = client.ok("worktree.upload.begin", json!({"agentId": "bird", "path": "back.zip"}));
    let upload = upload["uploadId"].as_str().unwrap();
    let content = STANDARD.encode(&bytes);
    client
        .ok("worktree.upload.chunk", json!({"uploadId": upload, "offset": 0, "content": content}));
    let params = json!({"agentId": "bird", "path": "back", "uploadId": upload});
    let restored = client.ok("worktree.restore", params.clone());
    assert_eq!((&restored["files"], &restored["leftOut"]), (&json!(2), &json!(0)));
    assert_eq!(fs::read(root.join("back/noise.bin")).unwrap(), noise);
    assert!(!root.join("back.zip").exists());
    assert_eq!(client.refused("worktree.restore", params), "INVALID_PARAMS");
    let nothing = json!({"agentId": "bird", "path": "back"});
    assert_eq!(client.refused("worktree.restore", nothing), "INVALID_PARAMS");
}
