//! A client of MCP that keeps time.

use std::{
    ffi::OsString,
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// A server that was started, and the pipes to it.
pub(crate) struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

/// What a server answered, and how long that took.
pub(crate) struct Answer {
    pub(crate) took: Duration,
    value: Value,
}

impl Answer {
    /// What went wrong, in the server's words.
    pub(crate) fn failure(&self) -> Option<String> {
        let refused = self.value["result"]["isError"] == true;
        let words = match self.value.get("error") {
            Some(error) => error["message"].as_str().unwrap_or_default().to_owned(),
            None if refused => self.text(),
            None => return None,
        };
        Some(words.lines().next().unwrap_or_default().chars().take(80).collect())
    }

    /// The texts of its content.
    pub(crate) fn text(&self) -> String {
        let blocks = self.value["result"]["content"].as_array().map_or(&[][..], Vec::as_slice);
        blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
    }
}

impl Client {
    /// Starts a server and waits until it has answered `initialize`.
    pub(crate) fn start(command: &[OsString]) -> Self {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
        let mut client = Self { child, input, output, last: 0 };
        let who = json!({"name": "mcp_bench", "version": "1"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who});
        client.request("initialize", &hello);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        client
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Answer {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// The memory that the server has, in kilobytes.
    pub(crate) fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    fn request(&mut self, method: &str, params: &Value) -> Answer {
        self.last += 1;
        let id = self.last;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let message = message.to_string();
        let begin = Instant::now();
        self.send(&message);
        loop {
            let mut line = Vec::new();
            let length = self.output.read_until(b'\n', &mut line).unwrap();
            let took = begin.elapsed();
            assert!(length > 0, "the server ended");
            let value: Value = serde_json::from_slice(&line).unwrap();
            if value["id"] == id && value.get("method").is_none() {
                return Answer { took, value };
            }
        }
    }

    fn send(&mut self, message: &str) {
        self.input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
