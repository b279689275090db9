//! Who is let in, and what it is told.

use serde_json::{Value, json};

use crate::{
    client::{Client, End},
    server::Server,
};

const POLICY: u16 = 1008;

fn connect(token: &str) -> Value {
    json!({
        "type": "req", "id": "1", "method": "connect",
        "params": {
            "minProtocol": 4, "maxProtocol": 4,
            "client": {"id": "test", "version": "1", "platform": "linux", "mode": "test"},
            "role": "operator", "scopes": ["operator.admin"], "auth": {"token": token},
        },
    })
}

#[test]
fn a_challenge_comes_first_and_connect_is_answered_with_what_there_is() {
    let server = Server::start();
    let mut client = Client::bare(&server.address);
    let challenge = client.next();
    assert_eq!(
        (&challenge["type"], &challenge["event"]),
        (&json!("event"), &json!("connect.challenge"))
    );
    assert!(!challenge["payload"]["nonce"].as_str().unwrap().is_empty());
    assert!(challenge["payload"]["ts"].is_u64());
    client.send(&connect(&server.operator));
    let hello = client.next();
    assert_eq!(
        (&hello["type"], &hello["id"], &hello["ok"]),
        (&json!("res"), &json!("1"), &json!(true))
    );
    let hello = &hello["payload"];
    assert_eq!((&hello["type"], &hello["protocol"]), (&json!("hello-ok"), &json!(4)));
    assert_eq!(hello["auth"]["role"], "operator");
    assert_eq!(
        hello["policy"],
        json!({"maxPayload": 26_214_400, "maxBufferedBytes": 52_428_800, "tickIntervalMs": 15_000})
    );
    for method in ["worktree.list", "worktree.watch", "terminal.open", "agents.create", "bash"] {
        assert!(hello["features"]["methods"].as_array().unwrap().contains(&json!(method)));
    }
    assert!(hello["features"]["events"].as_array().unwrap().contains(&json!("worktree.changed")));
    client.ok("worktree.list", json!({"agentId": "default"}));
}

#[test]
fn what_a_client_says_of_itself_grants_nothing() {
    let server = Server::start();
    let token = server.agent_token("bird");
    let mut client = Client::bare(&server.address);
    client.event("connect.challenge");
    client.send(&connect(&token));
    let hello = client.reply("1")["payload"].take();
    assert_eq!(
        hello["auth"],
        json!({"role": "agent", "scopes": ["operator.read", "operator.write"]})
    );
    assert_eq!(hello["snapshot"]["sessionDefaults"]["defaultAgentId"], "bird");
    let methods = hello["features"]["methods"].as_array().unwrap();
    assert!(
        methods.contains(&json!("worktree.list")) && !methods.contains(&json!("tokens.create"))
    );
    assert_eq!(client.refused("agents.list", json!({})), "PERMISSION_DENIED");
    client.ok("worktree.list", json!({"agentId": "bird"}));
}

#[test]
fn who_is_not_known_is_told_so_and_shut_out() {
    let server = Server::start();
    let wrong = format!("garth_{}", "0".repeat(64));
    let named =
        |params: Value| json!({"type": "req", "id": "1", "method": "connect", "params": params});
    for (frame, code) in [
        (connect(&wrong), "UNAUTHENTICATED"),
        (connect(""), "UNAUTHENTICATED"),
        (connect("garth_"), "UNAUTHENTICATED"),
        (named(json!({})), "UNAUTHENTICATED"),
        (named(json!({"auth": {"password": "x"}})), "UNAUTHENTICATED"),
        (named(json!({"minProtocol": 5, "maxProtocol": 9})), "INVALID_PARAMS"),
        (named(json!({"minProtocol": 1, "maxProtocol": 2})), "INVALID_PARAMS"),
        (named(json!({"minProtocol": 4, "maxProtocol": 3})), "INVALID_PARAMS"),
        (named(json!({"minProtocol": "4"})), "INVALID_PARAMS"),
        (named(json!([])), "INVALID_PARAMS"),
        (
            json!({"type": "req", "id": "1", "method": "worktree.list", "params": {"agentId": "default"}}),
            "UNAUTHENTICATED",
        ),
        (json!({"type": "res", "id": "1", "ok": true}), "INVALID_REQUEST"),
        (json!({"id": "1"}), "INVALID_REQUEST"),
        (json!("connect"), "INVALID_REQUEST"),
    ] {
        let mut client = Client::bare(&server.address);
        client.event("connect.challenge");
        client.send(&frame);
        let reply = client.next();
        assert_eq!(
            (&reply["ok"], &reply["error"]["code"]),
            (&json!(false), &json!(code)),
            "{frame}"
        );
        assert_eq!(client.end(), End::Code(POLICY), "{frame}");
    }
}

