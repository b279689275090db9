//! Changes of files, told as they happen.

use std::fs;

use serde_json::{Value, json};

use crate::{
    client::{Client, End},
    server::{Server, until},
};

/// A directory that is watched.
fn watched(client: &mut Client, params: Value) -> String {
    let told = client.ok("worktree.watch", params);
    told["watchId"].as_str().unwrap().to_owned()
}

/// How many watches the gateway counts for a caller are left: as many as can be opened.
fn can_open_all(server: &Server, token: &str, agent: &str) -> bool {
    let mut client = server.client(token);
    let replies: Vec<_> =
        (0..10).map(|_| client.call("worktree.watch", json!({"agentId": agent}))).collect();
    replies.iter().all(|reply| reply["ok"] == true)
}

/// A token whose requests a minute no test reaches.
fn roomy(server: &Server, agent: &str) -> String {
    let limits = json!({"requestsPerMinute": 100_000});
    server
        .operator()
        .ok("agents.create", json!({"agentId": agent, "settings": {"limits": limits}}));
    server.token(json!({"role": "agent", "agentId": agent})).0
}

#[test]
fn changes_are_told_with_what_and_where() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let files = server.files("bird");
    fs::create_dir(files.join("nest")).unwrap();
    let told =
        client.ok("worktree.watch", json!({"agentId": "bird", "path": "nest", "recursive": true}));
    let watch = told["watchId"].clone();
    assert_eq!(told, json!({"watchId": watch, "path": "nest", "recursive": true}));
    let mut seq = 0;
    // A write is several changes, of which those of a moment come as one.
    let mut told = |client: &mut Client, path: &str, change: &str| {
        loop {
            let event = client.event("worktree.changed");
            seq += 1;
            if event["changeType"] != change && event["changeType"] == "modified" {
                continue;
            }
            let expected = json!({
                "agentId": "bird", "path": path, "changeType": change, "watchId": watch, "seq": seq,
            });
            assert_eq!(event, expected);
            return;
        }
    };
    fs::write(files.join("nest/egg"), "1").unwrap();
    told(&mut client, "nest/egg", "created");
    fs::write(files.join("nest/egg"), "2").unwrap();
    told(&mut client, "nest/egg", "modified");
    fs::remove_file(files.join("nest/egg")).unwrap();
    told(&mut client, "nest/egg", "deleted");
    // What happens elsewhere is not told; what is below is.
    fs::write(files.join("elsewhere"), "x").unwrap();
    fs::create_dir(files.join("nest/below")).unwrap();
    told(&mut client, "nest/below", "created");
    let new = json!({"agentId": "bird", "path": "nest/below/new", "content": "x"});
    client.ok("worktree.write", new);
    told(&mut client, "nest/below/new", "created");
}

#[test]
fn what_is_not_asked_for_is_not_told() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let files = server.files("bird");
    fs::create_dir(files.join("nest")).unwrap();
    fs::write(files.join(".gitignore"), "ignored\n").unwrap();
    watched(&mut client, json!({"agentId": "bird", "includeIgnored": false}));
    for unseen in ["nest/below", ".hidden", "ignored"] {
        fs::write(files.join(unseen), "x").unwrap();
    }
    fs::write(files.join("seen"), "x").unwrap();
    assert_eq!(client.event("worktree.changed")["path"], "seen");
    let mut all = server.client(&server.token(json!({"role": "agent", "agentId": "bird"})).0);
    watched(&mut all, json!({"agentId": "bird", "includeHidden": true}));
    fs::write(files.join(".hidden"), "y").unwrap();
    assert_eq!(all.event("worktree.changed")["path"], ".hidden");
}

#[test]
fn a_watch_ends_when_it_is_asked_to() {
    let server = Server::start();
    let token = roomy(&server, "bird");
    let mut client = server.client(&token);
    let first = watched(&mut client, json!({"agentId": "bird"}));
    let second = watched(&mut client, json!({"agentId": "bird"}));
    // Whose it is need not be said: the connection knows.
    assert_eq!(
        client.ok("worktree.unwatch", json!({"watchId": first})),
        json!({"watchId": first, "ended": true})
    );
    fs::write(server.files("bird").join("a"), "x").unwrap();
    assert_eq!(client.event("worktree.changed")["watchId"], second.as_str());
    for gone in [first.as_str(), "w999", "t1", ""] {
        let params = json!({"agentId": "bird", "watchId": gone});
        assert_eq!(client.refused("worktree.unwatch", params), "INVALID_PARAMS");
    }
    // What another connection opened is not known here.
    let mut other = server.client(&token);
    let params = json!({"agentId": "bird", "watchId": second});
    assert_eq!(other.refused("worktree.unwatch", params), "INVALID_PARAMS");
}

