//! A gateway that sends its spans to a collector, and what is asked of it over HTTP.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::Value;

use crate::server::{PATIENCE, Server};

/// A gateway whose spans go to an address; calls have no limits worth speaking of.
pub(crate) fn gateway(address: &str, more: &str) -> Server {
    let limits = "[limits.programs.caller]\nworktree_per_minute = 100_000\n\
                  [limits.programs.workspace]\nworktree_per_minute = 100_000\n";
    let telemetry = format!("[telemetry]\notlp = \"{address}\"\n{more}\n{limits}");
    Server::set_up(&telemetry, &[])
}

/// Sends a request as the operator, with these headers, and gives what was answered.
pub(crate) fn post(server: &Server, path: &str, headers: &[(&str, &str)], body: &Value) -> String {
    exchange(server, &format!("POST {path}"), headers, &body.to_string())
}

/// A counter of `/metrics`.
pub(crate) fn counter(server: &Server, outcome: &str) -> u64 {
    let page = exchange(server, "GET /metrics", &[], "");
    let name = format!("garth_otlp_spans_total{{outcome=\"{outcome}\"}} ");
    let line = page.lines().find_map(|line| line.strip_prefix(&name));
    line.unwrap_or_else(|| panic!("{name} is not in {page}")).trim().parse().unwrap()
}

fn exchange(server: &Server, asks: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (address, operator) = (&server.address, &server.operator);
    let mut head = format!(
        "{asks} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         authorization: Bearer {operator}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    write!(stream, "{head}\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
