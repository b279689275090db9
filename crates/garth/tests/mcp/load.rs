//! Floods, clients that do not read, and calls that are given up.

use std::{collections::HashSet, fmt::Write as _};

use serde_json::json;
use tempfile::tempdir;

use crate::client::Client;

#[test]
fn ten_thousand_calls_at_once_are_all_answered() {
    const CALLS: usize = 10_000;
    let root = tempdir().unwrap();
    std::fs::write(root.path().join("a.txt"), "hello\n".repeat(100)).unwrap();
    let mut client = Client::start(root.path(), &[]);
    let ids: HashSet<u64> =
        (0..CALLS).map(|_| client.begin("read", &json!({"path": "a.txt"}))).collect();
    let mut answered = HashSet::new();
    while answered.len() < CALLS {
        let message = client.next();
        assert!(message["result"]["content"][0]["text"].as_str().unwrap().starts_with("1: hello"));
        assert!(answered.insert(message["id"].as_u64().unwrap()), "answered twice");
    }
    assert_eq!(answered, ids);
    let peak = client.peak_megabytes();
    println!("{CALLS} calls at once: {peak} MB at the most");
    assert!(peak < 200, "{peak} MB");
}

#[test]
fn a_client_that_stops_reading_fills_no_memory_and_is_served_when_it_reads_again() {
    const CALLS: usize = 2_000;
    let root = tempdir().unwrap();
    let line = format!("{}\n", "x".repeat(200));
    std::fs::write(root.path().join("large.txt"), line.repeat(1_000)).unwrap();
    let mut client = Client::bare(root.path(), &[]);
    let named = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": named});
    client.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    // All the answers together are 400 MB, and nobody reads them yet.
    let ids: Vec<u64> =
        (0..CALLS).map(|_| client.begin("read", &json!({"path": "large.txt"}))).collect();
    client.read_on();
    let mut left: HashSet<u64> = ids.into_iter().collect();
    while !left.is_empty() {
        let message = client.next();
        left.remove(&message["id"].as_u64().unwrap());
    }
    let peak = client.peak_megabytes();
    println!("{CALLS} answers of 200 KB that were not read: {peak} MB at the most");
    assert!(peak < 200, "{peak} MB");
    assert_eq!(client.call("stat", &json!({"path": "large.txt"}))["isError"], false);
}

#[test]
fn a_search_that_is_cancelled_is_not_answered_and_the_next_call_is() {
    let root = tempdir().unwrap();
    let mut text = String::new();
    for number in 0..20_000 {
        let _ = writeln!(text, "line {number} with nothing in it that anybody looks for");
    }
    for number in 0..100 {
        std::fs::write(root.path().join(format!("{number}.txt")), &text).unwrap();
    }
    let mut client = Client::start(root.path(), &[]);
    let search = json!({"pattern": "(a|b|c)(.*)(d|e|f)(.*)zzzz", "output": "count"});
    for _ in 0..10 {
        let id = client.begin("grep", &search);
        let params = json!({"requestId": id, "reason": "not wanted any more"});
        client.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
        );
        let next = client.begin("stat", &json!({"path": "0.txt"}));
        let answer = client.next();
        assert_eq!(answer["id"], next, "{answer}");
    }
    let (rest, code) = client.close();
    assert_eq!((rest.len(), code), (0, Some(0)), "{rest:?}");
}

#[test]
fn a_server_whose_client_is_gone_ends() {
    let root = tempdir().unwrap();
    std::fs::write(root.path().join("a.txt"), "hello\n").unwrap();
    let mut client = Client::start(root.path(), &[]);
    for _ in 0..100 {
        client.begin("read", &json!({"path": "a.txt"}));
    }
    let (rest, code) = client.close();
    assert_eq!((rest.len(), code), (100, Some(0)), "what was asked is answered before the end");
}
