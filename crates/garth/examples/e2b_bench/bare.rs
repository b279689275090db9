//! The same calls over one connection of HTTP, without an SDK between.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Instant,
};

use serde_json::{Value, json};

use crate::{Times, server::Server};

/// Times what the SDKs do, as their requests are.
pub(crate) fn measure(server: &Server, [starts, calls, large]: [usize; 3]) -> Times {
    let mut client = Client::connect(server);
    let mut times = Times::new();
    let mut timed = |name: &str, client: &mut Client, call: &dyn Fn(&mut Client)| {
        let began = Instant::now();
        call(client);
        times.entry(name.to_owned()).or_default().push(began.elapsed());
    };
    for _ in 0..starts {
        timed("start", &mut client, &|client| {
            client.create();
            client.run();
        });
        client.kill();
    }
    client.create();
    for (name, size, count) in [("1 KB", 1 << 10, calls), ("1 MB", 1 << 20, large)] {
        let content = vec![b'x'; size];
        for _ in 0..count {
            timed(&format!("write {name}"), &mut client, &|client| {
                let kind = "content-type: application/octet-stream\r\n";
                client.asks("POST /files?path=a.bin", kind, &content);
            });
            timed(&format!("read {name}"), &mut client, &|client| {
                assert_eq!(client.asks("GET /files?path=a.bin", "", b"").len(), size);
            });
        }
    }
    for _ in 0..calls {
        timed("run", &mut client, &Client::run);
    }
    client.kill();
    times
}

/// A connection, and the sandbox that it works in.
struct Client {
    connection: BufReader<TcpStream>,
    host: String,
    key: String,
    sandbox: String,
    token: String,
}

impl Client {
    fn connect(server: &Server) -> Self {
        let stream = TcpStream::connect(&server.address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            connection: BufReader::new(stream),
            host: server.address.clone(),
            key: server.token.clone(),
            sandbox: String::new(),
            token: String::new(),
        }
    }

    fn create(&mut self) {
        let body = json!({ "templateID": "base", "timeout": 300 }).to_string();
        let head = "content-type: application/json\r\n";
        let told = self.asks("POST /v2/sandboxes", head, body.as_bytes());
        let told: Value = serde_json::from_slice(&told).unwrap();
        let text = |name: &str| told[name].as_str().unwrap().to_owned();
        (self.sandbox, self.token) = (text("sandboxID"), text("envdAccessToken"));
    }

    fn kill(&mut self) {
        let sandbox = std::mem::take(&mut self.sandbox);
        self.asks(&format!("DELETE /sandboxes/{sandbox}"), "", b"");
    }

    fn run(&mut self) {
        let args = ["-l", "-c", "true"];
        let asked = json!({ "process": { "cmd": "/bin/bash", "args": args }, "stdin": false });
        let text = asked.to_string();
        let mut body = vec![0];
        body.extend(u32::try_from(text.len()).unwrap().to_be_bytes());
        body.extend(text.as_bytes());
        let head = "content-type: application/connect+json\r\n";
        let told = self.asks("POST /process.Process/Start", head, &body);
        assert!(String::from_utf8_lossy(&told).contains("exit status 0"), "{told:?}");
    }

    /// Asks, and gives the body of the answer.
    fn asks(&mut self, what: &str, more: &str, body: &[u8]) -> Vec<u8> {
        let Self { host, key, sandbox, token, .. } = self;
        let proof = match sandbox.is_empty() {
            true => format!("x-api-key: {key}\r\n"),
            false => format!(
                "e2b-sandbox-id: {sandbox}\r\ne2b-sandbox-port: 49983\r\nx-access-token: {token}\r\n"
            ),
        };
        let length = body.len();
        let mut request = format!(
            "{what} HTTP/1.1\r\nhost: {host}\r\n{proof}{more}content-length: {length}\r\n\r\n"
        )
        .into_bytes();
        request.extend(body);
        self.connection.get_mut().write_all(&request).unwrap();
        self.answer(what)
    }

    fn answer(&mut self, what: &str) -> Vec<u8> {
        let status = self.line();
        assert!(status.starts_with("HTTP/1.1 2"), "{what}: {status}");
        let (mut length, mut pieces) = (0, false);
        loop {
            let line = self.line().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            pieces |= line == "transfer-encoding: chunked";
        }
        if !pieces {
            return self.exactly(length);
        }
        let mut body = Vec::new();
        loop {
            let length = usize::from_str_radix(&self.line(), 16).unwrap();
            body.extend(self.exactly(length));
            self.line();
            if length == 0 {
                return body;
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.connection.read_line(&mut line).unwrap() > 0, "the connection ended");
        line.trim_end().to_owned()
    }

    fn exactly(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.connection.read_exact(&mut bytes).unwrap();
        bytes
    }
}
