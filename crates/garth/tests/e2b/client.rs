//! A client of HTTP that does exactly what it is told.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
};

use serde_json::Value;

use crate::gateway::PATIENCE;

/// A request.
pub(crate) struct Asked {
    head: String,
    host: Option<String>,
    body: Vec<u8>,
}

impl Asked {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self { head: format!("{method} {path} HTTP/1.1\r\n"), host: None, body: Vec::new() }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.head += &format!("{name}: {value}\r\n");
        self
    }

    /// Goes by another name than the address.
    pub(crate) fn host(mut self, host: &str) -> Self {
        self.host = Some(host.to_owned());
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json").body(body.to_string().into_bytes())
    }

    pub(crate) fn body(mut self, body: Vec<u8>) -> Self {
        self.body = body;
        self
    }

    /// Sends it, and reads the answer to its end.
    pub(crate) fn send(self, address: &str) -> Answer {
        let mut stream = self.begin(address);
        stream.read_to_end()
    }

    /// Sends it, and reads the head of the answer.
    pub(crate) fn begin(self, address: &str) -> Coming {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let host = self.host.unwrap_or_else(|| address.to_owned());
        let head = format!(
            "{}Host: {host}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            self.head,
            self.body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&self.body).unwrap();
        let mut reader = BufReader::new(stream);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(reader.read_line(&mut line).unwrap() > 0, "no answer: {lines:?}");
            if line.trim().is_empty() {
                break;
            }
            lines.push(line.trim().to_owned());
        }
        let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        Coming { status, head: lines.split_off(1), reader }
    }
}

/// An answer that comes.
pub(crate) struct Coming {
    pub(crate) status: u16,
    head: Vec<String>,
    reader: BufReader<TcpStream>,
}

impl Coming {
    fn is_chunked(&self) -> bool {
        self.head.iter().any(|line| line.eq_ignore_ascii_case("transfer-encoding: chunked"))
    }

    /// The next piece of a body that comes in pieces; nothing at its end.
    fn piece(&mut self) -> Vec<u8> {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        let length = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        let mut piece = vec![0; length + 2];
        if length == 0 {
            return Vec::new();
        }
        self.reader.read_exact(&mut piece).unwrap();
        piece.truncate(length);
        piece
    }

    /// The next message of a stream.
    pub(crate) fn message(&mut self) -> Value {
        let mut bytes = Vec::new();
        loop {
            if let Some(message) = taken(&mut bytes) {
                return message;
            }
            let piece = self.piece();
            assert!(!piece.is_empty(), "the stream ended");
            bytes.extend(piece);
        }
    }

    /// All of the answer that is still to come.
    pub(crate) fn rest(&mut self) -> Answer {
        self.read_to_end()
    }

    fn read_to_end(&mut self) -> Answer {
        let mut body = Vec::new();
        if self.is_chunked() {
            loop {
                let piece = self.piece();
                if piece.is_empty() {
                    break;
                }
                body.extend(piece);
            }
        } else {
            self.reader.read_to_end(&mut body).unwrap();
        }
        Answer { status: self.status, head: self.head.clone(), body }
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: Vec<String>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// A header of the answer.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.head.iter().filter_map(|line| line.split_once(':'));
        let mut found = found.filter(|(other, _)| other.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim())
    }

    /// The messages of a stream; the last is its end.
    pub(crate) fn messages(&self) -> Vec<Value> {
        let mut bytes = self.body.clone();
        let mut messages = Vec::new();
        while let Some(message) = taken(&mut bytes) {
            messages.push(message);
        }
        assert!(bytes.is_empty(), "half a message: {bytes:?}");
        messages
    }
}

/// Takes a message of a stream from what came.
fn taken(bytes: &mut Vec<u8>) -> Option<Value> {
    let length = u32::from_be_bytes(bytes.get(1..5)?.try_into().unwrap()) as usize;
    if bytes.len() < 5 + length {
        return None;
    }
    let message: Vec<u8> = bytes.drain(..5 + length).skip(5).collect();
    Some(serde_json::from_slice(&message).unwrap())
}
