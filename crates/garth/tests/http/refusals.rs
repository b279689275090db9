//! Requests that cannot be answered, each with its code, its status and the one shape.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::json;

use crate::{
    client::Reply,
    gateway::{Gateway, PATIENCE, eventually},
};

const READ: &str = "/v1/workspaces/default/read";

fn refused(reply: &Reply, status: u16, code: &str) {
    assert_eq!(reply.refusal(), (status, code.to_owned()), "{}", reply.text());
}

#[test]
fn bodies_that_are_no_parameters_are_refused() {
    let gateway = Gateway::start();
    let json = |body: &str| {
        gateway.ask("POST", READ).header("content-type", "application/json").body(body).send()
    };
    for body in ["{", "[]", "null", "\"x\"", "{\"a\":1}x", "\u{feff}{}", "{'a':1}"] {
        refused(&json(body), 400, "INVALID_REQUEST");
    }
    refused(&json(r#"{"file_path":"a","file_path":"b"}"#), 400, "INVALID_REQUEST");
    refused(&json(&format!("{{\"a\":{}", "[".repeat(100_000))), 400, "INVALID_REQUEST");
    refused(&json(r#"{"file_path":"a","offset":true}"#), 400, "INVALID_PARAMS");
    refused(&json(r#"{"file_path":"a","else":1}"#), 400, "INVALID_PARAMS");
    refused(&json(""), 400, "INVALID_PARAMS");
    let body = r#"{"file_path":"a"}"#;
    let plain = gateway.ask("POST", READ).header("content-type", "text/plain").body(body).send();
    refused(&plain, 400, "INVALID_REQUEST");
    let unsaid = gateway.ask("POST", READ).body(body).send();
    refused(&unsaid, 400, "INVALID_REQUEST");
    let charset = "Application/JSON; charset=utf-8";
    let said = gateway.ask("POST", READ).header("content-type", charset).body(body).send();
    refused(&said, 404, "FILE_NOT_FOUND");
}

#[test]
fn a_body_that_is_too_large_is_refused_before_it_is_sent() {
    let gateway = Gateway::start();
    let request = gateway.ask("POST", READ).header("content-type", "application/json");
    refused(&request.header("content-length", "26214401").send(), 413, "FILE_TOO_LARGE");
    let files = "/v1/workspaces/default/files/a";
    let request = gateway.ask("PUT", files).header("content-length", "999999999999");
    refused(&request.send(), 413, "FILE_TOO_LARGE");
}

#[test]
fn a_body_of_json_is_as_large_as_a_frame_may_be() {
    const MOST: usize = 70_000;
    let gateway = Gateway::start_with(&format!("frame_bytes = {MOST}\n"));
    let sized = |length: usize| {
        let head = r#"{"file_path":"a","content":""#;
        format!("{head}{}\"}}", "x".repeat(length - head.len() - 2))
    };
    for path in ["/v1/workspaces/default/write", "/v1/rpc/worktree.write", "/mcp/default"] {
        let ask = |length: usize| {
            let request = gateway.ask("POST", path).header("content-type", "application/json");
            request
                .header("accept", "application/json, text/event-stream")
                .body(sized(length))
                .send()
        };
        refused(&ask(MOST + 1), 413, "FILE_TOO_LARGE");
        assert_ne!(ask(MOST).status, 413, "{path}");
    }
    let bytes = vec![0; 2 * MOST];
    let put = gateway.ask("PUT", "/v1/workspaces/default/files/b").body(bytes).send();
    assert_eq!(put.status, 201, "a file is no frame: {}", put.text());
}

#[test]
fn no_more_connections_are_served_than_may_be() {
    let gateway = Gateway::start_with("connections = 3\n");
    let alive = || {
        let mut stream = TcpStream::connect(&gateway.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!("GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n", gateway.address);
        // One that is turned away may be closed before all of it is sent.
        let _ = stream.write_all(head.as_bytes());
        let mut first = [0; 12];
        stream.read_exact(&mut first).is_ok_and(|()| first == *b"HTTP/1.1 200").then_some(stream)
    };
    let mut open = Vec::new();
    eventually("as many as may be are served", || {
        open.extend(alive());
        open.len() == 3
    });
    assert!(alive().is_none(), "one more was served");
    open.pop();
    eventually("the place of one that ended is free", || alive().is_some());
}

#[test]
fn a_body_that_breaks_off_changes_nothing() {
    let gateway = Gateway::start();
    let request = gateway.ask("PUT", "/v1/workspaces/default/files/a");
    let mut stream = request.header("content-length", "100").open();
    stream.write_all(b"half").unwrap();
    drop(stream);
    // The next answer comes after the end of that connection was seen, or before; either
    // way there is no such file.
    let reply = gateway.ask("GET", "/v1/workspaces/default/files/a").send();
    refused(&reply, 404, "FILE_NOT_FOUND");
    assert!(!gateway.directory("default").join("a").exists());
}

#[test]
fn addresses_and_methods_that_there_are_not_are_refused() {
    let gateway = Gateway::start();
    let ask = |method, path: &str| gateway.ask(method, path).send();
    refused(&ask("GET", "/v1/nothing"), 404, "UNKNOWN_METHOD");
    refused(&ask("POST", "/v1/workspaces/default/agents.list"), 404, "UNKNOWN_METHOD");
    refused(&ask("POST", "/v1/workspaces/default/nothing"), 404, "UNKNOWN_METHOD");
    refused(&ask("POST", "/v1/workspaces/nobody/read"), 404, "AGENT_NOT_FOUND");
    for (method, path) in [("GET", READ), ("PUT", READ), ("DELETE", "/v1/workspaces")] {
        let reply = ask(method, path);
        refused(&reply, 405, "INVALID_REQUEST");
        assert!(reply.header("allow").is_some(), "{reply:?}");
    }
    for id in [".", "..", "%2e%2e", "a%2fb", "a%00", "-a", "%ff"] {
        let reply = ask("POST", &format!("/v1/workspaces/{id}/read"));
        assert!([400, 404].contains(&reply.status), "{id}: {}", reply.text());
        reply.refusal();
    }
    for query in ["limit=x", "limit=1&limit=2", "other=1"] {
        refused(&ask("GET", &format!("/v1/workspaces?{query}")), 400, "INVALID_PARAMS");
    }
}

#[test]
fn lists_come_in_pages() {
    let gateway = Gateway::start();
    ["a.b", "c-d"].iter().for_each(|id| gateway.create(id));
    let first = gateway.ask("GET", "/v1/workspaces?limit=2").send().value();
    assert_eq!(first["agents"].as_array().unwrap().len(), 2);
    let cursor = first["nextCursor"].as_str().unwrap();
    let rest = gateway.ask("GET", &format!("/v1/workspaces?limit=2&cursor={cursor}")).send();
    assert_eq!(rest.value()["agents"][0]["id"], "default");
}

#[test]
fn an_agent_is_made_looked_at_changed_and_forgotten() {
    let gateway = Gateway::start();
    let sent = json!({"id": "coder", "provider": "none", "readOnly": true});
    let made = gateway.ask("POST", "/v1/workspaces").json(&sent).send();
    assert_eq!((made.status, &made.value()["settings"]["readOnly"]), (200, &json!(true)));
    let again = gateway.ask("POST", "/v1/workspaces").json(&sent).send();
    assert_eq!(again.status / 100, 4, "{}", again.text());
    let write = |status, code| {
        let path = "/v1/workspaces/coder/write";
        let sent = json!({"file_path": "a", "content": "x"});
        let reply = gateway.ask("POST", path).json(&sent).send();
        match code {
            Some(code) => refused(&reply, status, code),
            None => assert_eq!(reply.status, status, "{}", reply.text()),
        }
    };
    write(403, Some("READ_ONLY"));
    let path = "/v1/workspaces/coder";
    let changed = gateway.ask("PATCH", path).json(&json!({"readOnly": false})).send();
    assert_eq!(changed.status, 200, "{}", changed.text());
    write(200, None);
    assert_eq!(gateway.ask("GET", path).send().value()["id"], "coder");
    assert_eq!(gateway.ask("DELETE", path).send().status, 200);
    refused(&gateway.ask("GET", path).send(), 404, "AGENT_NOT_FOUND");
    write(404, Some("AGENT_NOT_FOUND"));
}
