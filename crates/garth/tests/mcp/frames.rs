//! Messages that are none, too long, cut or out of turn.

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::client::Client;

/// A call that works, to see that the server still does.
fn works(client: &mut Client) {
    let result = client.call("read", &json!({"path": "a.txt"}));
    assert_eq!(result["content"][0]["text"], "1: hello");
}

fn directory() -> tempfile::TempDir {
    let root = tempdir().unwrap();
    std::fs::write(root.path().join("a.txt"), "hello\n").unwrap();
    root
}

#[test]
fn a_malformed_message_is_answered_and_the_next_call_works() {
    let root = directory();
    let mut client = Client::start(root.path(), &[]);
    for (bytes, code, id) in [
        (&b"{\"jsonrpc\":\n"[..], -32700, Value::Null),
        (b"nonsense\n", -32700, Value::Null),
        (b"\xff\xfe\n", -32700, Value::Null),
        (b"[1,2,3]\n", -32600, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":77}\n", -32600, json!(77)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":78,\"method\":\"no/such\"}\n", -32601, json!(78)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":79,\"method\":\"prompts/list\"}\n", -32601, json!(79)),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":79,\"method\":\"tools/call\",\"params\":{\"name\":5}}\n",
            -32602,
            json!(79),
        ),
    ] {
        client.send_raw(bytes);
        let answer = client.next();
        let shown = String::from_utf8_lossy(bytes);
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert_eq!(answer["id"], id, "{shown}: {answer}");
        works(&mut client);
    }
}

#[test]
fn empty_lines_and_unknown_notifications_are_passed_over() {
    let root = directory();
    let mut client = Client::start(root.path(), &[]);
    client.send_raw(b"\n   \n\r\n");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/no/such", "params": {"a": 1}}));
    works(&mut client);
}

#[test]
fn a_message_in_two_halves_is_one() {
    let root = directory();
    let mut client = Client::start(root.path(), &[]);
    let message = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/list"}).to_string();
    let (head, tail) = message.split_at(20);
    client.send_raw(head.as_bytes());
    client.send_raw(tail.as_bytes());
    client.send_raw(b"\r\n");
    assert_eq!(client.answer(5)["result"]["tools"][0]["name"], "read");
}

#[test]
fn a_message_without_an_end_fills_no_memory() {
    let root = directory();
    let mut client = Client::start(root.path(), &[]);
    let before = client.peak_megabytes();
    let block = vec![b'x'; 1 << 20];
    for _ in 0..300 {
        client.send_raw(&block);
    }
    client.send_raw(b"\n");
    let answer = client.next();
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("bytes"), "{answer}");
    works(&mut client);
    let grown = client.peak_megabytes() - before;
    println!("300 MB in one message: {grown} MB more memory at the most");
    assert!(grown < 100, "{grown} MB");
}

#[test]
fn a_message_that_is_cut_by_the_end_is_dropped_and_the_server_ends_well() {
    let root = directory();
    let mut client = Client::start(root.path(), &[]);
    client.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/li");
    let (rest, code) = client.close();
    assert_eq!((rest.len(), code), (0, Some(0)));
}

#[test]
fn what_was_asked_for_before_the_end_is_answered() {
    let root = directory();
    let mut client = Client::start(root.path(), &[]);
    let command = json!({"command": "cat a.txt"});
    client.call("bash", &command);
    let calls: Vec<u64> = (0..5).map(|_| client.begin("bash", &command)).collect();
    let (rest, code) = client.close();
    let answered = |id: &u64| rest.iter().any(|answer| answer["id"] == *id);
    assert!(calls.iter().all(answered), "{} of {}", rest.len(), calls.len());
    assert_eq!(code, Some(0));
}

#[test]
fn a_call_that_takes_long_keeps_no_server_whose_client_has_ended() {
    let root = directory();
    let mut client = Client::start(root.path(), &[]);
    let call = client.begin("bash", &json!({"command": "sleep 300"}));
    let (rest, code) = client.close();
    assert!(!rest.iter().any(|answer| answer["id"] == call && answer["result"].is_object()));
    assert_eq!(code, Some(0));
}

#[test]
fn a_client_that_leaves_before_it_says_anything_ends_the_server() {
    let root = directory();
    let (rest, code) = Client::bare(root.path(), &[]).close();
    assert_eq!((rest.len(), code), (0, Some(0)));
}

#[test]
fn both_eras_are_served() {
    let root = directory();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::bare(root.path(), &[]);
        client.read_on();
        let named = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": named});
        let answer = client.ask("initialize", &params);
        assert_eq!(answer["result"]["protocolVersion"], version);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        works(&mut client);
    }
    let mut client = Client::bare(root.path(), &[]);
    client.read_on();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let answer = client.ask("server/discover", &json!({"_meta": meta}));
    let versions = answer["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")));
    let answer = client.ask("tools/list", &json!({"_meta": meta}));
    assert_eq!(answer["result"]["resultType"], "complete");
    assert!(
        answer["result"]["ttlMs"].as_u64().unwrap() > 0
            && answer["result"]["cacheScope"].is_string()
    );
    let call = json!({"_meta": meta, "name": "read", "arguments": {"path": "a.txt"}});
    let answer = client.ask("tools/call", &call);
    assert_eq!(answer["result"]["content"][0]["text"], "1: hello", "{answer}");
}
