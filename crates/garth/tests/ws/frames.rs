//! Frames as they should be and as they should not: the right code, and the connection
//! kept where that is safe.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::{
    client::{Client, End},
    server::{Server, until},
};

fn code(frame: &Value) -> &str {
    frame["error"]["code"].as_str().unwrap()
}

#[test]
fn what_is_no_request_is_answered_and_the_connection_is_kept() {
    let server = Server::start();
    let mut client = server.operator();
    let deep = "[".repeat(200_000);
    let deep_params = format!(
        r#"{{"type":"req","id":"d","method":"worktree.list","params":{}1{}}}"#,
        r#"{"a":"#.repeat(50_000),
        "}".repeat(50_000)
    );
    let long = format!(r#"{{"type":"req","id":"{}","method":"x"}}"#, "i".repeat(10_000));
    for text in [
        "",
        " ",
        "{",
        "nonsense",
        "null",
        "true",
        "1",
        "\"req\"",
        "[]",
        "[1]",
        "{}",
        r#"{"type":"req"}"#,
        r#"{"type":"req","id":1,"method":"worktree.list"}"#,
        r#"{"type":"req","id":null,"method":"worktree.list"}"#,
        r#"{"type":"req","id":"","method":"worktree.list"}"#,
        r#"{"type":"req","id":["1"],"method":"worktree.list"}"#,
        r#"{"type":"req","method":"worktree.list"}"#,
        r#"{"type":"req","type":"req","id":"1","id":"2","method":"worktree.list"}"#,
        &deep,
        &deep_params,
        &long,
    ] {
        client.send_text(text);
        let reply = client.next();
        assert_eq!((&reply["type"], &reply["ok"]), (&json!("res"), &json!(false)), "{reply}");
        assert_eq!(code(&reply), "INVALID_REQUEST", "{reply}");
        assert!(reply.to_string().len() < 1_000, "an answer repeats little: {reply}");
    }
    // What had an id gets its answer by it.
    for text in [
        r#"{"type":"req","id":"7"}"#,
        r#"{"type":"req","id":"7","method":7}"#,
        r#"{"type":"res","id":"7","method":"worktree.list"}"#,
        r#"{"type":"event","id":"7","method":"worktree.list"}"#,
        r#"{"id":"7","method":"worktree.list"}"#,
    ] {
        client.send_text(text);
        let reply = client.reply("7");
        assert_eq!(code(&reply), "INVALID_REQUEST", "{text}");
    }
    client.ok("worktree.list", json!({"agentId": "default"}));
}

#[test]
fn parameters_are_what_they_should_be() {
    let server = Server::start();
    let mut client = server.operator();
    for (method, params, code) in [
        ("worktree.nope", json!({"agentId": "default"}), "UNKNOWN_METHOD"),
        ("Worktree.List", json!({"agentId": "default"}), "UNKNOWN_METHOD"),
        ("", json!({}), "UNKNOWN_METHOD"),
        ("__proto__", json!({}), "UNKNOWN_METHOD"),
        ("worktree.list", json!({}), "INVALID_PARAMS"),
        ("worktree.list", json!(null), "INVALID_PARAMS"),
        ("worktree.list", json!([]), "INVALID_PARAMS"),
        ("worktree.list", json!("default"), "INVALID_PARAMS"),
        ("worktree.list", json!({"agentId": 7}), "INVALID_PARAMS"),
        ("worktree.list", json!({"agentId": ""}), "INVALID_PARAMS"),
        ("worktree.list", json!({"agentId": "../default"}), "INVALID_PARAMS"),
        ("worktree.list", json!({"agentId": "a/b"}), "INVALID_PARAMS"),
        ("worktree.list", json!({"agentId": "default\u{0}"}), "INVALID_PARAMS"),
        ("worktree.list", json!({"agentId": "nobody"}), "AGENT_NOT_FOUND"),
        ("worktree.list", json!({"agentId": "default", "path": 7}), "INVALID_PARAMS"),
        ("worktree.list", json!({"agentId": "default", "recursive": "yes"}), "INVALID_PARAMS"),
        ("worktree.list", json!({"agentId": "default", "deep": true}), "INVALID_PARAMS"),
        ("worktree.list", json!({"agentId": "default", "idempotencyKey": 7}), "INVALID_PARAMS"),
        ("tokens.create", json!({"role": "god"}), "INVALID_PARAMS"),
        ("tokens.create", json!({"role": "agent"}), "INVALID_PARAMS"),
        ("tokens.create", json!({"role": "agent", "agentId": "nobody"}), "AGENT_NOT_FOUND"),
        ("tokens.create", json!({"role": "user", "agentId": "default"}), "INVALID_PARAMS"),
        ("tokens.revoke", json!({"id": "nothing"}), "INVALID_PARAMS"),
        ("request.cancel", json!({}), "INVALID_PARAMS"),
    ] {
        assert_eq!(client.refused(method, params.clone()), code, "{method} {params}");
    }
    client.ok("worktree.list", json!({"agentId": "default"}));
}

#[test]
fn frames_of_bytes_and_broken_ones_end_the_connection() {
    let server = Server::start();
    let mut client = server.operator();
    client.try_send(Message::binary(vec![1, 2, 3])).unwrap();
    assert_eq!(client.end(), End::Code(1003));
    let mut client = server.operator();
    // Not masked, as clients must.
    client.send_raw(&[0x81, 0x02, b'{', b'}']).unwrap();
    assert_eq!(client.end(), End::Code(1002));
    let mut client = server.operator();
    // Bits that nobody agreed on.
    client.send_raw(&[0xf1, 0x80, 0, 0, 0, 0]).unwrap();
    assert_eq!(client.end(), End::Code(1002));
    let mut client = server.operator();
    // No UTF-8.
    client.send_raw(&[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]).unwrap();
    assert_eq!(client.end(), End::Code(1007));
    server.operator().ok("worktree.list", json!({"agentId": "default"}));
}

#[test]
fn a_stranger_can_send_little_and_a_caller_a_frame_of_25_megabytes() {
    let server = Server::start();
    let mut stranger = Client::bare(&server.address);
    // 64 KiB and no more.
    let _ = stranger.try_send(Message::text("x".repeat((64 << 10) + 1)));
    assert_eq!(stranger.end(), End::Code(1009));
    let mut stranger = Client::bare(&server.address);
    // Announced is enough.
    stranger.send_raw(&[0x81, 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4]).unwrap();
    assert_eq!(stranger.end(), End::Code(1009));
    let mut client = server.operator();
    let filler = "x".repeat(26_214_400 - 200);
    let id = client.begin("worktree.list", json!({"agentId": "default", "filler": filler}));
    assert_eq!(code(&client.reply(&id)), "INVALID_PARAMS");
    let _ = client.try_send(Message::text("x".repeat(26_214_401)));
    assert_eq!(client.end(), End::Code(1009));
}

#[test]
fn replies_come_as_they_are_ready_and_one_id_is_used_once_at_a_time() {
    let server = Server::start();
    let mut client = server.operator();
    let slow = client.begin(
        "bash",
        json!({"agentId": "default", "command": "until [ -e go ]; do sleep 0.1; done; echo slow"}),
    );
    client.send(&json!({"type": "req", "id": slow, "method": "worktree.list", "params": {"agentId": "default"}}));
    let refused = client.next();
    assert_eq!((&refused["id"], code(&refused)), (&json!(slow), "INVALID_REQUEST"));
    let quick = client.begin("worktree.list", json!({"agentId": "default"}));
    let first = client.next();
    assert_eq!(first["id"], quick, "{first}");
    std::fs::write(server.files("default").join("go"), "").unwrap();
    assert_eq!(client.reply(&slow)["payload"]["stdout"], "slow\n");
    // An id that was answered is free again.
    client.send(&json!({"type": "req", "id": slow, "method": "worktree.list", "params": {"agentId": "default"}}));
    assert_eq!(client.reply(&slow)["ok"], true);
}

#[test]
fn a_request_can_be_cancelled() {
    let server = Server::start();
    let mut client = server.operator();
    let command = "trap 'touch ended' TERM; touch began; sleep 50 & wait";
    let id = client.begin("bash", json!({"agentId": "default", "command": command}));
    let began = server.files("default").join("began");
    until("the command runs", || began.exists());
    assert_eq!(client.ok("request.cancel", json!({"id": id})), json!({"cancelled": true}));
    assert_eq!(code(&client.reply(&id)), "CANCELLED");
    assert_eq!(client.ok("request.cancel", json!({"id": id})), json!({"cancelled": false}));
    until("nothing runs", || running(&mut client) == 0);
    let records = client.ok("audit.list", json!({"operation": "bash"}));
    assert_eq!(records["records"][0]["outcome"], "CANCELLED");
}

#[test]
fn a_connection_that_is_dropped_cancels_its_requests() {
    let server = Server::start();
    let mut client = server.operator();
    client.begin("bash", json!({"agentId": "default", "command": "touch began; sleep 50"}));
    let began = server.files("default").join("began");
    until("the command runs", || began.exists());
    client.drop_dead();
    let mut other = server.operator();
    until("nothing runs", || running(&mut other) == 0);
    until("the record is closed", || {
        let records = other.ok("audit.list", json!({"operation": "bash"}));
        records["records"][0]["outcome"] == "CANCELLED"
    });
}

/// How many processes of the workspace run.
fn running(client: &mut Client) -> usize {
    let listed = client.ok("ps", json!({"agentId": "default"}));
    let all = listed["processes"].as_array().unwrap();
    all.iter().filter(|process| process["running"] == true).count()
}

#[test]
fn a_key_makes_a_call_happen_once() {
    let server = Server::start();
    let mut client = server.operator();
    let append = json!({
        "agentId": "default", "command": "echo x >> file; cat file", "idempotencyKey": "k1",
    });
    let first = client.ok("bash", append.clone());
    assert_eq!(first["stdout"], "x\n");
    assert_eq!(client.ok("bash", append.clone()), first);
    assert_eq!(server.operator().ok("bash", append.clone()), first);
    let mut other = append;
    other["command"] = "true".into();
    assert_eq!(client.refused("bash", other), "INVALID_PARAMS");
    // A token is shown once, and kept nowhere.
    let grant = json!({"role": "operator", "idempotencyKey": "k2"});
    client.ok("tokens.create", grant.clone());
    assert_eq!(client.refused("tokens.create", grant), "CONFLICT");
}

#[test]
fn what_follows_a_request_through_many_systems_is_taken() {
    let server = Server::start();
    let mut client = server.operator();
    client.send(&json!({
        "type": "req", "id": "t", "method": "worktree.list", "params": {"agentId": "default"},
        "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    }));
    assert_eq!(client.reply("t")["ok"], true);
}

#[test]
fn two_clients_with_the_same_ids_get_each_its_own() {
    let server = Server::start();
    let mut clients: Vec<_> = ["a", "b"].map(|id| (id, server.agent(id))).into_iter().collect();
    for (id, _) in &clients {
        std::fs::write(server.files(id).join("whose"), id).unwrap();
    }
    for _ in 0..20 {
        for (agent, client) in &mut clients {
            client.send(&json!({
                "type": "req", "id": "same", "method": "worktree.read",
                "params": {"agentId": agent, "path": "whose"},
            }));
        }
        for (agent, client) in &mut clients {
            assert_eq!(client.reply("same")["payload"]["content"], *agent);
        }
    }
}