#[test]
fn protocol_3_is_spoken_too() {
    let server = Server::start();
    let mut client = Client::bare(&server.address);
    client.event("connect.challenge");
    let mut frame = connect(&server.operator);
    frame["params"]["minProtocol"] = 3.into();
    frame["params"]["maxProtocol"] = 3.into();
    client.send(&frame);
    assert_eq!(client.reply("1")["payload"]["protocol"], 3);
}

#[test]
fn who_says_nothing_is_shut_out() {
    let server = Server::start();
    let mut client = Client::bare(&server.address);
    client.event("connect.challenge");
    assert_eq!(client.end(), End::Code(POLICY));
    // Also one that says half of something.
    let mut client = Client::bare(&server.address);
    client.send_raw(&[0x81, 0xfe, 0x10]).unwrap();
    assert_eq!(client.end(), End::Code(POLICY));
}

#[test]
fn with_a_token_in_the_head_connect_is_optional() {
    let server = Server::start();
    let mut client = server.operator();
    client.ok("worktree.list", json!({"agentId": "default"}));
    client.send(&connect("whatever"));
    let hello = client.reply("1");
    assert_eq!(hello["payload"]["auth"]["role"], "operator", "{hello}");
}

#[test]
fn a_wrong_token_in_the_head_is_refused_before_the_upgrade() {
    let server = Server::start();
    let good = format!("Bearer {}", server.operator);
    for (value, status) in [
        ("Bearer garth_x", 401),
        ("Bearer", 401),
        ("Basic Zm9vOmJhcg==", 401),
        ("", 401),
        (&good[..good.len() - 1], 401),
    ] {
        let refused = Client::try_with(&server.address, &[("authorization", value)]);
        assert_eq!(refused.err(), Some(status), "{value:?}");
    }
    assert!(Client::try_with(&server.address, &[("authorization", &good)]).is_ok());
    // A token in the address is not looked at.
    let path = format!("/v1/ws?token={}", server.operator);
    let mut client = Client::try_at(&server.address, &path, &[]).unwrap();
    client.event("connect.challenge");
    client.send(&json!({"type": "req", "id": "1", "method": "agents.list"}));
    assert_eq!(client.next()["error"]["code"], "UNAUTHENTICATED");
}

#[test]
fn a_token_that_is_taken_back_ends_its_connections() {
    let server = Server::start();
    server.operator().ok("agents.create", json!({"agentId": "bird"}));
    let (token, id) = server.token(json!({"role": "agent", "agentId": "bird"}));
    let (other, _) = server.token(json!({"role": "agent", "agentId": "bird"}));
    let mut clients: Vec<_> = (0..3).map(|_| server.client(&token)).collect();
    let mut unharmed = server.client(&other);
    // One of them is in the middle of something.
    clients[0].begin("bash", json!({"agentId": "bird", "command": "sleep 50"}));
    clients.iter_mut().skip(1).for_each(|client| {
        client.ok("worktree.list", json!({"agentId": "bird"}));
    });
    let begun = std::time::Instant::now();
    server.operator().ok("tokens.revoke", json!({"id": id}));
    for client in &mut clients {
        assert_eq!(client.end(), End::Code(POLICY));
    }
    println!("three connections ended {:?} after their token was taken back", begun.elapsed());
    unharmed.ok("worktree.list", json!({"agentId": "bird"}));
    let bearer = format!("Bearer {token}");
    assert_eq!(Client::try_with(&server.address, &[("authorization", &bearer)]).err(), Some(401));
}

#[test]
fn a_token_that_expires_ends_its_connections() {
    let server = Server::start();
    let (token, _) = server.token(json!({"role": "operator", "ttlMs": 10_000}));
    let mut client = server.client(&token);
    assert_eq!(client.end(), End::Code(POLICY));
}

#[test]
fn deleting_an_agent_ends_its_connections() {
    let server = Server::start();
    let mut client = server.agent("bird");
    server.operator().ok("agents.delete", json!({"agentId": "bird"}));
    assert_eq!(client.end(), End::Code(POLICY));
}

#[test]
fn a_gateway_that_stops_ends_what_is_under_way_first() {
    let server = Server::start();
    let mut client = server.operator();
    let id = client
        .begin("bash", json!({"agentId": "default", "command": "touch began; sleep 1; echo done"}));
    let began = server.files("default").join("began");
    crate::server::until("the command runs", || began.exists());
    server.ask_to_stop();
    assert_eq!(client.reply(&id)["payload"]["stdout"], "done\n");
    assert_eq!(client.end(), End::Code(1012));
    assert_eq!(server.stop(), Some(0));
}
