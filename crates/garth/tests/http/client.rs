//! The smallest client of HTTP: one connection for each request, and nothing hidden.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::Value;

use crate::gateway::PATIENCE;

/// A request to be sent.
pub(crate) struct Request<'a> {
    address: &'a str,
    method: &'static str,
    path: String,
    host: Option<String>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl<'a> Request<'a> {
    pub(crate) fn new(address: &'a str, method: &'static str, path: &str) -> Self {
        let (path, host) = (path.to_owned(), Some(address.to_owned()));
        Self { address, method, path, host, headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// The same to another name.
    pub(crate) fn host(mut self, host: Option<&str>) -> Self {
        self.host = host.map(ToOwned::to_owned);
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json").body(body.to_string())
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends it and reads all that comes.
    pub(crate) fn send(self) -> Reply {
        let head_only = self.method == "HEAD";
        let mut stream = self.open();
        let mut bytes = Vec::new();
        // A server that refuses a body it has not read may end the connection.
        let read = stream.read_to_end(&mut bytes);
        assert!(read.is_ok() || !bytes.is_empty(), "{read:?}");
        Reply::of(&bytes, head_only)
    }

    /// Sends it and leaves the reading to the caller.
    pub(crate) fn open(self) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        let mut head = format!("{} {} HTTP/1.1\r\nconnection: close\r\n", self.method, self.path);
        if let Some(host) = &self.host {
            head.push_str(&format!("host: {host}\r\n"));
        }
        if !self.body.is_empty() && self.headers.iter().all(|(name, _)| name != "content-length") {
            head.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        // A server need not read a body that it refuses.
        let _ = stream.write_all(&self.body);
        stream
    }
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    fn of(bytes: &[u8], head_only: bool) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines
            .map(|line| line.split_once(':').unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut reply = Self { status, headers, body: bytes[end + 4..].to_vec() };
        if reply.header("transfer-encoding") == Some("chunked") {
            reply.body = unchunked(&reply.body);
        } else if let Some(length) = reply.header("content-length") {
            let length: usize = length.parse().unwrap();
            assert!(head_only || reply.body.len() == length, "{} {length}", reply.body.len());
        }
        reply
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn value(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.text());
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The status, and the code of the error in its one shape.
    pub(crate) fn refusal(&self) -> (u16, String) {
        let value = self.value();
        let error = &value["error"];
        assert!(error["message"].is_string() && error["details"]["hint"].is_string(), "{value}");
        (self.status, error["code"].as_str().unwrap().to_owned())
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let line = bytes.windows(2).position(|two| two == b"\r\n").unwrap();
        let size = usize::from_str_radix(str::from_utf8(&bytes[..line]).unwrap(), 16).unwrap();
        if size == 0 {
            return whole;
        }
        whole.extend_from_slice(&bytes[line + 2..line + 2 + size]);
        bytes = &bytes[line + 4 + size..];
    }
}
