//! Those who are not let in: each is counted, and few records tell of all.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Instant,
};

use serde_json::{Value, json};

use crate::{
    client::Client,
    server::{PATIENCE, Server, audit},
};

/// Asks by HTTP, and gives all that is answered.
fn get(server: &Server, path: &str, token: &str) -> String {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said
}

/// How many a record tells of, with these words.
fn told(record: &Value, words: &str) -> u64 {
    let summary = record["summary"].as_str().unwrap();
    let parts = summary.split("; ").find_map(|part| part.strip_prefix(words)?.strip_prefix(": "));
    parts.map_or(0, |count| count.parse().unwrap())
}

#[test]
fn wrong_tokens_are_counted_and_recorded_together() {
    let mut server = Server::start();
    let begun = Instant::now();
    let bearer = "Bearer garth_nobody";
    for _ in 0..3 {
        let refused = Client::try_with(&server.address, &[("authorization", bearer)]).err();
        assert_eq!(refused, Some(401));
        let mut stranger = Client::bare(&server.address);
        stranger.event("connect.challenge");
        let wrong = json!({"auth": {"token": "garth_nobody"}});
        assert_eq!(stranger.refused("connect", wrong), "UNAUTHENTICATED");
        let mut stranger = Client::bare(&server.address);
        stranger.event("connect.challenge");
        assert_eq!(stranger.refused("agents.list", json!({})), "UNAUTHENTICATED");
    }
    // Each waits for its answer, so several come at once.
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let said = get(&server, "/v1/workspaces", "garth_nobody");
                    assert!(said.starts_with("HTTP/1.1 401"), "{said}");
                }
            });
        }
    });
    let page = get(&server, "/metrics", &server.operator);
    for (brought, count) in [("nothing", 3), ("token", 106), ("ticket", 0)] {
        let line = format!("garth_strangers_total{{brought=\"{brought}\"}} {count}\n");
        assert!(page.contains(&line), "{page}");
    }
    // A good token is not among them.
    server.operator().ok("agents.list", json!({}));
    assert_eq!(server.ended(), Some(0));
    let exported = audit(&["export", "--operation", "authenticate"], server.data());
    let records: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sum = |words: &str| records.iter().map(|record| told(record, words)).sum::<u64>();
    assert_eq!((sum("wrong token"), sum("no token")), (106, 3), "{records:#?}");
    // One at once, one for each ten seconds, one at the end.
    let most = 3 + begun.elapsed().as_secs() / 10;
    assert!(records.len() as u64 <= most, "{records:#?}");
    for record in &records {
        assert_eq!(record["outcome"], "UNAUTHENTICATED");
        assert_eq!((&record["caller"], &record["role"]), (&json!(""), &json!("")));
        assert!(record["summary"].as_str().unwrap().contains("from 127.0.0.1: "), "{record}");
    }
    // The first has a record of its own, which was there before it was answered.
    assert_eq!(told(&records[0], "wrong token"), 1);
    let verified: Value =
        serde_json::from_str(&audit(&["verify", "--json"], server.data())).unwrap();
    assert_eq!(verified["payload"]["sound"], true, "{verified}");
}