#[test]
fn watches_have_a_bound_and_end_with_what_they_hang_on() {
    let server = Server::start();
    let token = roomy(&server, "bird");
    let mut client = server.client(&token);
    for _ in 0..10 {
        watched(&mut client, json!({"agentId": "bird"}));
    }
    let reply = client.call("worktree.watch", json!({"agentId": "bird"}));
    assert_eq!(reply["error"]["code"], "RATE_LIMIT_EXCEEDED");
    assert!(reply["error"]["retryAfterMs"].as_u64().unwrap() > 0);
    // They end with the connection, however it ends.
    client.drop_dead();
    until("the places are free again", || can_open_all(&server, &token, "bird"));
}

#[test]
fn a_watch_of_an_agent_that_is_deleted_says_so_and_ends() {
    let server = Server::start();
    let mut operator = server.operator();
    operator.ok("agents.create", json!({"agentId": "bird"}));
    let watch = watched(&mut operator, json!({"agentId": "bird"}));
    let mut agent = server.client(&server.token(json!({"role": "agent", "agentId": "bird"})).0);
    watched(&mut agent, json!({"agentId": "bird"}));
    server.operator().ok("agents.delete", json!({"agentId": "bird"}));
    assert_eq!(operator.event("worktree.unwatched")["watchId"], watch.as_str());
    assert_eq!(agent.end(), End::Code(1008));
    operator.ok("worktree.list", json!({"agentId": "default"}));
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let server = Server::start();
    let mut client = server.agent("bird");
    for (params, code) in [
        (json!({"agentId": "bird", "path": "missing"}), "FILE_NOT_FOUND"),
        (json!({"agentId": "bird", "path": "../.."}), "PATH_OUTSIDE_WORKSPACE"),
        (json!({"agentId": "bird", "path": "/etc"}), "PATH_OUTSIDE_WORKSPACE"),
        (json!({"agentId": "bird", "path": 7}), "INVALID_PARAMS"),
        (json!({"agentId": "bird", "depth": 7}), "INVALID_PARAMS"),
    ] {
        assert_eq!(client.refused("worktree.watch", params.clone()), code, "{params}");
    }
}

#[test]
fn a_client_that_reads_nothing_is_told_to_look_again_and_others_go_on() {
    let server = Server::start();
    let token = roomy(&server, "bird");
    let files = server.files("bird");
    let deep = files.join(["n".repeat(200).as_str(); 10].join("/"));
    fs::create_dir_all(&deep).unwrap();
    let mut slow = server.client(&token);
    slow.narrow();
    watched(&mut slow, json!({"agentId": "bird", "recursive": true}));
    let before = server.megabytes();
    // Far more than the sockets, the outbox and the watch keep together.
    let most = 14_000;
    for number in 0..most {
        fs::write(deep.join(number.to_string()), "").unwrap();
    }
    let mut quick = server.client(&token);
    quick.ok("worktree.stat", json!({"agentId": "bird", "path": "/"}));
    fs::write(files.join("last"), "").unwrap();
    // Everything is told in order without a gap, or it is said that it is not.
    let (mut seq, mut resyncs, mut told) = (0, 0, 0);
    loop {
        let frame = slow.wait_for("an event", |frame| frame["type"] == "event");
        let payload = &frame["payload"];
        match frame["event"].as_str().unwrap() {
            "worktree.changed" => told += 1,
            "worktree.resync" => resyncs += 1,
            "tick" => continue,
            other => panic!("{other}"),
        }
        seq += 1;
        assert_eq!(payload["seq"], seq);
        if payload["path"] == "last" {
            break;
        }
        if frame["event"] == "worktree.resync" {
            // What was lost may be the last one: it is looked for as a client would.
            let listed = slow.ok("worktree.stat", json!({"agentId": "bird", "path": "last"}));
            assert_eq!(listed["name"], "last");
            fs::write(files.join("last"), "again").unwrap();
        }
    }
    let grown = server.megabytes().saturating_sub(before);
    println!("{most} changes: {told} told, {resyncs} resyncs, {grown} MB more");
    assert!(grown < 200, "{grown} MB");
    assert!(resyncs > 0 && told < most, "more was kept than should be");
}
