//! Changes of resources, told to a client of MCP that listens.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
};

use serde_json::{Value, json};

use crate::gateway::{Gateway, eventually};

/// A client that listens for changes of these resources.
struct Listener(BufReader<TcpStream>);

impl Listener {
    fn begin(gateway: &Gateway, token: &str, uris: &[&str]) -> Self {
        let params = json!({
            "notifications": {"resourceSubscriptions": uris},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            },
        });
        let method = "subscriptions/listen";
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = gateway.anybody("POST", "/mcp").token(token).json(&message);
        let request = request.header("mcp-protocol-version", "2026-07-28");
        let request = request.header("mcp-method", method);
        let stream = request.header("accept", "application/json, text/event-stream").open();
        Self(BufReader::new(stream))
    }

    /// The next message; `None` at the end.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let data = line.strip_prefix("data:").map(str::trim).filter(|data| !data.is_empty());
            if let Some(data) = data {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }

    /// Waits for the next word that this resource changed.
    fn changed(&mut self, uri: &str) {
        loop {
            let message = self.next().unwrap();
            let method = message["method"].as_str().unwrap_or_default();
            if method == "notifications/resources/updated" && message["params"]["uri"] == uri {
                return;
            }
        }
    }
}

fn open_watches(gateway: &Gateway) -> String {
    let page = gateway.ask("GET", "/metrics").send().text();
    let line = page.lines().find(|line| line.starts_with("garth_watches "));
    line.unwrap_or_else(|| panic!("no such line: {page}")).to_owned()
}

#[test]
fn a_client_that_listens_is_told_of_changes_until_its_token_ends() {
    let gateway = Gateway::start();
    gateway.create("coder");
    let (token, issued) =
        gateway.issue(garth_gateway::Role::Agent(garth_gateway::AgentId::parse("coder").unwrap()));
    let write = |content: &str| {
        let params = json!({"file_path": "a.txt", "content": content});
        let path = "/v1/workspaces/coder/write";
        let reply = gateway.ask("POST", path).json(&params).send();
        assert_eq!(reply.status, 200, "{}", reply.text());
    };
    write("one\n");
    let uri = "workspace:///a.txt";
    let mut listener = Listener::begin(&gateway, &token, &[uri]);
    listener.changed(uri);
    for content in ["two\n", "three\n"] {
        write(content);
        listener.changed(uri);
    }
    assert!(open_watches(&gateway).ends_with(" 1"));
    gateway.revoke(&issued);
    while listener.next().is_some() {}
    eventually("no watch is open", || open_watches(&gateway).ends_with(" 0"));
}

#[test]
fn who_goes_away_listens_no_longer() {
    let gateway = Gateway::start();
    let token = gateway.agent("default");
    let mut listener = Listener::begin(&gateway, &token, &["workspace:///"]);
    listener.changed("workspace:///");
    assert!(open_watches(&gateway).ends_with(" 1"));
    let _ = listener.0.get_mut().write_all(b"");
    drop(listener);
    eventually("no watch is open", || open_watches(&gateway).ends_with(" 0"));
    // What is not there cannot be followed, and nothing stays open for it.
    let mut listener = Listener::begin(&gateway, &token, &["workspace:///missing.txt"]);
    let mut said = Vec::new();
    while let Some(message) = listener.next() {
        said.push(message);
    }
    assert!(said.iter().any(|message| message["error"].is_object()), "{said:?}");
    assert!(open_watches(&gateway).ends_with(" 0"));
}
