//! Tables of calls and what they come to, and the workspace that they are made on.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use crate::{client::Client, server::Server};

/// What a call comes to.
pub(crate) enum Comes {
    /// To a payload with exactly these fields; "*" stands for any value.
    To(Value),
    /// To an error of this code.
    Refused(&'static str),
}

/// A caller whose requests a minute never run out: it takes a new token in time.
pub(crate) struct Caller<'a> {
    server: &'a Server,
    client: Client,
    asked: u64,
}

impl<'a> Caller<'a> {
    pub(crate) fn new(server: &'a Server) -> Self {
        Self { server, client: server.client(&Self::token(server)), asked: 0 }
    }

    fn token(server: &Server) -> String {
        server.token(json!({"role": "agent", "agentId": "bird"})).0
    }

    pub(crate) fn call(&mut self, method: &str, mut params: Value) -> Value {
        self.asked += 1;
        if self.asked.is_multiple_of(50) {
            self.client = self.server.client(&Self::token(self.server));
        }
        params["agentId"] = "bird".into();
        self.client.call(method, params)
    }

    pub(crate) fn check(&mut self, rows: Vec<(&str, Value, Comes)>) {
        for (method, params, comes) in rows {
            let reply = self.call(method, params.clone());
            match comes {
                Comes::To(expected) => {
                    assert_eq!(reply["ok"], true, "{method} {params}: {reply}");
                    assert!(
                        like(&reply["payload"], &expected),
                        "{method} {params}: {reply}\nexpected {expected}"
                    );
                }
                Comes::Refused(code) => {
                    assert_eq!(reply["ok"], false, "{method} {params}: {reply}");
                    assert_eq!(reply["error"]["code"], code, "{method} {params}: {reply}");
                    assert!(
                        reply["error"]["message"].is_string()
                            && reply["error"]["details"]["hint"].is_string()
                    );
                    let text = reply.to_string();
                    assert!(
                        !text.contains("/tmp/") && !text.contains("workspace/"),
                        "no path of the host: {text}"
                    );
                }
            }
        }
    }
}

/// Tells whether a value is what is expected, field by field.
pub(crate) fn like(value: &Value, expected: &Value) -> bool {
    match (value, expected) {
        (_, Value::String(any)) if any == "*" => true,
        (Value::Object(value), Value::Object(expected)) => {
            value.len() == expected.len()
                && expected.iter().all(|(name, expected)| {
                    value.get(name).is_some_and(|value| like(value, expected))
                })
        }
        (Value::Array(value), Value::Array(expected)) => {
            value.len() == expected.len()
                && value.iter().zip(expected).all(|(value, expected)| like(value, expected))
        }
        (value, expected) => value == expected,
    }
}

/// A gateway whose agent `bird` may be asked as often as a test likes.
pub(crate) fn stage() -> Server {
    let server = Server::start();
    let limits = json!({"limits": {"requestsPerMinute": 100_000}});
    server.operator().ok("agents.create", json!({"agentId": "bird", "settings": limits}));
    let files = server.files("bird");
    fs::create_dir_all(files.join("src/deep")).unwrap();
    for (name, content) in [
        ("a.txt", "one\ntwo\n"),
        (".hidden", "h"),
        ("src/lib.rs", "fn main() {}\n"),
        ("src/deep/x", "x"),
        ("a..b", "legal"),
        ("bin", "\u{0}\u{1}"),
    ] {
        fs::write(files.join(name), content).unwrap();
    }
    symlink("/etc", files.join("out")).unwrap();
    symlink("a.txt", files.join("in")).unwrap();
    server
}

/// An entry that is a file.
pub(crate) fn file(path: &str, size: u64) -> Value {
    let name = path.rsplit('/').next().unwrap();
    json!({"path": path, "name": name, "kind": "file", "sizeBytes": size, "modifiedAt": "*", "permissions": "*"})
}

/// One that is a directory.
pub(crate) fn dir(path: &str) -> Value {
    let name = path.rsplit('/').next().unwrap();
    json!({"path": path, "name": name, "kind": "dir", "modifiedAt": "*", "permissions": "*"})
}
