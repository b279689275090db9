//! How connections end: with the gateway, and with clients that say nothing.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::json;

use crate::gateway::{Gateway, PATIENCE};

#[test]
fn a_call_under_way_is_answered_when_the_gateway_is_asked_to_stop() {
    let gateway = Gateway::start();
    if !gateway.runs_commands() {
        return;
    }
    let sent = json!({"command": "echo begun; sleep 1; echo done"});
    let request = gateway.ask("POST", "/v1/workspaces/default/bash").json(&sent);
    let mut stream = request.header("accept", "text/event-stream").open();
    let mut heard = Vec::new();
    while !String::from_utf8_lossy(&heard).contains("begun") {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "{}", String::from_utf8_lossy(&heard));
        heard.extend_from_slice(&piece[..count]);
    }
    gateway.stop();
    stream.read_to_end(&mut heard).unwrap();
    let heard = String::from_utf8_lossy(&heard);
    assert!(heard.contains("event: result") && heard.contains("begun\\ndone\\n"), "{heard}");
}

#[test]
fn who_never_ends_the_head_of_a_request_is_let_go() {
    let gateway = Gateway::start();
    for said in ["", "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n"] {
        let mut stream = TcpStream::connect(&gateway.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(said.as_bytes()).unwrap();
        let mut told = Vec::new();
        // It ends, with a word or without; a read that waits for ever fails.
        let read = stream.read_to_end(&mut told);
        let over = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ConnectionReset;
        assert!(read.is_ok() || read.as_ref().is_err_and(over), "{read:?}");
    }
    assert_eq!(gateway.anybody("GET", "/healthz").send().status, 200);
}

#[test]
fn a_head_that_is_too_long_is_refused() {
    let gateway = Gateway::start();
    let mut stream = TcpStream::connect(&gateway.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let long = "x".repeat(4 << 20);
    // It need not be taken whole.
    let _ = write!(stream, "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-long: {long}\r\n\r\n");
    let mut told = Vec::new();
    let _ = stream.read_to_end(&mut told);
    let told = String::from_utf8_lossy(&told);
    assert!(told.is_empty() || told.starts_with("HTTP/1.1 4"), "{told}");
    assert_eq!(gateway.anybody("GET", "/healthz").send().status, 200);
}
